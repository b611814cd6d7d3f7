package reports

import (
	"slices"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// sidesWith are the requests of a call whose attempts were changed.
func sidesWith(t *testing.T, attempts int, change func(i int, a *faultserver.Attempt)) sideBySide {
	t.Helper()
	e, j := samplePass()
	e.Journal.Attempts = nil
	for i := range attempts {
		a := answered(i+1, "PUT", 503, ms(10*i))
		change(i, &a)
		e.Journal.Attempts = append(e.Journal.Attempts, a)
	}
	sides, note := sidesOf(FromEvidence(e, j, Options{Redactor: sampleRedactor(), Bodies: true}))
	if len(sides) != 1 || note != "" {
		t.Fatalf("expected the requests of one call, got %d, %q", len(sides), note)
	}
	return sides[0]
}

func (s sideBySide) row(name string) sideRow {
	for _, row := range s.Rows {
		if row.Name == name {
			return row
		}
	}
	return sideRow{}
}

func TestWhatDiffersIsMarked(t *testing.T) {
	side := sidesWith(t, 3, func(i int, a *faultserver.Attempt) {
		a.Headers = faultserver.Headers{{Name: "X-Same", Value: "1"}, {Name: []string{"X-Case", "x-case", "X-CASE"}[i], Value: "v"}}
		if i == 0 {
			a.Headers = append(a.Headers, faultserver.Header{Name: "If-Match", Value: `"v3"`})
		}
		a.Body = faultserver.BodyReceipt{Declared: 4, Received: []int64{4, 0, 4}[i], Complete: i != 1, SHA256: "aa", Kept: []byte("body")}
	})
	for name, want := range map[string][]bool{
		"request line":       {false, false, false},
		"X-Same":             {false, false, false},
		"X-Case":             {false, false, false},
		"If-Match":           {false, true, true},
		"body":               {false, true, false},
		"body's SHA-256":     {false, true, false},
		"body's first bytes": {false, false, false},
	} {
		row := side.row(name)
		if got := mapped(row.Cells, func(c sideCell) bool { return c.Other }); !slices.Equal(got, want) || row.Differs != slices.Contains(want, true) {
			t.Errorf("%s: expected the marks %v, got %v (%+v)", name, want, got, row)
		}
	}
	if cell := side.row("If-Match").Cells[1]; !cell.Absent {
		t.Errorf("expected an absent header to be said so, got %+v", cell)
	}
	if !side.Differs {
		t.Error("expected the whole to differ")
	}
}

func TestHeadersThatComeTwiceAreBothShown(t *testing.T) {
	side := sidesWith(t, 1, func(_ int, a *faultserver.Attempt) {
		a.Headers = faultserver.Headers{{Name: "Accept", Value: "a"}, {Name: "Accept", Value: "b"}}
	})
	if got := side.row("Accept").Cells[0].Text; got != "a · b" {
		t.Errorf("got %q", got)
	}
}

func TestABodyThatIsNoTextIsShownInHexadecimal(t *testing.T) {
	for kept, want := range map[string]string{
		"a\x00\xff": "6100ff", "plain ä": "plain ä",
		strings.Repeat("x", mostBodyShown+1): strings.Repeat("x", mostBodyShown) + "…",
	} {
		side := sidesWith(t, 1, func(_ int, a *faultserver.Attempt) { a.Body.Kept, a.Body.Received = []byte(kept), 9 })
		if got := side.row("body's first bytes").Cells[0].Text; got != want {
			t.Errorf("%q: got %q", kept, got)
		}
	}
}

func TestManyRequestsAreCapped(t *testing.T) {
	side := sidesWith(t, 20, func(int, *faultserver.Attempt) {})
	if want := []string{"#1", "#2", "#3", "#4", "#5", "#20"}; !slices.Equal(side.Columns, want) {
		t.Errorf("expected the columns %v, got %v", want, side.Columns)
	}
	sides, note := sidesOf(manyAttempts("a.b", 7, 2))
	if len(sides) != mostSideCalls || !strings.Contains(note, "3 more calls") {
		t.Errorf("expected %d calls and a note on the rest, got %d, %q", mostSideCalls, len(sides), note)
	}
}

func TestAStruckConnectionHasNoRequest(t *testing.T) {
	e, j := samplePass()
	e.Journal.Attempts = []faultserver.Attempt{answered(1, "", 0, ms(1))}
	if sides, _ := sidesOf(FromEvidence(e, j, Options{Redactor: sampleRedactor()})); len(sides) != 0 {
		t.Errorf("got %+v", sides)
	}
}
