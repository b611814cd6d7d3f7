package observe

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// draftHead is what the reader of a draft has to know.
const draftHead = `# A draft, made of what was observed and not of what the client promises. Hold
# each line to its manual before anything is judged by it; docs/profiles.md
# explains the keys.
`

// Draft writes the draft of a profile for a command: how it is started, and as
// its promises the policy that it was seen to follow.
func Draft(out io.Writer, s Summary, command []string) error {
	var text strings.Builder
	text.WriteString(draftHead)
	fmt.Fprintf(&text, "kind: exec\nname: %s\ncommand: %s\n", quoted(s.Client.Name), listOf(command, quoted))
	if lines := promiseLines(s.Promises); len(lines) > 0 {
		fmt.Fprintf(&text, "promises:\n  %s\n", strings.Join(lines, "\n  "))
	}
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write the draft of the profile: %w", err)
	}
	return nil
}

// promiseLines are those fields of a policy that were seen.
func promiseLines(p scenarios.Policy) []string {
	var lines []string
	if p.Attempts != nil {
		lines = append(lines, fmt.Sprintf("attempts: %d", *p.Attempts))
	}
	if p.Backoff != nil {
		lines = append(lines, "backoff: "+backoffText(*p.Backoff))
	}
	if p.Timeouts != nil {
		lines = append(lines, fmt.Sprintf("timeouts: {attempt: %s}", faultserver.FormatDuration(p.Timeouts.Attempt)))
	}
	if len(p.Statuses) > 0 {
		lines = append(lines, "statuses: "+listOf(p.Statuses, strconv.Itoa))
	}
	return lines
}

func backoffText(b scenarios.Backoff) string {
	switch {
	case b.Constant != nil:
		return fmt.Sprintf("{constant: %s}", faultserver.FormatDuration(*b.Constant))
	case b.Linear != nil:
		return fmt.Sprintf("{linear: %s}", faultserver.FormatDuration(*b.Linear))
	case b.Factor != 0:
		return fmt.Sprintf("{exponential: %s, factor: %v}", faultserver.FormatDuration(*b.Exponential), b.Factor)
	default:
		return fmt.Sprintf("{exponential: %s}", faultserver.FormatDuration(*b.Exponential))
	}
}

// listOf is a list as YAML on one line.
func listOf[T any](values []T, text func(T) string) string {
	items := make([]string, len(values))
	for i, value := range values {
		items[i] = text(value)
	}
	return "[" + strings.Join(items, ", ") + "]"
}

// quoted is a text as YAML on one line, of which JSON is a part.
func quoted(value string) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(value) //nolint:errchkjson // a string can always be encoded
	return strings.TrimSpace(text.String())
}
