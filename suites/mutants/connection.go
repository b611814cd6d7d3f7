package mutants

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"sync"
	"syscall"
	"time"

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

// blindPool keeps connections and uses them whatever has become of them.
type blindPool struct {
	mu   sync.Mutex
	idle []*keptConn
}

// keptConn is a connection with what has been read from it.
type keptConn struct {
	net.Conn

	reader *bufio.Reader
}

// RoundTrip implements http.RoundTripper.
func (p *blindPool) RoundTrip(req *http.Request) (*http.Response, error) {
	conn, err := p.take(req)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(req.Context(), func() { _ = conn.SetDeadline(time.Now()) })
	if err := req.Write(conn); err != nil {
		stop()
		p.keep(conn)
		return nil, err
	}
	resp, err := http.ReadResponse(conn.reader, req)
	if err != nil {
		stop()
		p.keep(conn)
		return nil, err
	}
	resp.Body = &lentBody{resp.Body, func() { stop(); p.keep(conn) }}
	return resp, nil
}

func (p *blindPool) take(req *http.Request) (*keptConn, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if last := len(p.idle) - 1; last >= 0 {
		conn := p.idle[last]
		p.idle = p.idle[:last]
		return conn, nil
	}
	conn, err := new(net.Dialer).DialContext(req.Context(), "tcp", req.URL.Host)
	if err != nil {
		return nil, err
	}
	return &keptConn{conn, bufio.NewReader(conn)}, nil
}

func (p *blindPool) keep(conn *keptConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, conn)
}

// CloseIdleConnections closes what is kept.
func (p *blindPool) CloseIdleConnections() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, conn := range p.idle {
		_ = conn.Close()
	}
	p.idle = nil
}

// lentBody gives its connection back when it is closed.
type lentBody struct {
	io.ReadCloser

	back func()
}

// Close implements io.Closer; a second time it does nothing.
func (b *lentBody) Close() error {
	back := b.back
	if back == nil {
		return nil
	}
	b.back = nil
	err := b.ReadCloser.Close()
	back()
	return err
}
