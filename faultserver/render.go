package faultserver

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"
)

// A rendering is an answer as it goes out on one exchange.
type rendering struct {
	status int
	// head is everything before the body, 1xx answers included.
	head []byte
	// body is the framed body; content is the number of body bytes in it, what makes
	// a head oversized included.
	body    io.Reader
	content int64
	// cut is how many bytes of the framed body come before the act's strike.
	cut int64
	// keep tells that the connection can be used again after it.
	keep       bool
	retryAfter *SentRetryAfter
}

// A layout is how an answer is framed on one exchange.
type layout struct {
	proto10 bool
	// noBody tells that the answer is sent without its body.
	noBody bool
	// keep is what the request's side allows.
	keep    bool
	framing Framing
	// part tells that the answer is cut after a number of body bytes, and where
	// in chunked framing.
	part  bool
	after int64
	where CutKind
	// room is where the head is written; more is made where it is not enough.
	room []byte
}

// render writes the answer as bytes, with the date as of now; sent is now on
// the session's clock.
func render(a Answer, l layout, now time.Time, sent time.Duration) *rendering {
	r := &rendering{status: a.statusOr(http.StatusOK), keep: l.keep && l.framing != FramingClose}
	if a.Headers.has("Connection", "close") {
		r.keep = false
	}
	head := l.room[:0]
	proto := "HTTP/1.1 "
	if l.proto10 {
		proto = "HTTP/1.0 "
	} else {
		for _, info := range a.Informational {
			head = appendStatus(head, proto, info.Status)
			head = appendHeaders(head, info.Headers)
			head = append(head, "\r\n"...)
		}
	}
	head = appendStatus(head, proto, r.status)
	head = appendHeaders(head, a.Headers)
	if a.RetryAfter != nil {
		head = appendHeader(head, "Retry-After", a.RetryAfter.value(now))
	}
	head = l.appendAdded(head, a, r.status, r.keep, now)
	head = append(head, "\r\n"...)
	r.head = head
	if a.RetryAfter != nil {
		r.retryAfter = readRetryAfter(a.RetryAfter.value(now), now, sent)
	} else if values := a.Headers.Values("Retry-After"); len(values) > 0 {
		r.retryAfter = readRetryAfter(values[0], now, sent)
	}
	r.frame(a, l)
	return r
}

// appendAdded appends the header lines that the answer's own do not have yet.
func (l layout) appendAdded(head []byte, a Answer, status int, keep bool, now time.Time) []byte {
	add := func(name, value string) {
		if !a.Headers.contain(name) {
			head = appendHeader(head, name, value)
		}
	}
	add("Date", dateLine(now))
	switch {
	case bodyless(status):
	case l.framing == FramingChunked:
		add("Transfer-Encoding", "chunked")
	case l.framing == FramingLength:
		add("Content-Length", strconv.FormatInt(a.Body.Len(), 10))
	}
	switch {
	case !keep && !l.proto10:
		add("Connection", "close")
	case keep && l.proto10:
		add("Connection", "keep-alive")
	}
	return head
}

// frame fills in the body, its content length and its cut.
func (r *rendering) frame(a Answer, l layout) {
	if l.noBody {
		r.body = http.NoBody
		return
	}
	content, length := a.Body.Reader(), a.Body.Len()
	r.content = length
	if l.framing != FramingChunked {
		r.body, r.cut = content, l.after
		return
	}
	end := append(appendHeaders([]byte("0\r\n"), a.Trailers), "\r\n"...)
	if !l.part {
		r.body = io.MultiReader(&chunker{content: content}, bytes.NewReader(end))
		return
	}
	// A cut answer is laid out so that the cut falls where it was asked for.
	var parts []io.Reader
	chunk := func(n int64) {
		if n > 0 {
			size := strconv.FormatInt(n, 16) + "\r\n"
			parts = append(parts, bytes.NewBufferString(size), io.LimitReader(content, n), bytes.NewBufferString("\r\n"))
			r.cut += int64(len(size)) + n + 2
		}
	}
	switch l.where {
	case CutBetweenChunks:
		chunk(l.after)
		cut := r.cut
		chunk(length - l.after)
		r.cut = cut
	case CutBeforeLastCRLF:
		chunk(length)
		r.cut += int64(len(end)) - 2
	default:
		chunk(length)
		r.cut -= length - l.after + 2
	}
	r.body = io.MultiReader(append(parts, bytes.NewReader(end))...)
}

func appendStatus(head []byte, proto string, status int) []byte {
	head = strconv.AppendInt(append(head, proto...), int64(status), 10)
	head = append(append(head, ' '), http.StatusText(status)...)
	return append(head, "\r\n"...)
}

func appendHeaders(head []byte, lines Headers) []byte {
	for _, line := range lines {
		head = appendHeader(head, line.Name, line.Value)
	}
	return head
}

func appendHeader(head []byte, name, value string) []byte {
	head = append(append(head, name...), ": "...)
	return append(append(head, value...), "\r\n"...)
}

// A chunker reads content as chunks, without the last one.
type chunker struct {
	content io.Reader
	chunk   bytes.Buffer
	data    [16 << 10]byte
}

func (c *chunker) Read(p []byte) (int, error) {
	if c.chunk.Len() == 0 {
		n, err := io.ReadFull(c.content, c.data[:])
		if n == 0 {
			return 0, err
		}
		fmt.Fprintf(&c.chunk, "%x\r\n", n)
		c.chunk.Write(c.data[:n])
		c.chunk.WriteString("\r\n")
	}
	return c.chunk.Read(p)
}
