package reports

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/faultserver"
)

// The most that stands side by side: more columns than these no screen shows.
const (
	mostSides     = 6
	mostSideCalls = 4
	mostBodyShown = 256 // bytes of a kept body
)

// sideBySide are the requests of one call's attempts, a column each: what was
// sent again should be what was sent before, so that what differs is marked.
type sideBySide struct {
	Call    string
	Columns []string
	Rows    []sideRow
	// Differs tells that any row does.
	Differs bool
}

type sideRow struct {
	Name    string
	Differs bool
	Cells   []sideCell
}

// sideCell is what an attempt has of a row; Absent where it has nothing. Other
// tells that it is not what the call's first attempt has.
type sideCell struct {
	Text          string
	Absent, Other bool
}

// sidesOf are the requests of the first calls that had any; the note says what
// is left out.
func sidesOf(result Result) ([]sideBySide, string) {
	var sides []sideBySide
	left := 0
	for _, call := range callsOf(result) {
		var attempts []Attempt
		for _, i := range call.attempts {
			if attempt := result.Attempts[i]; attempt.Method != "" {
				attempts = append(attempts, attempt)
			}
		}
		switch {
		case len(attempts) == 0:
		case len(sides) == mostSideCalls:
			left++
		default:
			sides = append(sides, newSides(call.token, attempts))
		}
	}
	if left > 0 {
		return sides, fmt.Sprintf("The requests of %d more calls are not shown.", left)
	}
	return sides, ""
}

func newSides(call string, attempts []Attempt) sideBySide {
	side := sideBySide{Call: clean(call)}
	if skipped := len(attempts) - mostSides; skipped > 0 {
		attempts = append(attempts[:mostSides-1:mostSides-1], attempts[len(attempts)-1])
	}
	for _, attempt := range attempts {
		side.Columns = append(side.Columns, fmt.Sprintf("#%d", attempt.Number))
	}
	add := func(name string, value func(Attempt) (string, bool)) {
		if row, has := newSideRow(name, attempts, value); has {
			side.Rows = append(side.Rows, row)
			side.Differs = side.Differs || row.Differs
		}
	}
	add("request line", func(a Attempt) (string, bool) { return a.Method + " " + a.Target + " " + a.Proto, true })
	for _, name := range headerNames(attempts, Attempt.headerLines) {
		add(name, func(a Attempt) (string, bool) { return headerValues(a.Headers, name) })
	}
	add("body", Attempt.bodyText)
	add("body's SHA-256", Attempt.bodyHash)
	for _, name := range headerNames(attempts, Attempt.trailerLines) {
		add("trailer "+name, func(a Attempt) (string, bool) { return headerValues(a.Body.Trailers, name) })
	}
	add("body's first bytes", Attempt.bodyStart)
	return side
}

// newSideRow compares a value of all attempts with that of the first; false
// where none has it.
func newSideRow(name string, attempts []Attempt, value func(Attempt) (string, bool)) (sideRow, bool) {
	row, found := sideRow{Name: clean(name)}, false
	first, firstHas := value(attempts[0])
	for _, attempt := range attempts {
		text, has := value(attempt)
		cell := sideCell{Text: clean(text), Absent: !has, Other: has != firstHas || text != first}
		row.Differs = row.Differs || cell.Other
		found = found || has
		row.Cells = append(row.Cells, cell)
	}
	return row, found
}

func (a Attempt) headerLines() faultserver.Headers  { return a.Headers }
func (a Attempt) trailerLines() faultserver.Headers { return a.Body.Trailers }

// headerNames are the names of all lines, each once whatever its case, in the
// order in which they first came.
func headerNames(attempts []Attempt, lines func(Attempt) faultserver.Headers) []string {
	var names []string
	for _, attempt := range attempts {
		for _, line := range lines(attempt) {
			if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, line.Name) }) {
				names = append(names, line.Name)
			}
		}
	}
	return names
}

// headerValues are the values of all lines of a name.
func headerValues(lines faultserver.Headers, name string) (string, bool) {
	var values []string
	for _, line := range lines {
		if strings.EqualFold(line.Name, name) {
			values = append(values, line.Value)
		}
	}
	return strings.Join(values, " · "), len(values) > 0
}

func (a Attempt) bodyText() (string, bool) {
	text := fmt.Sprintf("%d B", a.Body.Received)
	switch {
	case a.Body.Chunked:
		text += " in chunks"
	case a.Body.Declared >= 0:
		text += fmt.Sprintf(" of %d B declared", a.Body.Declared)
	case a.Body.Received == 0:
		return "none", true
	}
	if !a.Body.Complete {
		text += ", cut"
	}
	return text, true
}

func (a Attempt) bodyHash() (string, bool) { return a.Body.SHA256, a.Body.Received > 0 }

// bodyStart is the beginning of a body that was kept: text as it is, else bytes
// in hexadecimal.
func (a Attempt) bodyStart() (string, bool) {
	kept := a.Body.Kept
	more := ""
	if len(kept) > mostBodyShown {
		kept, more = kept[:mostBodyShown], "…"
	}
	text := strings.ToValidUTF8(string(kept), "")
	printable := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) && !unicode.IsSpace(r) }) < 0
	if !printable || len(kept)-len(text) >= utf8.UTFMax {
		text = hex.EncodeToString(kept)
	}
	return text + more, len(kept) > 0
}
