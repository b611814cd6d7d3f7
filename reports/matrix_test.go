package reports

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// sampleColumns are the sample as judged with one client, as that of a driver with
// two contracts that end otherwise, and one that was not run.
func sampleColumns() []Column {
	first := sampleRun()
	first.Results = slices.Clone(first.Results)
	for i := range first.Results {
		if first.Results[i].Verdict == assertions.KnownFail {
			first.Results[i].Known = &KnownFailure{Reason: "the exit code has no room for it", Link: "https://example.com/issues/7?a=1&b=2"}
			first.Results[i].Reason = "the exit code has no room for it (https://example.com/issues/7?a=1&b=2); outcome: an error without the status, after 41.2ms"
		}
	}
	second := sampleRun()
	second.Client = Client{
		Name: "httpx", Version: "1.2.0", Language: "Python 3.11.2", Kind: "driver",
		Capabilities: []scenarios.Capability{scenarios.CanRetry}, Promises: new(scenarios.Policy),
	}
	second.Client.Promises.Attempts = new(int)
	*second.Client.Promises.Attempts = 2
	second.Results = slices.Clone(second.Results[1:])
	second.Results[0].Verdict, second.Results[0].Reason = assertions.ClientError, "the driver ended"
	second.Results[1].Verdict, second.Results[1].Reason = assertions.HarnessError, "the machine was 90ms late"
	second.Totals = totals(second.Results)
	return []Column{
		NewColumn(first, "curl with --retry", []string{"faultsrv", "test", "--client", "suites/clients/curl/profile.yaml", "--level", "all"}),
		NewColumn(second, "httpx | with <retries>", []string{"faultsrv", "test", "--client", "a b.yaml"}),
	}
}

