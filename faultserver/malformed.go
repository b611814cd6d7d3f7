package faultserver

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Malformed gives an answer that breaks the protocol in one way. Everything
// else about it is right. It speaks HTTP/1.1 whatever the client speaks.
type Malformed struct {
	// What is broken.
	What Malformation `yaml:"what"`
	// Answer is the answer that is broken. Without a body it gets one of 1,000
	// bytes.
	Answer Answer `yaml:"answer"`
	// Head is the length of an oversized head; 0 means 16 MiB, more than any
	// known client takes (the most generous, Go's net/http, takes 10 MiB).
	Head Size `yaml:"head"`
}

// Malformation is a way to break an answer. Those after which nobody can know
// where the answer ends are followed by FIN.
type Malformation string

// The malformations.
const (
	// BadChunkSize: the first chunk's size is no hexadecimal number. FIN follows.
	BadChunkSize Malformation = "bad-chunk-size"
	// BadCRLF: the first chunk does not end in CRLF. FIN follows.
	BadCRLF Malformation = "bad-crlf"
	// TwoLengths: two Content-Length lines that differ, the second being the
	// body's. FIN follows.
	TwoLengths Malformation = "two-lengths"
	// TwoLengthsFirst: two Content-Length lines that differ, the first being the
	// body's. FIN follows.
	TwoLengthsFirst Malformation = "two-lengths-first"
	// LengthAndChunked: a Content-Length line beside chunked framing. FIN follows.
	LengthAndChunked Malformation = "length-and-chunked"
	// OversizedHead: header lines of 8 KiB, as many as it takes. FIN follows.
	OversizedHead Malformation = "oversized-head"
	// BadStatusLine: a status of letters. FIN follows.
	BadStatusLine Malformation = "bad-status-line"
	// WrongDigest: Content-Digest and Repr-Digest (RFC 9530) of another body.
	WrongDigest Malformation = "wrong-digest"
	// BrokenGzip: a gzip body whose checksum is wrong.
	BrokenGzip Malformation = "broken-gzip"
)

var malformations = []Malformation{
	BadChunkSize, BadCRLF, TwoLengths, TwoLengthsFirst, LengthAndChunked, OversizedHead, BadStatusLine, WrongDigest, BrokenGzip,
}

const (
	usualOversize = 16 << 20
	// fillerLine is the length of one header line of an oversized head.
	fillerLine = 8 << 10
	mostHead   = 1 << 30
)

// ActName implements Act.
func (Malformed) ActName() string { return "malformed" }

func (Malformed) place() place { return place{phases: answerPhases} }

func (m Malformed) validate(Point) []error {
	problems := m.Answer.problems()
	if !slices.Contains(malformations, m.What) {
		problems = append(problems, fmt.Errorf("what: %q; want one of %v", string(m.What), malformations))
	}
	if m.Answer.Framing != "" {
		problems = append(problems, fmt.Errorf("framing: %s has the framing that it breaks; leave it out", m.What))
	}
	if m.Answer.Headers.Values("Content-Length") != nil {
		problems = append(problems, fmt.Errorf("headers: %s says its lengths itself; leave Content-Length out", m.What))
	}
	if bodyless(m.Answer.statusOr(http.StatusOK)) {
		problems = append(problems, fmt.Errorf("status %d has no body to break", m.Answer.Status))
	}
	if m.Answer.Body.Size > mostRaw {
		problems = append(problems, fmt.Errorf("body: %s; want at most %s", m.Answer.Body.Size, Size(mostRaw)))
	}
	if m.Answer.Gzip {
		problems = append(problems, errors.New("gzip: only broken-gzip is compressed, and that by itself; leave it out"))
	}
	if m.Head != 0 && m.What != OversizedHead {
		problems = append(problems, fmt.Errorf("head: %s has a head of the usual length; leave it out", m.What))
	}
	if m.Head != 0 && (m.Head < fillerLine || m.Head > mostHead) {
		problems = append(problems, fmt.Errorf("head: %s; want from %s to %s", m.Head, Size(fillerLine), Size(mostHead)))
	}
	return problems
}

// keeps tells whether the client can know where the answer ends.
func (m Malformed) keeps() bool { return m.What == WrongDigest || m.What == BrokenGzip }

func (m Malformed) intent(x *exchange) Effect {
	effect := Effect{Kind: "malformed", At: x.at.String(), Status: m.Answer.statusOr(http.StatusOK), Body: int64(len(m.content()))}
	if !m.keeps() {
		effect.End = string(EndFIN)
	}
	return effect
}

