package mutants

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"slices"
	"sync"
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
		inner: onInterim(func(first int, resp *http.Response) *http.Response {
			if first != 0 {
				discard(resp)
				resp.StatusCode, resp.Body = first, http.NoBody
			}
			return resp
		}),
	},
	{
		Name:   "leaves-the-answer-to-the-next",
		Defect: "takes what comes before the answer for the answer, and the answer for that of the next request",
		Breaks: []string{"response.an-interim-answer-is-not-the-answer", "response.after-an-interim-answer-each-gets-its-own"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			left := new(leftAnswers)
			return onInterim(left.shift)(wire)
		},
	},
}

// onInterim is an inner layer that may give another answer than the one that came,
// by the status of what came before it: that of the first 1xx but 100, 0 for none.
func onInterim(change func(first int, resp *http.Response) *http.Response) innerLayer {
	return func(wire http.RoundTripper) http.RoundTripper {
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
			if err != nil {
				return resp, err
			}
			return change(first, resp), nil
		})
	}
}

// leftAnswers are answers that were left on a client's connection, the oldest first.
type leftAnswers struct {
	mu      sync.Mutex
	answers []*http.Response
}

// shift gives the oldest answer, of which an interim one is one more.
func (l *leftAnswers) shift(first int, resp *http.Response) *http.Response {
	l.mu.Lock()
	defer l.mu.Unlock()
	if first != 0 {
		interim := *resp
		interim.StatusCode, interim.Body = first, http.NoBody
		l.answers = append(l.answers, &interim)
	}
	if l.answers = append(l.answers, resp); len(l.answers) > 1 {
		body, _ := io.ReadAll(resp.Body) // what is cut is an end like another to whom it is not for
		_ = resp.Body.Close()
		resp.Body = io.NopCloser(bytes.NewReader(body))
	}
	oldest := l.answers[0]
	l.answers = l.answers[1:]
	return oldest
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
