package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheWalkThroughIsReal runs every command of the walk-through in
// docs/serve.md, as a reader would, and compares what they print.
func TestTheWalkThroughIsReal(t *testing.T) {
	t.Parallel()
	isReal(t, "serve.md", "Walk-through with nothing but curl")
}

// TestTheServerIsTrustedAsDescribed does the same with curl, Python and Node.js.
func TestTheServerIsTrustedAsDescribed(t *testing.T) {
	t.Parallel()
	isReal(t, "tls.md", "Trusting it")
}

// isReal runs the commands in a section of a page, and compares what they print.
func isReal(t *testing.T, page, heading string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // its commands are for a POSIX shell
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", page))
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	section, _, _ = strings.Cut(section, "\n## ")
	if !found {
		t.Fatalf("docs/%s has no section %q", page, heading)
	}
	var commands, printed strings.Builder
	for _, block := range regexp.MustCompile("(?s)```(sh|text)\n(.*?)```").FindAllStringSubmatch(section, -1) {
		if block[1] == "sh" {
			commands.WriteString(block[2])
		} else {
			printed.WriteString(block[2])
		}
	}
	if strings.Count(commands.String(), "\n") < 8 || printed.Len() == 0 {
		t.Fatalf("expected the commands of a walk-through and what they print, got %q", commands.String())
	}

	bin, folder := t.TempDir(), t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(bin, "faultsrv"), ".").CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	defer cancel()
	shell := exec.CommandContext(ctx, "sh", "-eu", "-c", `trap 'kill "${FAULTSRV_PID:-$!}" 2> /dev/null || true' EXIT`+"\n"+commands.String())
	shell.Dir = folder
	shell.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var complaints strings.Builder
	shell.Stderr = &complaints
	got, err := shell.Output()
	if err != nil {
		t.Errorf("the walk-through ends with %v, having said on standard error:\n%s", err, complaints.String())
	}
	if diff := cmp.Diff(printed.String(), string(got)); diff != "" {
		t.Errorf("the walk-through prints something else than docs/%s shows (-docs +now):\n%s\non standard error:\n%s", page, diff, complaints.String())
	}
}
