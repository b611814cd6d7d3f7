package control

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

const (
	// headTime and readTime are how long a request to the API may take to arrive:
	// its head, and all of it. Requests have at most 1 MiB.
	headTime = 5 * time.Second
	readTime = 30 * time.Second
	// idleTime is how long a connection may wait for its next request.
	idleTime = 60 * time.Second
	// writeTime is how long a client may leave a part of an answer unread.
	writeTime = 10 * time.Second
	// maxHead bounds a request's head.
	maxHead = 64 << 10
)

// A Server is the API on its listener.
type Server struct {
	options Options
	limits  Limits
	token   []byte // the hash of the token; nil where none is asked for
	store   *store
	metrics *metrics
	waiting chan struct{} // an entry for each request that waits

	http     *http.Server
	listener *connLimit
	url      string
	served   chan error

	draining  atomic.Bool
	ending    chan struct{} // closed when Close begins
	closeOnce sync.Once
	closeErr  error
}

// Listen serves the API at an address, host:port. It fails if the port is in
// use, and for an address that other machines can reach where Options has no
// token.
func Listen(address string, options Options) (*Server, error) {
	if options.Host == nil {
		return nil, errors.New("control: no Host to open sessions at")
	}
	tcp, err := net.Listen("tcp", address) //nolint:noctx // it does not block
	if err != nil {
		return nil, fmt.Errorf("listen on %s: expected a free host:port of this machine: %w", address, err)
	}
	if err := checkAccess(tcp.Addr(), options.Token); err != nil {
		return nil, errors.Join(fmt.Errorf("listen on %s: %w", address, err), tcp.Close())
	}
	s := newServer(options, tcp)
	go func() { s.served <- s.http.Serve(s.listener) }()
	return s, nil
}

func newServer(options Options, tcp net.Listener) *Server {
	limits := options.Limits.orDefault()
	s := &Server{
		options: options, limits: limits, metrics: newMetrics(),
		waiting: make(chan struct{}, limits.Waiting), ending: make(chan struct{}),
		listener: newConnLimit(tcp, limits.Connections), url: urlOf(tcp.Addr()), served: make(chan error, 1),
	}
	s.store = newStore(options, limits, s.metrics)
	if options.Token != "" {
		hash := sha256.Sum256([]byte(options.Token))
		s.token = hash[:]
	}
	s.http = &http.Server{
		Handler:           s.metrics.count(newGuard(s.router(), options.Hosts)),
		ReadHeaderTimeout: headTime, ReadTimeout: readTime, IdleTimeout: idleTime, MaxHeaderBytes: maxHead,
		ConnState: s.listener.changed,
		ErrorLog:  silent(),
	}
	s.http.RegisterOnShutdown(s.listener.closeWaiting)
	return s
}

// URL is the API's base URL, without a slash at its end.
func (s *Server) URL() string { return s.url }

// urlOf is the base URL of an address. A wildcard one is reached by the loopback.
func urlOf(address net.Addr) string {
	if tcp, is := address.(*net.TCPAddr); is && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://127.0.0.1:%d", tcp.Port)
	}
	return "http://" + address.String()
}

// Adopt shows a session that somebody else opened under an id, such as the one
// that a command plays. It does not expire and cannot be deleted; its owner
// closes it.
func (s *Server) Adopt(id string, session *faultserver.Session, observed *Feed) error {
	return s.store.adopt(id, session, observed)
}

// Attempted counts an attempt of an adopted session, once it has ended, where
// /metrics counts those of the others; for its Config.Observe.
func (s *Server) Attempted(a faultserver.Attempt) {
	if !a.Open {
		s.metrics.attempted(a)
	}
}

// Totals are how many sessions were created here, and how many attempts of theirs
// have ended.
func (s *Server) Totals() (sessions, attempts int64) {
	return s.store.created.Load(), s.store.attempts.Load()
}

// Close ends the API: /readyz says that it is ending, requests that wait are
// answered, those in progress are finished until the context ends and then cut, and
// every session that was created here is closed. When it returns, nothing of them is
// left. Closing twice does nothing.
func (s *Server) Close(ctx context.Context) error {
	s.closeOnce.Do(func() {
		s.draining.Store(true)
		close(s.ending)
		err := s.http.Shutdown(ctx)
		if ctx.Err() != nil { // a client that is slow is no failure
			err = s.http.Close()
		}
		if ended := <-s.served; !errors.Is(ended, http.ErrServerClosed) {
			err = errors.Join(err, ended)
		}
		s.closeErr = errors.Join(err, s.store.close())
	})
	return s.closeErr
}

func (s *Server) health(w http.ResponseWriter, _ *http.Request) *problem {
	return writeText(w, http.StatusOK, "ok\n")
}

func (s *Server) ready(w http.ResponseWriter, _ *http.Request) *problem {
	if s.draining.Load() {
		return writeText(w, http.StatusServiceUnavailable, "ending\n")
	}
	return writeText(w, http.StatusOK, "ready\n")
}
