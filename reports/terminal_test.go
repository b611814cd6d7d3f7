package reports

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

func TestTerminal(t *testing.T) {
	t.Run("on a pipe", func(t *testing.T) {
		golden(t, "terminal.txt", rendered(t, Terminal(Style{}), sampleRun()))
	})
	t.Run("with colors, 100 columns", func(t *testing.T) {
		golden(t, "terminal-color.txt", rendered(t, Terminal(Style{Color: true, Width: 100}), sampleRun()))
	})
	t.Run("a run that was cut short", func(t *testing.T) {
		run := runOf(scenarios.Must, assertions.Pass, assertions.ClientError, assertions.HarnessError)
		run.Results[1].Reason = "start curl: no such file"
		run.Meta.Partial, run.Meta.PartialReason = true, "interrupted"
		run.Selection.Contracts = 40
		golden(t, "terminal-partial.txt", rendered(t, Terminal(Style{}), run))
	})
}

// A run conforms with a broken should, unless told otherwise; that it was broken,
// and how to be told, is said where the reader looks last.
func TestConformingSaysWhatWasWeak(t *testing.T) {
	run := runOf(scenarios.Must, assertions.Pass, assertions.Weak)
	const hint = "Conforming: no contract failed the run; 1 contract broke a should, which fails it with --fail-on should (exit status 0)."
	if text := string(rendered(t, Terminal(Style{}), run)); !strings.HasSuffix(text, hint+"\n") {
		t.Errorf("expected it to end in %q:\n%s", hint, text)
	}
	run.Selection.FailOn = scenarios.Should
	if text := string(rendered(t, Terminal(Style{}), run)); strings.Contains(text, "--fail-on") || !strings.Contains(text, "1 contract failed the run") {
		t.Errorf("expected it to fail, without a hint:\n%s", text)
	}
	without := runOf(scenarios.Must, assertions.Pass)
	if text := string(rendered(t, Terminal(Style{}), without)); strings.Contains(text, "--fail-on") {
		t.Errorf("expected no hint where nothing was weak:\n%s", text)
	}
}

// The order in which a failure reads is a promise.
func TestAFailureReadsInOrder(t *testing.T) {
	e, j := sampleFail()
	text := Explain(FromEvidence(e, j, Options{Redactor: sampleRedactor(), Rerun: []string{"faultsrv", "test"}}))
	last := -1
	for _, part := range []string{
		"fail body.replay-after-503", "RFC 9110 section 9.2.2 (MAY)", "BR-01", "expected", "observed",
		"attempts", "caller got", "Attempt 2 carried 0", "The server must be able", "faultsrv test",
	} {
		at := strings.Index(text, part)
		if at <= last {
			t.Errorf("%q comes too early or is missing:\n%s", part, text)
		}
		last = at
	}
}

func TestWithoutColorNothingReachesTheTerminalButText(t *testing.T) {
	run := sampleRun()
	run.Tool.Version, run.Selection.Level = "v1\x1b[2J", "all\x07" // as in a file of somebody else's
	text := string(rendered(t, Terminal(Style{Width: 80}), run))
	if i := strings.IndexFunc(text, func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
		t.Errorf("a control character at byte %d: %q", i, text[i:i+20])
	}
	if !strings.Contains(text, `\x1b[31mconnection reset\a by peer`) {
		t.Error("what the client said is not shown")
	}
}

func TestProseIsBrokenToTheWidth(t *testing.T) {
	run := sampleRun()
	const width = 72
	for line := range strings.Lines(string(rendered(t, Terminal(Style{Width: width}), run))) {
		prose := strings.HasPrefix(line, "  meaning") || strings.HasPrefix(line, "  rule") || strings.HasPrefix(line, "  pass")
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); prose && n > width {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

func TestAWriterThatFailsIsAnError(t *testing.T) {
	for name, render := range renderers {
		err := render(fullDisk{}, sampleRun())
		if !errors.Is(err, errFull) {
			t.Errorf("%s: expected the writer's error, got %v", name, err)
		}
	}
}

var errFull = errors.New("no space left on device")

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }
