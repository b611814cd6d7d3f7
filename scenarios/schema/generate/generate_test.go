package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const module = "../../.."

func TestThePublishedFilesAreFresh(t *testing.T) {
	files, err := generated(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		published, err := os.ReadFile(filepath.Join(module, f.path))
		if err != nil || !bytes.Equal(published, f.data) {
			t.Errorf("%s is stale: go generate ./scenarios/schema makes it anew (%v)", f.path, err)
		}
	}
}
