package mutants

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"

	"github.com/faultsrv/faultsrv/scenarios"
)

var responseMutants = []Mutant{
	{
		Name:   "takes-a-cut-body-for-whole",
		Defect: "takes the end of the connection for the end of the body",
		Breaks: []string{
			"response.a-cut-body-is-an-error", "response.a-cut-chunked-body-is-an-error", "response.a-bad-chunk-size-is-an-error",
			"response.a-broken-gzip-body-is-an-error",
		},
		outer: onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil {
				resp.Body = lenient{resp.Body}
			}
			return resp, err
		}),
	},
	{
		Name:   "loses-an-early-answer",
		Defect: "reports that it could not write, and not what the server had answered",
		Breaks: []string{"response.an-early-answer-reaches-the-caller"},
		outer: onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil || resp.StatusCode != http.StatusRequestEntityTooLarge {
				return resp, err
			}
			_ = resp.Body.Close()
			return nil, errors.New("write: broken pipe")
		}),
	},
	{
		Name:   "reads-discarded-bodies-to-their-end",
		Defect: "reads the whole body of an answer that it will not use",
		Breaks: []string{"response.a-discarded-body-is-not-read-without-end", "response.a-stalled-body-does-not-hold-the-retry"},
		inner: onAnswer(func(resp *http.Response) {
			if resp.StatusCode >= 500 {
				_, _ = io.Copy(io.Discard, resp.Body)
			}
		}),
	},
	{
		Name:   "a-connection-for-each-attempt",
		Defect: "gives up the connection of every answer that it discards",
		Breaks: []string{"response.a-small-discarded-body-keeps-the-connection"},
		wire: func(base *http.Transport) http.RoundTripper {
			base.DisableKeepAlives = true
			return base
		},
	},
	{
		Name:   "joins-what-begins-anew",
		Defect: "asks again for a body that was cut, and puts all that comes behind what it has",
		Breaks: []string{"response.a-body-that-begins-anew-is-not-joined"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := client.RoundTrip(req)
				if err == nil && req.Body == nil {
					resp.Body = &joined{ReadCloser: resp.Body, again: func() (*http.Response, error) { return client.RoundTrip(req) }}
				}
				return resp, err
			})
		},
	},
	{
		Name:   "leaks-discarded-answers",
		Defect: "never closes the answers that it retries",
		Breaks: []string{"response.discarded-answers-do-not-leak"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				// The reference client ends the context of an attempt that it
				// discards, which would close the connection after all.
				resp, err := wire.RoundTrip(req.WithContext(context.WithoutCancel(req.Context())))
				if err == nil && resp.StatusCode >= 500 {
					resp.Body = http.NoBody
				}
				return resp, err
			})
		},
	},
}

// lenient is a body that calls every end of it a good one.
type lenient struct{ io.ReadCloser }

func (b lenient) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil {
		err = io.EOF
	}
	return n, err
}

// joined is a body that goes on with another answer's where it is cut.
type joined struct {
	io.ReadCloser

	again func() (*http.Response, error)
}

func (b *joined) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == nil || errors.Is(err, io.EOF) || b.again == nil {
		return n, err
	}
	next, failed := b.again()
	b.again = nil
	if failed != nil {
		return n, err
	}
	_ = b.ReadCloser.Close()
	b.ReadCloser = next.Body
	return n, nil
}

// closing is a body that ends a context when it is closed.
type closing struct {
	io.ReadCloser
	cancel context.CancelFunc
	once   sync.Once
}

func closeWith(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	return &closing{ReadCloser: body, cancel: cancel}
}

func (b *closing) Close() error {
	err := b.ReadCloser.Close()
	b.once.Do(b.cancel)
	return err
}
