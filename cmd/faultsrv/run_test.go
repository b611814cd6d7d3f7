package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

func noEnvironment(string) string { return "" }

// fullDisk is a writer that nothing can be written to.
type fullDisk struct{}

var errFullDisk = errors.New("no space left on device")

func (fullDisk) Write([]byte) (int, error) { return 0, errFullDisk }

func TestAnOutputThatCannotBeWrittenIsStatus3(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		"version",
		"version --format json",
		"contracts list",
		"contracts list --format json",
		"contracts show body.replay-after-503",
		"contracts schema",
		"test --client resilient --contracts attempts.success-is-final",
		"serve --listen 127.0.0.1:0 --script 200",
	} {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			status := run(strings.Fields(line), noEnvironment, strings.NewReader(""), fullDisk{}, &stderr)
			if status != statusCouldNotRun || !strings.Contains(stderr.String(), errFullDisk.Error()) {
				t.Errorf("status %d, stderr %q; expected %d, and the cause", status, &stderr, statusCouldNotRun)
			}
		})
	}
}

// A reader that has what it wanted, such as head, leaves; there is nobody to tell.
func TestAReaderWhoLeavesIsToldNothing(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	read.Close()
	for _, line := range []string{"contracts list", "contracts list --format json", "contracts show body.replay-after-503", "clients list"} {
		var stderr bytes.Buffer
		if status := run(strings.Fields(line), noEnvironment, strings.NewReader(""), write, &stderr); status != statusCouldNotRun || stderr.Len() > 0 {
			t.Errorf("%s: status %d, stderr %q; expected %d, and nothing said", line, status, &stderr, statusCouldNotRun)
		}
	}
}

// The arguments are those that run is given, and no others: cobra would take
// those of the process for none.
func TestNoArgumentsAreNone(t *testing.T) {
	t.Parallel()
	var stderr bytes.Buffer
	if status := run(nil, noEnvironment, strings.NewReader(""), io.Discard, &stderr); status != statusUsage ||
		!strings.Contains(stderr.String(), "no command given") {
		t.Errorf("status %d, stderr %q; expected %d, and that no command was given", status, &stderr, statusUsage)
	}
}

func TestTheLinkedVersionWins(t *testing.T) {
	t.Parallel()
	if got := buildOf("v1.2.3").String(); !strings.HasPrefix(got, "faultsrv v1.2.3") {
		t.Errorf("%q; expected the version that was linked", got)
	}
	if got := buildOf("").Version; got == "" {
		t.Error("no version; expected that of the build, or a word for its absence")
	}
}
