package doctor

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"slices"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A reply is an answer as far as it has arrived.
type reply struct {
	// interim are the statuses of 1xx answers before it.
	interim []int
	// line is the status line; empty until the head has arrived.
	line    string
	status  int
	headers faultserver.Headers
	// raw is what came after the head, body its content.
	raw, body []byte
	// complete tells that the body's end came as declared.
	complete bool
}

var endOfHead = []byte("\r\n\r\n")

// lastChunk ends a chunked body without trailers.
const lastChunk = "0\r\n\r\n"

// readReply reads one answer, after its 1xx ones, and gives what follows it.
func readReply(heard []byte) (r reply, rest []byte) {
	for {
		head, after, whole := bytes.Cut(heard, endOfHead)
		if !whole {
			return r, nil
		}
		line, fields, _ := strings.Cut(string(head), "\r\n")
		status := statusOf(line)
		if status >= 100 && status < 200 && status != 101 {
			r.interim, heard = append(r.interim, status), after
			continue
		}
		r.line, r.status, r.raw = line, status, after
		for field := range strings.SplitSeq(fields, "\r\n") {
			name, value, _ := strings.Cut(field, ":")
			r.headers = append(r.headers, faultserver.Header{Name: name, Value: strings.TrimSpace(value)})
		}
		return r, r.readBody()
	}
}

// statusOf is the status of a status line; 0 for one that is none.
func statusOf(line string) int {
	version, rest, _ := strings.Cut(line, " ")
	code, _, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || !strings.HasPrefix(version, "HTTP/") {
		return 0
	}
	return status
}

// readBody reads the content, and gives what follows it. An answer that declares
// no end has none before the connection's.
func (r *reply) readBody() (rest []byte) {
	if strings.EqualFold(r.headers.Get("Transfer-Encoding"), "chunked") {
		in := bytes.NewReader(r.raw)
		content, err := io.ReadAll(httputil.NewChunkedReader(in))
		r.body = content
		if err != nil {
			return nil
		}
		// The reader takes more than its own; the body ends with the empty trailer.
		if end := bytes.Index(r.raw, []byte(lastChunk)); end == 0 || end > 0 && r.raw[end-1] == '\n' {
			r.complete, rest = true, r.raw[end+len(lastChunk):]
			r.raw = r.raw[:end+len(lastChunk)]
		}
		return rest
	}
	if r.status == http.StatusNoContent || r.status == http.StatusNotModified {
		rest, r.raw, r.complete = r.raw, nil, true
		return rest
	}
	r.body = r.raw
	length, err := strconv.Atoi(r.headers.Get("Content-Length"))
	if err != nil || length < 0 {
		return nil
	}
	if len(r.raw) >= length {
		r.complete, rest = true, r.raw[length:]
		r.raw, r.body = r.raw[:length], r.raw[:length]
	}
	return rest
}

// values are the values of all lines of a field.
func values(headers faultserver.Headers, name string) []string {
	var list []string
	for _, header := range headers {
		if strings.EqualFold(header.Name, name) {
			list = append(list, header.Value)
		}
	}
	return list
}

// An ending is how listening to a connection ended.
type ending int

const (
	// whole: what was listened for has come.
	whole ending = iota
	fin
	rst
	// silent: nothing more came while the patience lasted.
	silent
	// flood: more came than any answer has, and the rest was not listened to.
	flood
)

// describe is what came and how it ended, for a reader.
func (e *examination) describe(heard []byte, end ending) string {
	r, _ := readReply(heard)
	var parts []string
	switch {
	case r.line != "":
		text := strings.TrimPrefix(r.line, "HTTP/1.1 ")
		if r.complete {
			text += fmt.Sprintf(" with %d bytes", len(r.body))
		} else {
			text += fmt.Sprintf(" and %d bytes, not the end", len(r.body))
		}
		parts = append(parts, text)
	case len(heard) > 0 && len(r.interim) == 0:
		parts = append(parts, fmt.Sprintf("%d bytes of no answer", len(heard)))
	case len(r.interim) > 0:
		parts = append(parts, fmt.Sprintf("%d and no answer", r.interim[0]))
	}
	switch {
	case end == fin && len(parts) == 0:
		parts = append(parts, "FIN and no answer")
	case end == fin:
		parts = append(parts, "FIN")
	case end == rst:
		parts = append(parts, "RST")
	case end == silent && len(parts) == 0:
		parts = append(parts, fmt.Sprintf("nothing within %v", e.options.Patience))
	case end == silent:
		parts = append(parts, fmt.Sprintf("nothing more within %v", e.options.Patience))
	case end == flood:
		parts = append(parts, "more than any answer has")
	}
	return strings.Join(parts, ", then ")
}

// A comparison is what became of header lines on their way.
type comparison struct {
	// lost lines have not arrived, or with another value.
	lost []string
	// added are the names of lines that nobody sent.
	added []string
	// reordered tells that the lines arrived in another order or case.
	reordered bool
}

// compare looks for each line that was sent among those that came.
func compare(sent, came faultserver.Headers) comparison {
	var c comparison
	var names []string
	for _, header := range sent {
		names = append(names, strings.ToLower(header.Name))
	}
	var kept faultserver.Headers
	for _, header := range came {
		if slices.Contains(names, strings.ToLower(header.Name)) {
			kept = append(kept, header)
		} else if !slices.Contains(c.added, header.Name) {
			c.added = append(c.added, header.Name)
		}
	}
	for i, name := range names {
		if slices.Index(names, name) != i {
			continue // looked at with the first of its lines
		}
		want, got := values(sent, name), values(came, name)
		switch {
		case len(got) == 0:
			c.lost = append(c.lost, sent[i].Name+" is gone")
		case !slices.Equal(want, got):
			c.lost = append(c.lost, fmt.Sprintf("%s is %s", sent[i].Name, strings.Join(got, " | ")))
		}
	}
	c.reordered = len(c.lost) == 0 && !slices.Equal(sent, kept)
	return c
}

// remarks are what differs and changes no verdict.
func (c comparison) remarks() []string {
	var list []string
	if len(c.added) > 0 {
		list = append(list, "adds "+strings.Join(c.added, ", "))
	}
	if c.reordered {
		list = append(list, "other order or case")
	}
	return list
}
