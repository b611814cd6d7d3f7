package reports

import (
	"bytes"
	"encoding/xml"
	"testing"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

func TestJUnit(t *testing.T) {
	golden(t, "junit.xml", rendered(t, JUnit, sampleRun()))
}

func TestJUnitFailsWhatFailsTheRun(t *testing.T) {
	run := sampleRun()
	run.Selection.FailOn = scenarios.Should
	golden(t, "junit-fail-on-should.xml", rendered(t, JUnit, run))
}

func TestJUnitOfARunThatProvesNothingIsNotGreen(t *testing.T) {
	partial := runOf(scenarios.Must, assertions.Pass)
	partial.Meta.Partial, partial.Meta.PartialReason = true, "interrupted"
	for name, test := range map[string]struct {
		run    Run
		errors int
	}{
		"cut short":      {partial, 1},
		"nothing judged": {runOf(scenarios.Must, assertions.Unsupported), 1},
		"no contract":    {runOf(scenarios.Must), 1},
		"client error":   {runOf(scenarios.Must, assertions.Pass, assertions.ClientError), 1},
		"all judged":     {runOf(scenarios.Must, assertions.Pass), 0},
	} {
		t.Run(name, func(t *testing.T) {
			file := parsed(t, rendered(t, JUnit, test.run))
			if file.Errors != test.errors {
				t.Errorf("expected %d errors, got %d", test.errors, file.Errors)
			}
		})
	}
}

func TestJUnitCountsItsCases(t *testing.T) {
	file := parsed(t, rendered(t, JUnit, sampleRun()))
	if want := (junitCounts{Tests: 8, Failures: 2, Skipped: 3}); file.junitCounts != want {
		t.Errorf("expected %+v, got %+v", want, file.junitCounts)
	}
}

func TestWhatXMLCannotHoldIsLeftOut(t *testing.T) {
	if got, want := plainXML("a\x00b\x1bc\td\ne\u0085f\ufffeg\xffh"), "abc d\nefg\uFFFDh"; got != want {
		t.Errorf("expected %q, got %q", want, got)
	}
}

func FuzzJUnitIsXML(f *testing.F) {
	f.Add("a\rb\tc\r\n")
	f.Add("control \x00\x07\x1b and ]]> and & and \xff and \u0085\ufffe")
	f.Fuzz(func(t *testing.T, text string) {
		run := runOf(scenarios.Must, assertions.Fail, assertions.Unsupported, assertions.Weak, assertions.Observed)
		for i := range run.Results {
			result := &run.Results[i]
			result.ID, result.Area, result.Title, result.Reason, result.Why = text, text, text, text, text
			result.Checks = []assertions.Check{{Name: text, Observed: text}}
		}
		run.Client.Name = text
		out := rendered(t, JUnit, run)
		parsed(t, out)
		if i := bytes.IndexFunc(out, func(r rune) bool { return r < ' ' && r != '\n' }); i >= 0 {
			t.Errorf("a control character at byte %d", i)
		}
		if !utf8.Valid(out) {
			t.Error("not UTF-8")
		}
	})
}

func parsed(t *testing.T, data []byte) junitFile {
	t.Helper()
	var file junitFile
	if err := xml.Unmarshal(data, &file); err != nil {
		t.Fatalf("not XML: %v\n%s", err, data)
	}
	return file
}
