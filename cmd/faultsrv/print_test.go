package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What turns the direction of writing shows another text than the one that is there.
func TestNothingTurnsTheDirectionOfATerminal(t *testing.T) {
	t.Parallel()
	const given, want = "ab\u202ecd\u2066\nמי\t", "ab\\u202ecd\\u2066\nמי\t"
	if got := harmless(given); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// What comes from files of somebody else's reaches the terminal by many ways; by
// none does it move the reader's cursor.
func TestNothingFromAFileMovesACursor(t *testing.T) {
	t.Parallel()
	const escape = "\x1b[2J"
	for name, test := range map[string]struct{ file, line string }{
		"a raw byte in a contract":  {"format: 1\n---\ntitle: " + escape + "\n", "contracts lint FILE"},
		"a title":                   {"format: 1\n---\nid: body.x\ntitle: \"\\e[2J\"\ncalls: [{}]\n", "contracts lint FILE"},
		"a contract to judge by":    {"format: 1\n---\nid: body.x\ntitle: " + escape + "\n", "test --client resilient --contracts-from FILE"},
		"a reason in a profile":     {"kind: exec\nname: x\ncommand: [sh, \"{url}\"]\nknown-failures: [{contract: attempts.retries-503, reason: \"\\e[2J\", link: \"https://example.com\"}]\n", "clients show FILE"},
		"results that are none":     {escape, "report text FILE"},
		"a word that means nothing": {"kind: \"\\e[2J\"\n", "clients show FILE"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "own.yaml")
			if err := os.WriteFile(file, []byte(test.file), 0o600); err != nil {
				t.Fatal(err)
			}
			var stdout, stderr bytes.Buffer
			run(strings.Fields(strings.ReplaceAll(test.line, "FILE", file)), noEnvironment, strings.NewReader(""), &stdout, &stderr)
			said := stdout.String() + stderr.String()
			if said == "" || strings.Contains(said, "\x1b") {
				t.Errorf("%q; expected something, without an escape in it", said)
			}
		})
	}
}
