package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func init() {
	clients["lazy"] = func([]string) int { return 7 }
	clients["get-and-hang-anyway"] = func(args []string) int {
		getOnce(args)
		note(args[1], os.Getpid())
		return hang(args)
	}
}

func TestADraftNamesItsProgramFromItsOwnFolder(t *testing.T) {
	t.Parallel()
	slash := filepath.FromSlash
	absolute, err := filepath.Abs("client")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ program, file, want string }{
		{"curl", "profiles/curl.yaml", "curl"},
		{absolute, "profiles/client.yaml", absolute},
		{"./client", "client.yaml", "./client"},
		{"./client", "profiles/client.yaml", "../client"},
		{"profiles/client", "profiles/client.yaml", "./client"},
	} {
		args := []string{slash(test.program), "{url}"}
		want := []string{slash(test.want), "{url}"}
		if got := relocated(args, slash(test.file)); !slices.Equal(got, want) {
			t.Errorf("%s in %s: %q; expected %q", test.program, test.file, got, want)
		}
	}
}

func TestWhatCannotBePrintedIsStatus3(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"demo --out " + t.TempDir(), "observe --client resilient --timeout 1s"} {
		t.Run(strings.Fields(line)[0], func(t *testing.T) {
			t.Parallel()
			var stderr strings.Builder
			status := run(strings.Fields(line), noEnvironment, strings.NewReader(""), fullDisk{}, &stderr)
			if status != statusCouldNotRun || !strings.Contains(stderr.String(), errFullDisk.Error()) {
				t.Errorf("status %d, stderr %q; expected %d, and the cause", status, stderr.String(), statusCouldNotRun)
			}
		})
	}
}
