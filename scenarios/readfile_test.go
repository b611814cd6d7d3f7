package scenarios_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

// A device took 21 GiB of memory, and the machine with it.
func TestAFileWithoutEndIsTooLarge(t *testing.T) {
	t.Parallel()
	const device = "/dev/zero"
	if _, err := os.Stat(device); errors.Is(err, fs.ErrNotExist) {
		t.Logf("no %s here: nothing to show", device)
		return
	}
	data, err := scenarios.ReadFile(device)
	if err != nil || len(data) != scenarios.MaxFileSize+1 {
		t.Fatalf("%d bytes, %v; expected one more than a file may have", len(data), err)
	}
	if _, err := scenarios.Load(device); err == nil || !strings.Contains(err.Error(), "at most 1048576 bytes") {
		t.Errorf("%v; expected that the file is too large", err)
	}
}

// What a folder holds was named by nobody: a link in it is followed only to a file.
func TestAFolderIsReadForRegularFilesOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, filepath.Join(dir, "folder.yaml")); err != nil {
		t.Logf("no links here: nothing to show (%v)", err)
		return
	}
	if _, err := scenarios.Load(dir); err == nil || !strings.Contains(err.Error(), "expected a regular file") {
		t.Errorf("%v; expected that the link leads to no regular file", err)
	}
}
