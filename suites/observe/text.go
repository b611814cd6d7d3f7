package observe

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode"
)

// Text writes a summary for a reader: a line a topic, what could not be
// observed and why, and what is dangerous.
func Text(out io.Writer, s Summary) error {
	b := bufio.NewWriter(out)
	line := func(format string, values ...any) {
		_, _ = fmt.Fprintln(b, printable(fmt.Sprintf(format, values...))) // Flush tells
	}
	client := strings.TrimSpace(s.Client.Name + " " + s.Client.Version)
	if len(s.Findings) > 0 {
		line("%s does this:", client)
	} else {
		line("%s could not be observed:", client)
	}
	width := len(notObserved)
	for _, finding := range s.Findings {
		line("  %-*s  %s", width, finding.Topic, finding.Text)
	}
	label := notObserved
	for _, unseen := range s.NotObserved {
		line("  %-*s  %s: %s", width, label, strings.Join(unseen.Subjects, ", "), unseen.Reason)
		label = ""
	}
	if len(s.Warnings) > 0 {
		line("")
		line("Dangerous:")
	}
	for _, warning := range s.Warnings {
		line("  %s", warning.Text)
		line("    ruled by %s", warning.Contract)
	}
	if err := b.Flush(); err != nil {
		return fmt.Errorf("write the summary: %w", err)
	}
	return nil
}

// notObserved is the longest label.
const notObserved = "not observed"

// printable is a text with nothing in it that would move a cursor: a client
// names itself.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return unicode.ReplacementChar
	}, text)
}
