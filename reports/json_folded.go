package reports

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// foldedWidth is how long a value may be, in bytes, that stands on one line.
const foldedWidth = 200

// writeFolded writes a value as JSON in which an object or a list that is short
// stands on one line: as readable as an indented one, and a third of its lines.
func writeFolded(w io.Writer, value any) error {
	var plain bytes.Buffer
	encoder := json.NewEncoder(&plain)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err
	}
	var folded bytes.Buffer
	if err := fold(&folded, bytes.TrimSpace(plain.Bytes()), 0); err != nil {
		return err
	}
	folded.WriteByte('\n')
	_, err := folded.WriteTo(w)
	return err
}

// fold writes a value of compact JSON at an indent.
func fold(out *bytes.Buffer, value json.RawMessage, indent int) error {
	first := value[0]
	if first != '{' && first != '[' || indent > 0 && len(value) <= foldedWidth {
		out.WriteString(spaced(value))
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(value))
	if _, err := decoder.Token(); err != nil { // the opening bracket
		return err
	}
	out.WriteByte(first)
	for n := 0; decoder.More(); n++ {
		if n > 0 {
			out.WriteByte(',')
		}
		out.WriteString("\n" + strings.Repeat("  ", indent+1))
		if first == '{' {
			key, err := decoder.Token()
			if err != nil {
				return err
			}
			fmt.Fprintf(out, "%q: ", key)
		}
		var inner json.RawMessage
		if err := decoder.Decode(&inner); err != nil {
			return err
		}
		if err := fold(out, inner, indent+1); err != nil {
			return err
		}
	}
	out.WriteString("\n" + strings.Repeat("  ", indent))
	out.WriteByte(value[len(value)-1])
	return nil
}

// spaced is compact JSON with a space after each comma and colon outside of texts.
func spaced(value []byte) string {
	var out strings.Builder
	inText, escaped := false, false
	for _, c := range value {
		out.WriteByte(c)
		switch {
		case escaped:
			escaped = false
		case inText && c == '\\':
			escaped = true
		case c == '"':
			inText = !inText
		case !inText && (c == ',' || c == ':'):
			out.WriteByte(' ')
		}
	}
	return out.String()
}
