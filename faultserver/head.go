package faultserver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// maxHead bounds a request's head; a larger one is answered 431.
const maxHead = maxUnread

// A head is a request's head as it came.
type head struct {
	// raw is the head byte for byte, its empty line included.
	raw                   string
	method, target, proto string
	// path is the target without scheme, authority, /s/… and /c/…; callPrefix
	// is the /c/… that was there.
	path, callPrefix string
	// token is the call that the path names; named tells that it names one.
	token string
	named bool
	// plain tells that the path is the client's own, and names nothing.
	plain bool

	headers Headers
	// declared is the Content-Length, -1 for none.
	declared int64
	chunked  bool

	arrived, complete time.Time
}

// A badHead says why a head is refused, and how.
type badHead struct {
	kind   string // the event's kind
	status int    // the answer's; 0 for none
	reason string
}

func (b *badHead) Error() string { return b.reason }

func malformed(format string, args ...any) *badHead {
	return &badHead{kind: "bad-head", status: http.StatusBadRequest, reason: fmt.Sprintf(format, args...)}
}

// headEnd is the length of the head that data begins with, up to and with its
// empty line; -1 if it is not complete. Nothing before from is looked at again.
func headEnd(data []byte, from int) int {
	for i := max(0, from-3); i < len(data); i++ {
		next := bytes.IndexByte(data[i:], '\n')
		if next < 0 {
			return -1
		}
		i += next
		if bytes.HasPrefix(data[i+1:], []byte("\n")) {
			return i + 2
		}
		if bytes.HasPrefix(data[i+1:], []byte("\r\n")) {
			return i + 3
		}
	}
	return -1
}

// notHTTP says what else data is the beginning of; empty if it may be HTTP/1.
func notHTTP(data []byte) string {
	const preface = "PRI * HTTP/2.0\r\n"
	switch {
	case len(data) == 0 || string(data) == "\r" || bytes.HasPrefix(data, []byte(preface[:min(len(data), len(preface))])) && len(data) < len(preface):
		return ""
	case bytes.HasPrefix(data, []byte(preface)):
		return "an HTTP/2 connection preface on a port for HTTP/1"
	case data[0] == 0x16:
		return "a TLS hello on a plain port"
	case !isTokenByte(data[0]):
		return fmt.Sprintf("bytes that are not HTTP: %q", data[:min(len(data), 16)])
	}
	return ""
}

// parseHead reads a complete head. The standard library judges the request line
// and the header lines of any that is not ordinary; beyond it, what would leave
// the body's length in doubt is refused (RFC 9112, section 6.3).
func parseHead(raw string) (*head, error) {
	h := heads.Get().(*head)
	h.raw, h.declared = raw, -1
	line, rest, _ := strings.Cut(raw, "\n")
	line = strings.TrimSuffix(line, "\r")
	if err := h.readLines(rest); err != nil {
		return nil, err
	}
	if !h.ordinary(line) {
		if err := h.readByLibrary(line); err != nil {
			return nil, err
		}
	}
	return h, h.checkFraming()
}

// readLines reads the header lines as they came.
func (h *head) readLines(text string) error {
	h.headers = make(Headers, 0, strings.Count(text, "\n")) // one more than there are, for the empty line
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimSuffix(line, "\r")
		if line == "" {
			break
		}
		name, value, found := strings.Cut(line, ":")
		if line[0] == ' ' || line[0] == '\t' {
			return malformed("a folded header line: %q", clip(line))
		}
		if !found || !isToken(name) {
			return malformed("a header line without a valid name: %q", clip(line))
		}
		value = strings.Trim(value, " \t")
		if !isPrintable(value) && strings.ContainsFunc(value, isControl) {
			return malformed("a control character in header %s: %q", name, clip(value))
		}
		h.headers = append(h.headers, Header{name, value})
	}
	return nil
}

// readByLibrary has the standard library read the head.
func (h *head) readByLibrary(line string) error {
	request, err := http.ReadRequest(bufio.NewReader(strings.NewReader(h.raw)))
	if h.chunkedWithUnknown() {
		return &badHead{kind: "bad-head", status: http.StatusNotImplemented, reason: "Transfer-Encoding other than chunked: " + clip(strings.Join(h.headers.Values("Transfer-Encoding"), ", "))}
	}
	if err != nil {
		return malformed("%s: %q", clip(err.Error()), clip(line)) // the error may quote all of it
	}
	h.method, h.target, h.proto = request.Method, request.RequestURI, request.Proto
	if request.ProtoMajor != 1 {
		return &badHead{kind: "bad-head", status: http.StatusHTTPVersionNotSupported, reason: "version " + clip(h.proto) + " on a port for HTTP/1"}
	}
	h.path, err = originForm(h.target, h.method)
	return err
}

// chunkedWithUnknown tells whether there is a transfer coding besides chunked.
func (h *head) chunkedWithUnknown() bool {
	for _, coding := range h.headers.Values("Transfer-Encoding") {
		if !strings.EqualFold(coding, "chunked") {
			return true
		}
	}
	return false
}

