package reports

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestJSON(t *testing.T) {
	golden(t, "results.json", rendered(t, JSON, sampleRun()))
}

func TestReadGivesWhatWasWritten(t *testing.T) {
	want := sampleRun()
	got, err := Read(bytes.NewReader(rendered(t, JSON, want)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the run that was read differs (- was written):\n%s", diff)
	}
}

// Lists are never null: a reader need not ask.
func TestAResultOfNothingButAContractHasLists(t *testing.T) {
	e, j := sampleUnsupported()
	run := Assemble(Run{}, []Result{FromEvidence(e, j, Options{Redactor: sampleRedactor()})}, sampleRedactor())
	text := string(rendered(t, JSON, run))
	for line := range strings.Lines(text) {
		if strings.Contains(line, "null") && !strings.Contains(line, `"outcome"`) {
			t.Errorf("null in: %s", line)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	good := string(rendered(t, JSON, sampleRun()))
	for name, test := range map[string]struct{ data, want string }{
		"nothing":           {"", "expected one JSON object"},
		"another format":    {strings.Replace(good, `"format": 1`, `"format": 2`, 1), "expected format 1, got 2"},
		"no format":         {`{"results": []}`, "expected format 1, got 0"},
		"a broken file":     {good[:len(good)/2], "unexpected end of JSON input (line "},
		"two runs":          {good + good, "after top-level value"},
		"an unknown key":    {strings.Replace(good, `"tool"`, `"tools"`, 1), `unknown field "tools"`},
		"a wrong type":      {strings.Replace(good, `"contracts": 8`, `"contracts": "8"`, 1), "(line "},
		"an unknown word":   {strings.Replace(good, `"verdict": "weak"`, `"verdict": "meh"`, 1), `got "meh"`},
		"a contract twice":  {strings.Replace(good, "errors.last-status", "attempts.exact-count", 1), "comes twice"},
		"a result unnamed":  {strings.Replace(good, `"id": "errors.last-status"`, `"id": ""`, 1), "expected the id"},
		"a changed verdict": {strings.Replace(good, `"verdict": "fail"`, `"verdict": "pass"`, 1), "totals: expected"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.data))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("expected an error with %q, got: %v", test.want, err)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add(rendered(f, JSON, sampleRun()))
	f.Add([]byte(`{"format":1,"results":[{"attempts":[{}]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		first := rendered(t, JSON, run)
		again, err := Read(bytes.NewReader(first))
		if err != nil {
			t.Fatalf("what was read and written cannot be read: %v", err)
		}
		if second := rendered(t, JSON, again); !bytes.Equal(first, second) {
			t.Errorf("written twice, it differs:\n%s", cmp.Diff(string(first), string(second)))
		}
	})
}
