package faultserver

import (
	"fmt"
	"slices"
	"strings"
)

// A Point is a place in an exchange at which a step strikes. The zero value is
// the act's own default.
//
// Its text form is the phase, and for the two body phases "@" and a size:
// "request-head", "request-body@64KiB", "request-end", "response-head",
// "response-body@500"; in a connection script "accept" and "tls-handshake".
type Point struct {
	Phase Phase
	// N is the number of body bytes before the strike, for RequestBody and
	// ResponseBody; 0 elsewhere.
	N Size
}

// Phase is the part of an exchange a point lies in.
type Phase string

// The phases, in the order of an exchange. RequestEnd is reached when the
// request has been read and nothing was sent; ResponseHead when the answer's
// head has been sent and no body byte.
const (
	DefaultPhase Phase = ""
	Accept       Phase = "accept"
	TLSHandshake Phase = "tls-handshake"
	RequestHead  Phase = "request-head"
	RequestBody  Phase = "request-body"
	RequestEnd   Phase = "request-end"
	ResponseHead Phase = "response-head"
	ResponseBody Phase = "response-body"
)

var (
	connectionPhases = []Phase{Accept, TLSHandshake}
	exchangePhases   = []Phase{RequestHead, RequestBody, RequestEnd, ResponseHead, ResponseBody}
)

// ParsePoint reads a point's text form. The empty text is an error: the
// default point is said by leaving it out.
func ParsePoint(text string) (Point, error) {
	name, size, sized := strings.Cut(text, "@")
	point := Point{Phase: Phase(name)}
	if !slices.Contains(connectionPhases, point.Phase) && !slices.Contains(exchangePhases, point.Phase) {
		return Point{}, fmt.Errorf("point %q: want request-head, request-body@SIZE, request-end, response-head, response-body@SIZE, or in connections accept or tls-handshake", text)
	}
	if point.counts() != sized {
		if sized {
			return Point{}, fmt.Errorf("point %q: %s takes no size; only request-body@SIZE and response-body@SIZE do", text, name)
		}
		return Point{}, fmt.Errorf("point %q: how many bytes? say %s@SIZE, such as %s@64KiB", text, name, name)
	}
	if !sized {
		return point, nil
	}
	n, err := ParseSize(size)
	if err != nil {
		return Point{}, fmt.Errorf("point %q: %w", text, err)
	}
	point.N = n
	return point, nil
}

// String is the text form; empty for the zero value.
func (p Point) String() string {
	if p.counts() {
		return string(p.Phase) + "@" + p.N.String()
	}
	return string(p.Phase)
}

// MarshalText implements encoding.TextMarshaler; see String.
func (p Point) MarshalText() ([]byte, error) {
	return []byte(p.String()), nil
}

// UnmarshalText implements encoding.TextUnmarshaler. Other than ParsePoint it
// reads the empty text, as the zero value.
func (p *Point) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*p = Point{}
		return nil
	}
	point, err := ParsePoint(string(text))
	if err == nil {
		*p = point
	}
	return err
}

// counts tells whether the point lies after a number of bytes.
func (p Point) counts() bool {
	return p.Phase == RequestBody || p.Phase == ResponseBody
}

// inResponse tells whether a part of an answer is sent before the point.
func (p Point) inResponse() bool {
	return p.Phase == ResponseHead || p.Phase == ResponseBody
}
