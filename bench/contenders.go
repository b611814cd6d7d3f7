package main

import (
	"bytes"
	"io"
	"net/http"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
)

// attempts is how many every contender may make, the first included, without
// pauses between them.
const attempts = 3

// layer is what a contender is made to stand on: the rest of what a call costs.
type layer string

const (
	// overRoundTripper: it sends through a RoundTripper or a Doer. A request
	// without a body is built once.
	overRoundTripper layer = "over a RoundTripper"
	// overHTTPClient: it needs an http.Client; each call builds its request.
	overHTTPClient layer = "over an http.Client"
	// behindBreaker: as over a RoundTripper, with a breaker of its own between. A
	// table apart: hystrix leaves work behind that its neighbours would pay for.
	behindBreaker layer = "behind a breaker"
)

// A call makes one exchange, retries included, and gives the last status.
type call func() (status int, err error)

// A target is what is asked for: a body of nil is none.
type target struct {
	method, url string
	body        []byte
}

// A contender is a client that may be compared with others on its layer.
type contender struct {
	name  string
	layer layer
	// successOnly keeps a contender out where its budget would, as it should, put
	// an end to the retries of a benchmark.
	successOnly bool
	prepare     func(base http.RoundTripper, to target) (call, error)
}

// contenders are all of them, for each layer first what is bare and then ours.
func contenders() []contender {
	return append([]contender{
		{name: "bare, a loop by hand", layer: overRoundTripper, prepare: bareRoundTripper},
		{name: "resilient.Transport", layer: overRoundTripper, prepare: ourTransport},
		{name: "resilient.Transport, its budget on", layer: overRoundTripper, successOnly: true, prepare: ourTransportWithBudget},
		{name: "resilient.Client", layer: overRoundTripper, prepare: ourClient},
		{name: "bare, a loop by hand", layer: overHTTPClient, prepare: bareHTTPClient},
		{name: "resilient.Transport", layer: overHTTPClient, prepare: ourHTTPClient},
		{name: "bare, a loop by hand", layer: behindBreaker, prepare: bareRoundTripper},
		{name: "breaker.Client", layer: behindBreaker, prepare: ourBreaker},
	}, peers()...)
}

// finish reads an answer to its end, as a caller does.
func finish(resp *http.Response, err error) (int, error) {
	if err != nil {
		return 0, err
	}
	if resp.Body != http.NoBody {
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			return 0, err
		}
	}
	return resp.StatusCode, resp.Body.Close()
}

// request builds the request, with GetBody where it has a body.
func (t target) request() (*http.Request, error) {
	if t.body == nil {
		return http.NewRequest(t.method, t.url, nil) //nolint:noctx // a context is not what is measured
	}
	return http.NewRequest(t.method, t.url, bytes.NewReader(t.body)) //nolint:noctx // as above
}

// sending makes calls of a function that sends a request, built anew where it
// has a body, which can be read once.
func sending(send func(*http.Request) (*http.Response, error), to target) (call, error) {
	once, err := to.request()
	if err != nil {
		return nil, err
	}
	return func() (int, error) {
		req := once
		if to.body != nil {
			if req, err = to.request(); err != nil {
				return 0, err
			}
		}
		return finish(send(req))
	}, nil
}

// building is sending with a request that is built for each call.
func building(send func(*http.Request) (*http.Response, error), to target) (call, error) {
	return func() (int, error) {
		req, err := to.request()
		if err != nil {
			return 0, err
		}
		return finish(send(req))
	}, nil
}

// byHand is the least that a retry takes: the request again, with a fresh body.
func byHand(send func(*http.Request) (*http.Response, error)) func(*http.Request) (*http.Response, error) {
	return func(req *http.Request) (*http.Response, error) {
		for made := 1; ; made++ {
			resp, err := send(req)
			if made == attempts || err != nil || resp.StatusCode < 500 {
				return resp, err
			}
			if _, err := finish(resp, nil); err != nil {
				return nil, err
			}
			if req.GetBody != nil {
				if req.Body, err = req.GetBody(); err != nil {
					return nil, err
				}
			}
		}
	}
}

func bareRoundTripper(base http.RoundTripper, to target) (call, error) {
	return sending(byHand(base.RoundTrip), to)
}

func bareHTTPClient(base http.RoundTripper, to target) (call, error) {
	return building(byHand((&http.Client{Transport: base}).Do), to)
}

// options are the same work as the others do: no pauses, and PUT as well.
func options(more ...resilient.Option) []resilient.Option {
	return append([]resilient.Option{
		resilient.WithAttempts(attempts), resilient.WithBackoff(resilient.NewConstantBackoff(0, 0)),
		resilient.WithMethods(http.MethodGet, http.MethodPut),
	}, more...)
}

func ourTransport(base http.RoundTripper, to target) (call, error) {
	transport, err := resilient.New(base, options(resilient.WithBudget(nil))...)
	if err != nil {
		return nil, err
	}
	return sending(transport.RoundTrip, to)
}

func ourTransportWithBudget(base http.RoundTripper, to target) (call, error) {
	transport, err := resilient.New(base, options()...)
	if err != nil {
		return nil, err
	}
	return sending(transport.RoundTrip, to)
}

func ourHTTPClient(base http.RoundTripper, to target) (call, error) {
	transport, err := resilient.New(base, options(resilient.WithBudget(nil))...)
	if err != nil {
		return nil, err
	}
	return building((&http.Client{Transport: transport}).Do, to)
}

// doer sends through a RoundTripper without an http.Client between.
type doer struct{ http.RoundTripper }

func (d doer) Do(req *http.Request) (*http.Response, error) { return d.RoundTrip(req) }

func ourClient(base http.RoundTripper, to target) (call, error) {
	client, err := resilient.NewClient(resilient.WithHTTPClient(doer{base}), resilient.WithRetryCount(attempts-1))
	if err != nil {
		return nil, err
	}
	return sending(client.Do, to)
}

func ourBreaker(base http.RoundTripper, to target) (call, error) {
	client, err := breaker.NewClient(breaker.WithHTTPClient(doer{base}), breaker.WithRetryCount(attempts-1))
	if err != nil {
		return nil, err
	}
	return sending(client.Do, to)
}