func sampleMatrix(t *testing.T) Matrix {
	t.Helper()
	made, err := NewMatrix(sampleColumns(), map[string]string{"curl": "evidence/curl.html"})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

func rendersAs(t *testing.T, name string, render func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	if err := render(&out); err != nil {
		t.Fatal(err)
	}
	golden(t, name, out.Bytes())
	return out.String()
}

func TestTheMatrixInItsForms(t *testing.T) {
	made := sampleMatrix(t)
	forms := []string{
		rendersAs(t, "matrix.md", func(w io.Writer) error { return MatrixMarkdown(w, made) }),
		rendersAs(t, "matrix.html", func(w io.Writer) error { return MatrixHTML(w, made) }),
		rendersAs(t, "matrix-column.json", func(w io.Writer) error { return ColumnJSON(w, made.Columns[1]) }),
	}
	for _, form := range forms {
		for _, secret := range sampleSecrets {
			if strings.Contains(form, secret) {
				t.Errorf("the secret %q stands in:\n%s", secret, form)
			}
		}
	}
}

// A column is what a run with other times gives too.
func TestAColumnDoesNotVary(t *testing.T) {
	first, second := sampleRun(), sampleRun()
	second.Meta.Seed, second.Meta.Started = 9, time.Time{}
	for i := range second.Results {
		result := &second.Results[i]
		result.Meta = ResultMeta{}
		for j := range result.Attempts {
			result.Attempts[j].Meta = AttemptMeta{Arrived: ms(7 * j), EndLatest: ms(9 * j)}
		}
		result.Checks = slices.Clone(result.Checks)
		for j := range result.Checks {
			result.Checks[j].Observed = strings.NewReplacer("41 ms", "39 ms", "1.007 s", "1.2 s").Replace(result.Checks[j].Observed)
		}
	}
	if diff := cmp.Diff(column(t, first), column(t, second)); diff != "" {
		t.Error(diff)
	}
}

// How much of a body came before a fault is chance, and so is what a client that goes
// on where it stopped has left of it. A whole body is none.
func TestACellHasNoLengthThatIsChance(t *testing.T) {
	attempt := func(number int, at string, received int64) Attempt {
		return Attempt{
			Call: "put", Number: number, Method: "PUT", Target: "/", Intended: faultserver.Effect{At: at},
			Body: Body{Declared: received, Received: received, Complete: true},
		}
	}
	for _, c := range []struct {
		at   string
		then int64
		want []string
	}{
		{"request-body@64KiB", 700, []string{"as much as was taken", "as much as was left"}},
		{"request-body@64KiB", 1000, []string{"as much as was taken", "1,000 B"}},
		{"request-end", 700, []string{"600 B", "700 B"}},
	} {
		made := cellAttempts(Result{
			Calls:    []Call{{Token: "put", Name: "put", BodyLength: 1000}},
			Attempts: []Attempt{attempt(1, c.at, 600), attempt(2, "request-end", c.then)},
		})
		bodies := mapped(made, func(a CellAttempt) string { return a.Body })
		if diff := cmp.Diff(c.want, bodies); diff != "" {
			t.Errorf("after a fault at %s, %d bytes:\n%s", c.at, c.then, diff)
		}
	}
}

func column(t *testing.T, run Run) string {
	t.Helper()
	var out strings.Builder
	if err := ColumnJSON(&out, NewColumn(run, "", nil)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestAColumnIsReadAsItWasWritten(t *testing.T) {
	for _, written := range sampleColumns() {
		var file bytes.Buffer
		if err := ColumnJSON(&file, written); err != nil {
			t.Fatal(err)
		}
		text := file.String()
		read, err := ReadColumn(&file)
		if err != nil {
			t.Fatal(err)
		}
		var again strings.Builder
		if err := ColumnJSON(&again, read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, again.String()); diff != "" {
			t.Error(diff)
		}
	}
}

func TestAColumnThatIsNone(t *testing.T) {
	for text, want := range map[string]string{
		``:                          "expected one JSON object",
		`{"format": 9}`:             "expected format 1, got 9",
		`{"format": 1, "cels": []}`: "expected the keys and types",
		`{"format": 1}`:             "client: expected its name, got none",
		`{"format": 1, "client": {"name": "x"}, "cells": [{"id": "b", "verdict": "pass"}, {"id": "a", "verdict": "pass"}]}`: `cell 2: expected the ids in order, each once; got "a" after "b"`,
		`{"format": 1, "client": {"name": "x"}, "cells": [{"id": "b", "verdict": "good"}]}`:                                 `expected one of the verdicts`,
	} {
		if _, err := ReadColumn(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want it to say %q", text, err, want)
		}
	}
}

func TestTimesAreLeftOut(t *testing.T) {
	for text, want := range map[string]string{
		"1.0016s, 1.0006s, … (8 in all)":      "(times), … (8 in all)",
		"at most 1s after its cancellation":   "at most (time) after its cancellation",
		"51µs":                                "(time)",
		"41 ms":                               "(time)",
		"1m30.5s later":                       "(time) later",
		"2,818,048 bytes (cut), the source's": "a part (cut), the source's",
		"4,096 of 65,536 B":                   "a part of 65,536 B",
		"status 503, 2 times":                 "status 503, 2 times",
		`"max-age=30s"`:                       `"max-age=(time)"`,
		"-4.1ms":                              "(time)",
		"body (and 7 more like it)":           "body (and more like it)",
		"150.1ms, 2 times":                    "(times)",
		"Retry-After: Mon, 30 Nov 2026 11:50:29 GMT asks": "Retry-After: (date) asks",
		"Retry-After: Mon Nov 30 11:47:27 2026 asks":      "Retry-After: (date) asks",
		"Retry-After: Monday, 30-Nov-26 11:47:27 GMT ask": "Retry-After: (date) ask",
	} {
		if got := timeless(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"at least 100ms, 300ms (what the policy says)":      "at least 100ms, 300ms (what the policy says)",
		"at least 1.4989s (what Retry-After asks for)":      "at least (time) (what Retry-After asks for)",
		"at least 1.5s (what Retry-After asks for)":         "at least (time) (what Retry-After asks for)",
		"at least 2s (what Retry-After asks for)":           "at least 2s (what Retry-After asks for)",
		"none within 800ms of 1.6s after attempt 1 arrived": "none within 800ms of 1.6s after attempt 1 arrived",
	} {
		if got := roundTimes(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestAColumnOfALevelThatThereIsNotIsRefused(t *testing.T) {
	made := sampleColumns()[0]
	made.Cells[0].Level = "<b>must</b>"
	var file bytes.Buffer
	if err := ColumnJSON(&file, made); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadColumn(&file); err == nil || !strings.Contains(err.Error(), `expected one of the levels ["must" "should" "observe"], got "<b>must</b>"`) {
		t.Errorf("got %v, want it refused", err)
	}
}

func TestChangesOfAColumn(t *testing.T) {
	was := Column{Client: ColumnClient{Name: "x"}, Cells: []Cell{
		{ID: "a", Verdict: assertions.Pass}, {ID: "b", Verdict: assertions.KnownFail}, {ID: "c", Verdict: assertions.Fail}, {ID: "d", Verdict: assertions.Pass},
	}}
	is := Column{Client: ColumnClient{Name: "x"}, Cells: []Cell{
		{ID: "a", Verdict: assertions.Pass}, {ID: "b", Verdict: assertions.UnexpectedPass, Reason: "it passes"},
		{ID: "d", Verdict: assertions.HarnessError, Reason: "too busy"}, {ID: "e", Verdict: assertions.Weak, Reason: "1 of 2"},
	}}
	changed, void := Changes(was, is)
	var lines []string
	for _, change := range changed {
		lines = append(lines, change.String())
	}
	want := []string{
		"x, b: was known-fail, is unexpected-pass: It passes.", "x, c: was fail, is not there", "x, e: was not there, is weak: 1 of 2.",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if len(void) != 1 || void[0].Contract != "d" || len(is.Void()) != 1 {
		t.Errorf("void %v; want d alone, which is no change", void)
	}
	if same, _ := Changes(was, was); same != nil {
		t.Errorf("a column differs from itself: %v", same)
	}
}

func TestTheMatrixesOrder(t *testing.T) {
	columns := []Column{
		{Client: ColumnClient{Name: "wget", Kind: "exec"}}, {Client: ColumnClient{Name: "nginx", Kind: "service"}},
		{Client: ColumnClient{Name: "undici", Kind: "driver", Language: "Node.js v20.20.2"}},
		{Client: ColumnClient{Name: "resilient", Kind: "in-process"}}, {Client: ColumnClient{Name: "resty", Kind: "driver", Language: "go1.26.8"}},
		{Client: ColumnClient{Name: "okhttp", Kind: "driver", Language: "Java 17.0.15"}},
	}
	made, err := NewMatrix(columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, column := range made.Columns {
		order = append(order, column.Group()+": "+column.Client.Name)
	}
	want := []string{"Go: resilient", "Go: resty", "Java: okhttp", "Node.js: undici", "Programs: wget", "Services: nginx"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if _, err := NewMatrix(append(columns, columns[0]), nil); err == nil || !strings.Contains(err.Error(), `two clients are called "wget"`) {
		t.Errorf("two of one name: got %v", err)
	}
	if _, err := NewMatrix(nil, nil); err == nil {
		t.Error("a matrix of no client is one")
	}
}

func TestFoldedJSONIsTheSameValue(t *testing.T) {
	value := map[string]any{"a": []any{"x, y: \"z\\", strings.Repeat("long", 60), map[string]any{}, []any{}}, "b": nil, "<c>": 1.5}
	var folded, plain bytes.Buffer
	if err := writeFolded(&folded, value); err != nil {
		t.Fatal(err)
	}
	plain.WriteString("{\n  \"<c>\": 1.5,\n  \"a\": [\n    \"x, y: \\\"z\\\\\",\n    \"" + strings.Repeat("long", 60) + "\",\n    {},\n    []\n  ],\n  \"b\": null\n}\n")
	if diff := cmp.Diff(plain.String(), folded.String()); diff != "" {
		t.Error(diff)
	}
}
