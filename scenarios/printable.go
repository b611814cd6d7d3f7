package scenarios

import (
	"strings"
	"unicode"
)

// OneLine tells whether a text of somebody else's, such as a title or a client's
// name, can be shown as it is: a control character in it would move a reader's
// cursor, and a line break tear a table.
func OneLine(text string) bool { return !strings.ContainsFunc(text, unicode.IsControl) }
