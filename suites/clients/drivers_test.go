package clients_test

import (
	"io/fs"
	"path/filepath"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/profile"
)

// leastDrivers is how many drivers there are at least, so that a search that finds
// none is no success.
const leastDrivers = 20

// drivers are the profiles of the drivers in this folder, at any depth.
func drivers(t *testing.T) []string {
	t.Helper()
	var files []string
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.Name() == "node_modules":
			return filepath.SkipDir
		case entry.Name() != "profile.yaml":
			return nil
		}
		data, err := scenarios.ReadFile(path)
		if scenarios.Peek(data, "kind") == string(profile.Driver) {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < leastDrivers {
		t.Fatalf("%d drivers found, want at least %d", len(files), leastDrivers)
	}
	return files
}

// What each driver says of itself is true. Their verdicts are held by make
// matrix-check, against docs/matrix.
func TestTheDriversPassTheirChecks(t *testing.T) {
	for _, file := range drivers(t) {
		t.Run(filepath.ToSlash(filepath.Dir(file)), func(t *testing.T) {
			t.Parallel()
			loaded, err := profile.Load(file)
			if err != nil {
				t.Fatal(err)
			}
			report, err := loaded.Check(t.Context(), profile.Options{})
			if err != nil {
				t.Fatalf("%v (make clients installs and builds what the drivers need)", err)
			}
			for _, checked := range report.Checks {
				for _, finding := range checked.Findings {
					t.Errorf("%s: expected %s; got %s; %s (make clients installs and builds what the drivers need)",
						checked.Name, finding.Expected, finding.Got, finding.Do)
				}
			}
		})
	}
}
