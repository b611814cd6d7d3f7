package mutants

import (
	"bufio"
	"errors"
	"net"
	"net/http"
	"sync"
	"syscall"

	"github.com/faultsrv/faultsrv/scenarios"
)

var connectionMutants = []Mutant{
	{
		Name:   "a-lost-connection-is-final",
		Defect: "retries statuses, and never a lost connection",
		Breaks: []string{
			"connection.a-reset-get-is-sent-again", "connection.a-closed-get-is-sent-again",
			"connection.a-reset-at-accept-is-tried-again", "tls.a-reset-handshake-is-tried-again",
		},
		options: stopsAt(func(_ *http.Response, err error) bool { return err != nil }),
	},
	{
		Name:    "a-refused-connection-is-final",
		Defect:  "retries lost connections, and none that was refused",
		Breaks:  []string{"connection.a-refused-connection-is-tried-again"},
		options: stopsAt(func(_ *http.Response, err error) bool { return errors.Is(err, syscall.ECONNREFUSED) }),
	},
	{
		Name:   "trusts-a-dead-connection",
		Defect: "writes on the connection it kept without a look whether it still lives",
		Breaks: []string{
			"connection.a-stale-connection-is-survived", "connection.a-reset-idle-connection-is-survived",
			"connection.an-unasked-answer-is-not-the-next-ones",
		},
		policy: func(policy *scenarios.Policy) { *policy.Attempts = 1 },
		wire:   func(*http.Transport) http.RoundTripper { return &blindPool{} },
	},
	{
		Name:   "replays-a-post-on-a-lost-connection",
		Defect: "sends any request again whose connection was lost",
		Breaks: []string{"connection.a-stale-post-is-not-replayed", "idempotency.a-post-is-not-retried-on-a-reset"},
		inner: func(wire http.RoundTripper) http.RoundTripper {
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				resp, err := wire.RoundTrip(req)
				if err == nil || req.Method != http.MethodPost || req.GetBody == nil {
					return resp, err
				}
				req = req.Clone(req.Context())
				req.Body, _ = req.GetBody()
				return wire.RoundTrip(req)
			})
		},
	},
}

// blindPool keeps one connection and uses it whatever has become of it.
type blindPool struct {
	mu     sync.Mutex
	conn   net.Conn
	reader *bufio.Reader
}

// RoundTrip implements http.RoundTripper.
func (p *blindPool) RoundTrip(req *http.Request) (*http.Response, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn == nil {
		conn, err := (&net.Dialer{}).DialContext(req.Context(), "tcp", req.URL.Host)
		if err != nil {
			return nil, err
		}
		p.conn, p.reader = conn, bufio.NewReader(conn)
	}
	if err := req.Write(p.conn); err != nil {
		return nil, err
	}
	return http.ReadResponse(p.reader, req)
}

// CloseIdleConnections closes the connection.
func (p *blindPool) CloseIdleConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.conn != nil {
		_ = p.conn.Close()
		p.conn = nil
	}
}
