package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A Problem is something wrong in a contract file, with its place.
type Problem struct {
	File string `json:"file"`
	// Line and Column count from 1, in characters; 0 means that the place is
	// not known.
	Line   int `json:"line"`
	Column int `json:"column"`
	// Path is the place in the document, such as "calls[0].method".
	Path string `json:"path,omitempty"`
	// Rule is the lint rule that is broken; empty for what cannot be read at all.
	Rule string `json:"rule,omitempty"`
	// Message says what was expected and what came.
	Message string `json:"message"`
	// LineText is the line it stands in, as it was written.
	LineText string `json:"line_text,omitempty"`
	// Suggestion is the nearest word that would have been understood; empty
	// where none is near.
	Suggestion string `json:"suggestion,omitempty"`
}

// Error is the problem as a reader wants it: the place, what is wrong, the
// nearest word, and the line with a caret.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.position())
	if p.Path != "" {
		fmt.Fprintf(&b, "%s: ", p.Path)
	}
	b.WriteString(p.Message)
	if p.Suggestion != "" {
		fmt.Fprintf(&b, "; did you mean %q?", p.Suggestion)
	}
	if p.Rule != "" {
		fmt.Fprintf(&b, " [%s]", p.Rule)
	}
	if p.LineText != "" {
		line, caret := excerpt(p.LineText, p.Column)
		fmt.Fprintf(&b, "\n    %s\n    %s^", line, strings.Repeat(" ", caret))
	}
	return b.String()
}

func (p Problem) position() string {
	switch {
	case p.File == "" && p.Line == 0:
		return ""
	case p.Line == 0:
		return p.File + ": "
	case p.Column == 0:
		return fmt.Sprintf("%s:%d: ", p.File, p.Line)
	default:
		return fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Column)
	}
}

// excerptWidth is how many characters of a line are shown on either side of
// the caret, so that a file without line breaks does not flood a terminal.
const excerptWidth = 60

// excerpt cuts a line to what stands around a column, and says how many
// characters then come before that column.
func excerpt(line string, column int) (text string, before int) {
	before = max(column-1, 0)
	runes := []rune(line)
	from := max(before-excerptWidth, 0)
	to := min(before+excerptWidth, len(runes))
	if from >= to {
		return line, before
	}
	text = strings.ReplaceAll(string(runes[from:to]), "\t", " ")
	before -= from
	if from > 0 {
		text = "…" + text
		before++
	}
	if to < len(runes) {
		text += "…"
	}
	return text, before
}

// Problems are all that is wrong in a file or in several, in their order. As
// an error it says each.
type Problems []Problem

// Error joins the problems, one below the other.
func (ps Problems) Error() string {
	lines := make([]string, 0, len(ps))
	for _, p := range ps {
		lines = append(lines, p.Error())
	}
	return strings.Join(lines, "\n")
}

// asError is nil for no problems, which a nil Problems in an error is not.
func (ps Problems) asError() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// clipped keeps the first problems of a file, and says how many more there are.
func (ps Problems) clipped(file string) Problems {
	if len(ps) <= maxProblems {
		return ps
	}
	more := Problem{File: file, Message: fmt.Sprintf("%d more problems are not shown", len(ps)-maxProblems)}
	return append(ps[:maxProblems:maxProblems], more)
}

// inOrder sorts by file and place; problems of one place keep their order.
func (ps Problems) inOrder() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps
}
