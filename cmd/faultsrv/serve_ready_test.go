package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What is no file is not taken for what an earlier server has left.
func TestAReadyFileIsAFile(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "folder")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link") // as /dev/stdout is one
	if err := os.Symlink(folder, link); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{folder, link} {
		if err := removeReady(name); err == nil || !strings.Contains(err.Error(), name+" is none") {
			t.Errorf("got %v; expected it to be refused by its name", err)
		}
		if _, err := os.Lstat(name); err != nil {
			t.Errorf("it was removed: %v", err)
		}
	}
}

func TestAReadyFileOfAKilledServerIsRemoved(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "ready.env")
	for range 2 { // there, and not there
		if err := removeReady(name); err != nil {
			t.Fatal(err)
		}
		if err := writeReady(name, "http://127.0.0.1:8503", "", ""); err != nil {
			t.Fatal(err)
		}
	}
	if err := removeReady(name); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(name); !os.IsNotExist(err) {
		t.Errorf("it is there still: %v", err)
	}
}
