package reports

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
)

var update = flag.Bool("update", false, "write the golden files and the schema anew")

func TestReports(t *testing.T) {
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, "reports")
}

// golden compares what was made with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	sameAsFile(t, filepath.Join("testdata", name), got)
}

func sameAsFile(t *testing.T, file string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v: run this package's tests with -update to write it, and read the result", err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s is stale: run this package's tests with -update, and read the difference (- is the file):\n%s",
			file, cmp.Diff(string(want), string(got)))
	}
}

// rendered is what a renderer writes of a run.
func rendered(t testing.TB, render Renderer, run Run) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := render(&out, run); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
