package main

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// content is what a file has, and that nothing is beside it but what is expected.
func content(t *testing.T, file string, beside int) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(file))
	if err != nil || len(entries) != 1+beside {
		t.Errorf("%d files in the folder (%v), want %d: a part was left", len(entries), err, 1+beside)
	}
	return string(data)
}

func TestAFileIsWrittenWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "results.json")
	if err := writeWhole(file, text("first")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, file, 0); got != "first" {
		t.Errorf("got %q", got)
	}
	full := errors.New("no space left")
	err := writeWhole(file, func(w io.Writer) error {
		_, _ = io.WriteString(w, "hal")
		return full
	})
	if got := content(t, file, 0); !errors.Is(err, full) || got != "first" {
		t.Errorf("%v, and %q is there; want the cause, and what was there before", err, got)
	}
}

func TestOfTwoThatWriteAFileOneIsThere(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "results.json")
	long, short := strings.Repeat("long", 1<<16), "short"
	var writing sync.WaitGroup
	for _, one := range []string{long, short, long, short} {
		writing.Go(func() {
			if err := writeWhole(file, text(one)); err != nil {
				t.Error(err)
			}
		})
	}
	writing.Wait()
	if got := content(t, file, 0); got != long && got != short {
		t.Errorf("%d bytes, that are neither the one nor the other", len(got))
	}
}

func TestALinkIsFollowedAndADeviceIsNoFile(t *testing.T) {
	t.Parallel()
	folder, elsewhere := t.TempDir(), t.TempDir()
	target, link := filepath.Join(elsewhere, "target"), filepath.Join(folder, "link")
	if err := errors.Join(os.WriteFile(target, nil, 0o600), os.Symlink(target, link)); err != nil {
		t.Fatal(err)
	}
	if err := writeWhole(link, text("through")); err != nil {
		t.Fatal(err)
	}
	if got := content(t, target, 0); got != "through" {
		t.Errorf("the link's target has %q", got)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link was replaced by %v (%v)", info, err)
	}
	if err := writeWhole(os.DevNull, text("nothing")); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode().IsRegular() {
		t.Errorf("%s is %v (%v)", os.DevNull, info, err)
	}
}

// A run whose output goes to a file may be told to write to /dev/stdout, too.
func TestOurOwnOutputIsNotReplaced(t *testing.T) {
	name := filepath.Join(t.TempDir(), "output")
	file, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	stdout := os.Stdout
	os.Stdout = file
	defer func() { os.Stdout = stdout }()
	for _, write := range []func() error{
		func() error { _, err := file.WriteString("before, "); return err },
		func() error { return writeWhole(name, text("within, ")) },
		func() error { _, err := file.WriteString("after"); return err },
	} {
		if err := write(); err != nil {
			t.Fatal(err)
		}
	}
	if got := content(t, name, 0); got != "before, within, after" {
		t.Errorf("the output has %q", got)
	}
}