// checkFraming reads how the body's end is told.
func (h *head) checkFraming() error {
	hosts := h.headers.count("Host")
	if hosts > 1 || hosts == 0 && !h.is10() {
		return malformed("%d Host lines; want exactly one", hosts)
	}
	codings := h.headers.count("Transfer-Encoding")
	lengths := h.headers.Values("Content-Length")
	if codings > 0 && len(lengths) > 0 {
		return malformed("both Transfer-Encoding and Content-Length")
	}
	if codings > 1 {
		return malformed("chunked named %d times", codings)
	}
	if codings == 1 {
		if h.is10() {
			return malformed("Transfer-Encoding in an HTTP/1.0 request")
		}
		h.chunked = true
	}
	for _, length := range lengths {
		n, err := strconv.ParseInt(length, 10, 64)
		if err != nil || !isDigits(length) {
			return malformed("Content-Length %q; want decimal digits", clip(length))
		}
		if h.declared >= 0 && n != h.declared {
			return malformed("two lengths, %d and %d", h.declared, n)
		}
		h.declared = n
	}
	return nil
}

func (h *head) is10() bool { return h.proto == "HTTP/1.0" }

// keepAlive tells whether the client lets the connection be used again.
func (h *head) keepAlive() bool {
	if h.headers.has("Connection", "close") {
		return false
	}
	return !h.is10() || h.headers.has("Connection", "keep-alive")
}

// hasBody tells whether a body of at least one byte may come.
func (h *head) hasBody() bool { return h.chunked || h.declared > 0 }

// expectsContinue tells whether the client waits for a 100 (RFC 9110, section
// 10.1.1: not from an HTTP/1.0 client, and not for an empty body).
func (h *head) expectsContinue() bool {
	return !h.is10() && h.hasBody() && h.headers.has("Expect", "100-continue")
}

// originForm is the target's path and query: an absolute form, as a proxy
// gets it, loses scheme and authority.
func originForm(target, method string) (string, error) {
	if strings.HasPrefix(target, "/") || target == "*" || method == http.MethodConnect {
		return target, nil
	}
	parsed, err := url.Parse(target)
	if err != nil || parsed.Host == "" {
		return "", malformed("target %q; want a path or an absolute URL", clip(target))
	}
	_, rest, _ := strings.Cut(target, "://")
	path := ""
	if i := strings.IndexAny(rest, "/?"); i >= 0 {
		path = rest[i:]
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return path, nil
}

// cutPrefix splits /s/NAME or /c/NAME (the marker is "/s/" or "/c/") off a path.
func cutPrefix(path, marker string) (name, rest string, found bool) {
	after, found := strings.CutPrefix(path, marker)
	if !found {
		return "", path, false
	}
	end := strings.IndexAny(after, "/?")
	if end < 0 {
		end = len(after)
	}
	name, rest = after[:end], after[end:]
	if !strings.HasPrefix(rest, "/") {
		rest = "/" + rest
	}
	return name, rest, true
}

// readHead waits for a request's head. An idle connection that ends is io.EOF.
func (in *input) readHead() (*head, error) {
	seen := 0
	for {
		in.skipEmptyLines()
		data := in.unread()
		if reason := notHTTP(data); reason != "" {
			return nil, &badHead{kind: "not-http", reason: reason}
		}
		if end := headEnd(data, seen); end >= 0 {
			return in.takeHead(end)
		}
		seen = len(data)
		err := in.fill()
		if errors.Is(err, errFull) {
			return nil, &badHead{kind: "head-too-large", status: http.StatusRequestHeaderFieldsTooLarge, reason: fmt.Sprintf("a head of more than %s", Size(maxHead))}
		}
		if err != nil && seen > 0 && in.how() != "" {
			return nil, &badHead{kind: "bad-head", reason: fmt.Sprintf("%s inside a head, after %d bytes", in.how(), seen)}
		}
		if err != nil {
			return nil, err
		}
	}
}

func (in *input) takeHead(length int) (*head, error) {
	raw := string(in.unread()[:length])
	arrived := in.firstAt()
	in.skip(length)
	h, err := parseHead(raw)
	if err != nil {
		return nil, err
	}
	h.arrived, h.complete = arrived, in.last
	return h, nil
}

// skipEmptyLines drops what may stand before a request line (RFC 9112,
// section 2.2).
func (in *input) skipEmptyLines() {
	for bytes.HasPrefix(in.unread(), []byte("\r\n")) {
		in.skip(2)
	}
}

// clip bounds what a message quotes.
func clip(text string) string { return cut(text, 80) }

// cut is a text, or its first bytes where it has more than so many.
func cut(text string, most int) string {
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}

func isControl(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }

func isToken(text string) bool {
	for i := range len(text) {
		if !isTokenByte(text[i]) {
			return false
		}
	}
	return text != ""
}

// isTokenByte tells whether a byte can stand in a token (RFC 9110, section 5.6.2).
func isTokenByte(c byte) bool { return inToken[c] }

var inToken = setOf("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~")
