package mutants

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// largeBody is where the mutant that mistreats large bodies begins to.
const largeBody = 2 << 20

var bodyMutants = []Mutant{
	{
		Name:   "empty-body-on-retry",
		Defect: "sends the body once, and retries go out without it",
		Breaks: []string{
			"body.replay-after-503", "body.replay-of-a-large-body", "body.replay-after-a-reset",
			"body.replay-after-a-reset-in-the-middle", "body.replay-after-an-early-answer",
			"body.replay-after-a-timed-out-attempt", "body.replay-after-a-slow-read",
		},
		inner: onRetry(dropBody),
	},
	{
		Name:   "large-body-not-rewound",
		Defect: "replays small bodies, and sends large ones empty",
		Breaks: []string{"body.replay-of-a-large-body", "body.replay-after-an-early-answer"},
		inner: onRetry(func(req *http.Request) {
			if req.ContentLength > largeBody {
				dropBody(req)
			}
		}),
	},
	{
		Name:   "resumes-the-body",
		Defect: "goes on in the body where the last attempt stopped",
		Breaks: []string{"body.replay-after-a-reset-in-the-middle", "body.replay-after-503"},
		inner: onRetry(func(req *http.Request) {
			if req.Body == nil || req.ContentLength < 2 {
				return
			}
			half := req.ContentLength / 2
			_, _ = io.CopyN(io.Discard, req.Body, half)
			req.ContentLength -= half
		}),
	},
	{
		Name:   "replays-a-drained-stream",
		Defect: "retries with a stream that it has already read to its end",
		Breaks: []string{"body.a-stream-is-not-replayed-in-part"},
		inner: onRetry(func(req *http.Request) {
			if req.Body == http.NoBody {
				dropBody(req)
			}
		}),
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if isStream(req) {
					req = req.Clone(req.Context())
					req.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
				}
				return client.RoundTrip(req)
			})
		},
	},
	{
		Name:   "replays-a-stream-on-a-dead-connection",
		Defect: "sends a request again whose reused connection was lost, with a stream that has been read",
		Breaks: []string{"body.a-stream-on-a-dead-connection-is-not-replayed-in-part"},
		inner:  resendOnReused,
	},
	{
		Name:   "hides-the-failure-behind-the-body",
		Defect: "reports that it could not rewind, and not the status that made it want to",
		Breaks: []string{"body.a-refused-replay-keeps-the-failure"},
		outer: onResult(func(req *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err != nil || resp.StatusCode < 500 || !isStream(req) {
				return resp, err
			}
			discard(resp)
			return nil, errors.New("cannot rewind the request body")
		}),
	},
	{
		Name:   "pauses-before-it-looks-at-the-body",
		Defect: "waits for its retry, and finds then that there is no body to send",
		Breaks: []string{"body.a-refused-replay-is-not-waited-for"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := client.RoundTrip(req)
				if err == nil && resp.StatusCode == http.StatusServiceUnavailable && isStream(req) && policy.Backoff.Constant != nil {
					time.Sleep(*policy.Backoff.Constant)
				}
				return resp, err
			})
		},
	},
	{
		Name:   "refuses-streams",
		Defect: "sends no request whose body it could not send again",
		Breaks: []string{"body.a-stream-is-sent-once-without-a-fault"},
		outer: func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if isStream(req) {
					_ = req.Body.Close()
					return nil, errors.New("the request cannot be cloned")
				}
				return client.RoundTrip(req)
			})
		},
	},
	{
		Name:   "redirects-as-get",
		Defect: "follows a 307 as if it were a 303: as a GET without the body",
		Breaks: []string{"body.a-307-keeps-method-and-body"},
		inner: onAnswer(func(resp *http.Response) {
			if resp.StatusCode == http.StatusTemporaryRedirect {
				resp.StatusCode = http.StatusSeeOther
			}
		}),
	},
	{
		Name:   "rewinds-what-is-still-being-sent",
		Defect: "rewinds a body for the next attempt when the answer was a 500, whether it has been sent or not",
		Breaks: []string{"body.an-early-answer-does-not-change-what-is-sent"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if req.Body == nil || req.Body == http.NoBody || isStream(req) {
					return wire.RoundTrip(req)
				}
				data, err := io.ReadAll(req.Body)
				_ = req.Body.Close()
				if err != nil {
					return nil, err
				}
				shared := &rewound{reader: bytes.NewReader(data), left: len(data), closed: make(chan struct{})}
				req = req.Clone(req.Context())
				req.Body = shared
				resp, err := wire.RoundTrip(req)
				if err == nil && resp.StatusCode == http.StatusInternalServerError {
					shared.rewind()
				}
				return resp, err
			})
		},
	},
}

// rewound is a body that can be set to its beginning while it is being read. It gives
// as many bytes as there are all the same, so that no wrong length is noticed.
type rewound struct {
	mu     sync.Mutex
	reader *bytes.Reader
	left   int

	once   sync.Once
	closed chan struct{}
}

func (b *rewound) Read(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return 0, io.EOF
	}
	n, err := b.reader.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (b *rewound) Close() error {
	b.once.Do(func() { close(b.closed) })
	return nil
}

// rewind sets the body to its beginning, and waits until the request that it is
// still being sent in is over: what is sent of it meanwhile is wrong for certain.
func (b *rewound) rewind() {
	b.mu.Lock()
	_, _ = b.reader.Seek(0, io.SeekStart)
	b.mu.Unlock()
	<-b.closed
}

// resendOnReused is an inner layer that sends a stream again, when it has been read,
// where the connection that it was sent on had carried a request before and was lost.
func resendOnReused(wire http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		reused := false
		trace := &httptrace.ClientTrace{GotConn: func(got httptrace.GotConnInfo) { reused = got.Reused }}
		resp, err := wire.RoundTrip(req.WithContext(httptrace.WithClientTrace(req.Context(), trace)))
		if err == nil || !reused || !isStream(req) {
			return resp, err
		}
		req = req.Clone(req.Context())
		dropBody(req)
		return wire.RoundTrip(req)
	})
}

// dropBody makes the request one without a body.
func dropBody(req *http.Request) {
	if req.Body == nil {
		return
	}
	_ = req.Body.Close()
	req.Body = http.NoBody
	req.ContentLength = 0
}

// isStream tells a body that can be read only once.
func isStream(req *http.Request) bool {
	return req.Body != nil && req.Body != http.NoBody && req.GetBody == nil
}

// discard reads a small answer to its end and closes it.
func discard(resp *http.Response) {
	_, _ = io.CopyN(io.Discard, resp.Body, 64<<10)
	_ = resp.Body.Close()
}