func (m Malformed) perform(x *exchange) {
	effect := m.intent(x)
	if x.head.method == http.MethodHead && m.What != OversizedHead && m.What != BadStatusLine {
		x.miss("HEAD leaves no body to break")
	}
	if !x.holdForDate(m.Answer) {
		return
	}
	now := time.Now()
	r := m.render(x, now)
	if err := x.sendAll(r, wholeBody); err != nil {
		// A client that has seen enough may leave before the end.
		x.cutShort(err, min(int64(len(r.head)), fillerLine))
		if x.tookAnswer {
			effect.Body = 0
			x.answeredNow()
			x.struck(effect)
		}
		return
	}
	x.keep = m.keeps() && x.head.keepAlive() && x.body.receipt.Complete
	if !x.keep && !x.finishWhole(&effect) {
		return
	}
	x.answeredNow()
	x.struck(effect)
	x.drain()
}

// content is the body as it would be if it were not broken.
func (m Malformed) content() []byte {
	content := m.Answer.withPartBody(0).Body.Bytes()
	if m.What == BrokenGzip {
		content = gzipped(content)
		content[len(content)-checksumFromEnd] ^= 0xff
	}
	return content
}

// checksumFromEnd is where the CRC-32 of a gzip member begins (RFC 1952,
// section 2.3).
const checksumFromEnd = 8

// render writes the broken answer.
func (m Malformed) render(x *exchange, now time.Time) *rendering {
	a, content := m.Answer.Encoded(), m.content()
	length := strconv.Itoa(len(content))
	add := func(name, value string) { a.Headers = append(a.Headers, Header{name, value}) }
	a.Headers = slices.Clone(a.Headers)
	framing, body := FramingLength, content
	chunk := func(size, end string) []byte {
		return slices.Concat([]byte(size+"\r\n"), content, []byte(end+"0\r\n\r\n"))
	}
	size := strconv.FormatInt(int64(len(content)), 16)
	switch m.What {
	case BadChunkSize:
		framing, body = FramingChunked, chunk("xyz", "\r\n")
	case BadCRLF:
		framing, body = FramingChunked, chunk(size, "XX")
	case LengthAndChunked:
		add("Content-Length", length)
		framing, body = FramingChunked, chunk(size, "\r\n")
	case TwoLengths:
		add("Content-Length", strconv.Itoa(len(content)+1))
		add("Content-Length", length)
	case TwoLengthsFirst:
		add("Content-Length", length)
		add("Content-Length", strconv.Itoa(len(content)+1))
	case WrongDigest:
		digest := sha256.Sum256(append(content, '!'))
		value := "sha-256=:" + base64.StdEncoding.EncodeToString(digest[:]) + ":"
		add("Content-Digest", value)
		add("Repr-Digest", value)
	case BrokenGzip:
		add("Content-Encoding", "gzip")
	}
	a.Body = Body{Text: string(content)} // its length is declared
	l := layout{framing: framing, noBody: true, keep: m.keeps() && x.head.keepAlive() && x.body.receipt.Complete}
	r := render(a, l, now, x.session.since(now))
	if x.head.method == http.MethodHead {
		body = nil
	}
	r.body, r.content = bytes.NewReader(body), int64(len(content))
	switch m.What {
	case BadStatusLine:
		_, rest, _ := strings.Cut(string(r.head), "\r\n")
		r.head = []byte("HTTP/1.1 abc Nonsense\r\n" + rest)
	case OversizedHead:
		end := []byte("\r\n")
		r.body = io.MultiReader(m.filler(), bytes.NewReader(end), r.body)
		r.content += m.length()
		r.head = bytes.TrimSuffix(r.head, end)
	}
	return r
}

// length is that of an oversized head.
func (m Malformed) length() int64 { return int64(cmp.Or(m.Head, usualOversize)) }

// filler is header lines that make a head as long as is asked for.
func (m Malformed) filler() io.Reader {
	line := []byte("X-Filler: " + strings.Repeat("f", fillerLine-len("X-Filler: \r\n")) + "\r\n")
	var lines []io.Reader
	for range m.length() / fillerLine {
		lines = append(lines, bytes.NewReader(line))
	}
	return io.MultiReader(lines...)
}

func (m Malformed) parameters() parameters { return describeMalformed(&m) }

func describeMalformed(m *Malformed) parameters {
	return described(&m.Answer, wordField("what", &m.What, malformations...), sizeField("head", &m.Head))
}
