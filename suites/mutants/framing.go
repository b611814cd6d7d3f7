package mutants

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
)

var framingMutants = []Mutant{
	{
		Name:   "believes-the-last-length",
		Defect: "takes the last Content-Length that it finds, whatever else an answer says of its length",
		Breaks: []string{"response.two-lengths-that-differ-are-an-error", "response.chunks-count-where-a-length-is-there-too"},
		wire:   believing(bytes.LastIndex),
	},
	{
		Name:   "believes-the-first-length",
		Defect: "takes the first Content-Length that it finds, whatever else an answer says of its length",
		Breaks: []string{"response.two-lengths-that-differ-are-an-error", "response.chunks-count-where-a-length-is-there-too"},
		wire:   believing(bytes.Index),
	},
	{
		Name:   "takes-the-first-status",
		Defect: "takes what comes before the answer for the answer",
		Breaks: []string{"response.an-interim-answer-is-not-the-answer"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				first := 0
				traced := httptrace.WithClientTrace(req.Context(), &httptrace.ClientTrace{
					Got1xxResponse: func(code int, _ textproto.MIMEHeader) error {
						if first == 0 && code > http.StatusContinue {
							first = code
						}
						return nil
					},
				})
				resp, err := wire.RoundTrip(req.WithContext(traced))
				if err == nil && first != 0 {
					discard(resp)
					resp.StatusCode, resp.Body = first, http.NoBody
				}
				return resp, err
			})
		},
	},
}

// believing is a wire on which each answer has one Content-Length of those that it
// has: the one that find finds.
func believing(find func(head, line []byte) int) func(base *http.Transport) http.RoundTripper {
	return func(base *http.Transport) http.RoundTripper {
		base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
			conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return oneLength{conn, find}, nil
		}
		return base
	}
}

// oneLength is a connection whose reader sees of each answer's head one
// Content-Length, the one that find finds, and no other word on the length. Heads
// come in one piece.
type oneLength struct {
	net.Conn

	find func(head, line []byte) int
}

func (c oneLength) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	head, rest, whole := bytes.Cut(p[:n], []byte("\r\n\r\n"))
	at := c.find(head, contentLength)
	if !whole || at < 0 || !bytes.HasPrefix(head, []byte("HTTP/1.1 ")) {
		return n, err
	}
	length, _, _ := bytes.Cut(head[at+len("\r\n"):], []byte("\r\n"))
	kept := bytes.Split(bytes.Clone(head), []byte("\r\n"))
	kept = slices.DeleteFunc(kept, func(line []byte) bool {
		return bytes.HasPrefix(line, contentLength[2:]) || bytes.HasPrefix(line, []byte("Transfer-Encoding:"))
	})
	kept = append(kept, bytes.Clone(length), nil, bytes.Clone(rest))
	return copy(p, bytes.Join(kept, []byte("\r\n"))), err
}

var contentLength = []byte("\r\nContent-Length:")
