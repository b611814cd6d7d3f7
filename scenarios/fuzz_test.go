package scenarios_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

// FuzzParse looks for a file that makes the loader panic, and for one that it
// takes and that nothing can be done with.
func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", "testdata/problems/*.yaml", "catalogue/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds in %s: %v", pattern, err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Add([]byte("format: 1\n---\n" + sound))
	f.Fuzz(func(t *testing.T, data []byte) {
		contracts, err := scenarios.Parse("fuzzed.yaml", data)
		if err != nil {
			var problems scenarios.Problems
			if !errors.As(err, &problems) || len(problems) == 0 || problems.Error() == "" || contracts != nil {
				t.Fatalf("an error without problems, or contracts beside it: %v", err)
			}
			return
		}
		if len(contracts) == 0 {
			t.Fatal("neither a contract nor a problem")
		}
		for _, p := range scenarios.Lint(contracts) {
			if p.Error() == "" || p.Rule == "" {
				t.Fatalf("a problem that says nothing: %+v", p)
			}
		}
		for _, c := range contracts {
			_ = c.Runnable()
			c.Capabilities()
			if c.Takes() < 0 {
				t.Fatalf("%s takes %v", c.ID, c.Takes())
			}
			c.Config()
		}
	})
}
