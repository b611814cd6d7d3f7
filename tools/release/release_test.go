package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestARelease makes one for this machine, and takes it apart as its user would.
func TestARelease(t *testing.T) {
	t.Chdir("../..")
	out := filepath.Join(t.TempDir(), "dist")
	host := runtime.GOOS + "/" + runtime.GOARCH
	var stdout, stderr bytes.Buffer
	if status := run(t.Context(), []string{"-version", "v9.8.7", "-platforms", host, "-commit=false", "-out", out}, &stdout, &stderr); status != 0 {
		t.Fatalf("status %d: %s", status, stderr.String())
	}
	name := "faultsrv_v9.8.7_" + runtime.GOOS + "_" + runtime.GOARCH
	files, err := names(out)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{sumsFile, name + ".cdx.json", name + ".tar.gz"}; !slices.Equal(files, want) {
		t.Fatalf("it consists of %q; expected %q", files, want)
	}
	sums, err := os.ReadFile(filepath.Join(out, sumsFile))
	if err != nil {
		t.Fatal(err)
	}
	packed, err := os.ReadFile(filepath.Join(out, name+".tar.gz"))
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("%x  %s.tar.gz\n", sha256.Sum256(packed), name); !strings.Contains(string(sums), want) {
		t.Errorf("%s has not the line %s", sums, want)
	}
	program := filepath.Join(t.TempDir(), "faultsrv")
	if err := os.WriteFile(program, unpack(t, packed)["faultsrv"], 0o755); err != nil {
		t.Fatal(err)
	}
	said, err := exec.CommandContext(t.Context(), program, "version").Output()
	if err != nil || !strings.HasPrefix(string(said), "faultsrv v9.8.7, ") {
		t.Errorf("faultsrv version: %q, %v; expected the version that was given", said, err)
	}

	if status := run(t.Context(), []string{"-version", "v9.8.7", "-out", out}, &stdout, &stderr); status != 1 || !strings.Contains(stderr.String(), "is there already") {
		t.Errorf("over an older release: status %d, %s; expected 1 and why", status, stderr.String())
	}
}

func unpack(t *testing.T, packed []byte) map[string][]byte {
	t.Helper()
	content, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for archive := tar.NewReader(content); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[header.Name], err = io.ReadAll(archive); err != nil {
			t.Fatal(err)
		}
	}
}

// TestArchivesAreReproducible packs files twice that differ in all but what is in them.
func TestArchivesAreReproducible(t *testing.T) {
	t.Parallel()
	r := release{time: time.Unix(1_700_000_000, 0).UTC()}
	for system, extension := range map[string]string{"linux": ".tar.gz", "windows": ".zip"} {
		var packed [2][]byte
		for i := range packed {
			folder := t.TempDir()
			file := filepath.Join(folder, "faultsrv")
			if err := os.WriteFile(file, []byte("program"), 0o600+os.FileMode(i)*0o111); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(file, time.Time{}, time.Unix(int64(i)*1000, 0)); err != nil {
				t.Fatal(err)
			}
			name, err := r.pack(filepath.Join(folder, "x"), platform{system, "amd64"}, []string{file})
			if err != nil || name != "x"+extension {
				t.Fatalf("packed as %q, %v; expected x%s", name, err, extension)
			}
			if packed[i], err = os.ReadFile(filepath.Join(folder, name)); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: two archives of the same file differ", system)
		}
		if system == "windows" {
			checkZip(t, packed[0], r.time)
		}
	}
}

func checkZip(t *testing.T, packed []byte, dated time.Time) {
	t.Helper()
	files, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	program := files.File[0]
	if program.Name != "faultsrv" || program.Mode() != 0o755 || !program.Modified.Equal(dated) {
		t.Errorf("the zip has %s, %v, %v; expected a program of the release's time", program.Name, program.Mode(), program.Modified)
	}
}

func TestABillIsHeldToTheProgram(t *testing.T) {
	t.Parallel()
	info := &buildinfo.BuildInfo{GoVersion: "go1.25.0", Deps: []*debug.Module{
		{Path: "a", Version: "v1.0.0"},
		{Path: "b", Version: "v1.0.0", Replace: &debug.Module{Path: "c", Version: "v2.0.0"}},
	}}
	const std, a, c = `{"name": "std", "version": "go1.25.0"}`, `{"name": "a", "version": "v1.0.0"}`, `{"name": "c", "version": "v2.0.0"}`
	for components, want := range map[string]string{
		std + "," + a + "," + c: "",
		std + "," + a:           "does not list c v2.0.0",
		a + "," + c:             "does not list std go1.25.0",
		std + "," + a + "," + c + `,{"name": "d", "version": "v1.0.0"}`: "lists d once too often",
		std + "," + a + "," + a + "," + c:                               "lists a once too often",
		std + "," + c + `,{"name": "a", "version": "v1.0.1"}`:           "lists a v1.0.1; the program was built from v1.0.0",
		std + "," + c + `,{"name": "a"}`:                                "lists a without a version",
	} {
		err := checkBill([]byte(`{"components": [`+components+`]}`), info)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: %v; expected %q", components, err, want)
		}
	}
}

func TestWrongArgumentsAreSaid(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{}, {"-version", "v1.0.0", "more"}, {"-version", "v1.0.0", "-platforms", "linux"}, {"-no"}} {
		var stderr bytes.Buffer
		if status := run(t.Context(), args, io.Discard, &stderr); status != 2 || stderr.Len() == 0 {
			t.Errorf("%q: status %d, %q; expected 2 and why", args, status, stderr.String())
		}
	}
}
