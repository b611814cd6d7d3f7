package reports

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
)

// Style is how text is laid out. The zero value is for a pipe: no colors, no
// line broken.
type Style struct {
	// Color marks verdicts and headings by ANSI escape sequences.
	Color bool
	// Width is the screen's, in columns; prose is broken to it. 0 means no
	// limit, and below 40 it counts as 40.
	Width int
}

// The values of a --color option.
const (
	ColorAuto   = "auto"
	ColorAlways = "always"
	ColorNever  = "never"
)

// ColorOn decides about colors: always, never, or (auto, also when empty) on a
// terminal that can show them, unless NO_COLOR is set to anything
// (https://no-color.org). Another choice is an error.
func ColorOn(choice string, terminal bool, env func(string) string) (bool, error) {
	switch choice {
	case ColorAlways:
		return true, nil
	case ColorNever:
		return false, nil
	case ColorAuto, "":
		return LiveOn(terminal, env) && env("NO_COLOR") == "", nil
	default:
		return false, fmt.Errorf("color: expected %s, %s or %s, got %q", ColorAuto, ColorAlways, ColorNever, choice)
	}
}

// LiveOn tells whether a line can be written over: on a terminal that is not dumb.
func LiveOn(terminal bool, env func(string) string) bool {
	return terminal && env("TERM") != "dumb"
}

// The ANSI attributes that are used.
const (
	bold   = "1"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (s Style) paint(attribute, text string) string {
	if !s.Color {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}

// verdict is a verdict in its color, padded to a width that colors do not count in.
func (s Style) verdict(verdict assertions.Verdict, width int) string {
	attribute := yellow
	switch verdict {
	case assertions.Pass, assertions.Observed:
		attribute = green
	case assertions.Fail, assertions.UnexpectedPass, assertions.ClientError, assertions.HarnessError:
		attribute = red
	default:
	}
	padding := strings.Repeat(" ", max(0, width-len(verdict)))
	return s.paint(attribute, string(verdict)) + padding
}

// narrowest is the least width that prose is broken to.
const narrowest = 40

// wrapped breaks a text between words so that, behind an indent of so many
// columns, no line is longer than the width. A longer word stands alone.
func (s Style) wrapped(text string, indent int) []string {
	if s.Width <= 0 {
		return []string{text}
	}
	room := max(s.Width, narrowest) - indent
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > room {
			lines = append(lines, line)
			line = ""
		}
		if line != "" {
			line += " "
		}
		line += word
	}
	return append(lines, line)
}

// clean makes the characters visible that would do something to a terminal:
// what a client says must not move the cursor of who reads the report.
func clean(text string) string {
	var out strings.Builder
	for _, r := range strings.ToValidUTF8(text, "\uFFFD") {
		if strconv.IsPrint(r) {
			out.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRune(r)
		out.WriteString(quoted[1 : len(quoted)-1])
	}
	return out.String()
}

// count is a number and its noun: "1 client", "2 clients".
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// contracts is how many there are.
func contracts(n int) string { return count(n, "contract") }
