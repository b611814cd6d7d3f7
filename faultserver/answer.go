package faultserver

import (
	"strings"
	"time"
)

// An Answer is a complete HTTP answer. One without anything is none: where
// an act has a default, it stands for that.
type Answer struct {
	// Status is the status code; 0 means the act's default (200 for most).
	Status int `yaml:"status"`
	// Headers are sent in this order, in this case, duplicates kept. The engine
	// adds Date, Content-Length or Transfer-Encoding, and Connection, unless
	// they are given here.
	Headers Headers `yaml:"headers"`
	// Body is the answer's body. HEAD, 204 and 304 are answered without one.
	Body Body `yaml:"body"`
	// RetryAfter adds a Retry-After header.
	RetryAfter *RetryAfter `yaml:"retry-after"`
	// Framing is how the body's end is told: "length" (the default), "chunked",
	// or "close".
	Framing Framing `yaml:"framing"`
	// Challenge adds a WWW-Authenticate header; it goes with status 401.
	Challenge Challenge `yaml:"challenge"`
	// Cookie adds a Set-Cookie header, such as "session=1; Path=/".
	Cookie string `yaml:"cookie"`
	// Gzip compresses the body and says so, whatever the client accepts. The
	// length that is declared, and points in the body, are those of what is sent.
	Gzip bool `yaml:"gzip"`
	// Informational are 1xx answers sent before it.
	Informational []Informational `yaml:"informational"`
	// Trailers are sent after a chunked body.
	Trailers Headers `yaml:"trailers"`
}

// Informational is a 1xx answer.
type Informational struct {
	// Status is in [100, 199], 101 excluded.
	Status  int     `yaml:"status"`
	Headers Headers `yaml:"headers"`
}

// Framing is how the end of an answer's body is told.
type Framing string

// The framings; the zero value is FramingLength.
const (
	FramingLength  Framing = "length"
	FramingChunked Framing = "chunked"
	FramingClose   Framing = "close"
)

// Header is one header line.
type Header struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Headers are header lines in the order they are sent or came, duplicates kept.
type Headers []Header

// Get is the value of the first line with the name, in whatever case; empty
// where there is none.
func (h Headers) Get(name string) string {
	for _, line := range h {
		if strings.EqualFold(line.Name, name) {
			return line.Value
		}
	}
	return ""
}

// contain tells whether there is a line with the name, in whatever case.
func (h Headers) contain(name string) bool { return h.count(name) > 0 }

// count is how many lines there are with the name, in whatever case.
func (h Headers) count(name string) int {
	n := 0
	for _, line := range h {
		if len(line.Name) == len(name) && strings.EqualFold(line.Name, name) {
			n++
		}
	}
	return n
}

// Values are the values of all lines with the name, in whatever case, in order.
func (h Headers) Values(name string) []string {
	var values []string
	for _, line := range h {
		if strings.EqualFold(line.Name, name) {
			values = append(values, line.Value)
		}
	}
	return values
}

// has tells whether one of the lines' comma-separated values is the token.
func (h Headers) has(name, token string) bool {
	for _, line := range h {
		if !strings.EqualFold(line.Name, name) {
			continue
		}
		for part := range strings.SplitSeq(line.Value, ",") {
			if strings.EqualFold(strings.Trim(part, " \t"), token) {
				return true
			}
		}
	}
	return false
}

// RetryAfter is a Retry-After header: a value that is sent as it is, or a date
// relative to the moment of sending.
type RetryAfter struct {
	// Value is sent verbatim when Date is nil: "1", "0", "-5", "soon", "".
	Value string
	// Date is the offset from now of the date that is sent, whole seconds; a
	// negative one lies in the past. The answer is held until the clock's
	// sub-second part is half a second, so that the wait it asks for is always the
	// same, half a second less than Date; the journal has the date that was
	// really sent.
	Date *time.Duration `yaml:"date"`
	// Form is the date's form; the zero value is IMF-fixdate.
	Form DateForm `yaml:"form"`
}

// DateForm is one of the three forms of an HTTP date (RFC 9110, section 5.6.7).
type DateForm string

// The forms of an HTTP date.
const (
	IMFFixdate DateForm = "imf-fixdate"
	RFC850     DateForm = "rfc850"
	Asctime    DateForm = "asctime"
)

// isZero tells whether nothing of the answer is given.
func (a Answer) isZero() bool {
	return a.Status == 0 && a.Headers == nil && a.Body == Body{} && a.RetryAfter == nil &&
		a.Framing == "" && a.Challenge == "" && a.Cookie == "" && !a.Gzip && a.Informational == nil && a.Trailers == nil
}

// statusOr is the answer's status, or the other where it has none.
func (a Answer) statusOr(other int) int {
	if a.Status == 0 {
		return other
	}
	return a.Status
}

// leastPartBody is the least length of the body that stands in where an answer
// is to be cut and has none.
const leastPartBody = 1000

// withPartBody is the answer with a body that is longer than n bytes, where it
// has none of its own.
func (a Answer) withPartBody(n Size) Answer {
	if a.Body.Len() == 0 {
		a.Body = Body{Size: max(2*n, leastPartBody)}
	}
	return a
}

// bodyless tells whether an answer with the status never has a body (RFC 9110,
// sections 15.3.5 and 15.4.5).
func bodyless(status int) bool {
	return status == 204 || status == 304
}
