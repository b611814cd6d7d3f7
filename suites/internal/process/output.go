package process

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// An Excerpt is what was kept of an output.
type Excerpt struct {
	// Head is its beginning and Tail its end. A short output is all in Head.
	Head, Tail []byte
	// Total is how many bytes there were.
	Total int64
}

// capture keeps both ends of what is written to it.
type capture struct {
	limit int
	head  []byte
	// tail is a ring once it has its full length; next is where it is written.
	tail  []byte
	next  int
	total int64
}

// Write implements io.Writer. It never fails.
func (c *capture) Write(p []byte) (int, error) {
	written := len(p)
	c.total += int64(written)
	room := min(c.limit-len(c.head), len(p))
	c.head = append(c.head, p[:room]...)
	p = p[room:]
	if len(p) > c.limit {
		p = p[len(p)-c.limit:]
	}
	room = min(c.limit-len(c.tail), len(p))
	c.tail = append(c.tail, p[:room]...)
	for p = p[room:]; len(p) > 0; {
		n := copy(c.tail[c.next:], p)
		c.next = (c.next + n) % c.limit
		p = p[n:]
	}
	return written, nil
}

// excerpt is what was kept.
func (c *capture) excerpt() Excerpt {
	tail := make([]byte, 0, len(c.tail))
	tail = append(tail, c.tail[c.next:]...)
	tail = append(tail, c.tail[:c.next]...)
	return Excerpt{Head: c.head, Tail: tail, Total: c.total}
}

// LastLine is the last line that has something on it, cut to what a message
// bears, without what would move a terminal's cursor.
func (e Excerpt) LastLine() string {
	text := e.text()
	return bearable(text[strings.LastIndexAny(text, "\r\n")+1:])
}

// uncaught begins, or is in, the line by which a language says what ended a
// program: Node.js, PHP, Ruby and Go say more below it, such as the stack.
var uncaught = regexp.MustCompile(`(Error|Exception)\b|^panic: |Fatal error`)

// TellingLine is the last line that names an uncaught error and is not of its
// stack, whose lines are indented; where there is none, it is the LastLine.
func (e Excerpt) TellingLine() string {
	lines := strings.FieldsFunc(e.text(), func(r rune) bool { return r == '\r' || r == '\n' })
	for _, line := range slices.Backward(lines) {
		if line[0] != ' ' && line[0] != '\t' && uncaught.MatchString(line) {
			return bearable(line)
		}
	}
	return e.LastLine()
}

func (e Excerpt) text() string {
	return strings.TrimSpace(strings.ToValidUTF8(string(e.Head)+string(e.Tail), "\uFFFD"))
}

// bearable is a line as a message bears it.
func bearable(text string) string {
	const longest = 300
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > longest {
		text = string(runes[:longest]) + "…"
	}
	return text
}
