package faultserver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"
)

// A listener accepts connections on one address, and can refuse them for a
// time without giving up the port.
type listener struct {
	address string
	// hold keeps the port while nobody listens; nil where no window is asked for.
	hold *portHold

	mu     sync.Mutex
	jam    *portJam         // while connections hang
	tcp    *net.TCPListener // nil while connections are refused
	closed chan struct{}
}

// listen opens a listener; refuses tells that it will have to refuse.
func listen(address string, refuses bool) (*listener, error) {
	l := &listener{address: address, closed: make(chan struct{})}
	var err error
	if refuses {
		if l.hold, l.address, err = holdPort(address); err != nil {
			return nil, listenError(address, err)
		}
	}
	if err := l.open(); err != nil {
		if l.hold != nil {
			err = errors.Join(err, l.hold.close())
		}
		return nil, listenError(address, err)
	}
	l.address = l.tcp.Addr().String()
	return l, nil
}

// ErrPortInUse is matched by the error of what cannot listen because somebody
// else does.
var ErrPortInUse = errors.New("the port is in use")

func listenError(address string, err error) error {
	if isInUse(err) {
		return fmt.Errorf("listen on %s: %w; choose another, or end the process that holds it: %w", address, ErrPortInUse, err)
	}
	return fmt.Errorf("listen on %s: want a free host:port of this machine: %w", address, err)
}

// open listens on the address.
func (l *listener) open() error {
	// Keep-alive probes would only add system calls to short connections.
	config := net.ListenConfig{KeepAlive: -1}
	if l.hold != nil {
		config.Control = shareable
	}
	opened, err := config.Listen(context.Background(), "tcp", l.address)
	if err != nil {
		return err
	}
	tcp, is := opened.(*net.TCPListener)
	if !is {
		return errors.Join(fmt.Errorf("a %T where a TCP listener should be", opened), opened.Close())
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		return errors.Join(net.ErrClosed, tcp.Close())
	default:
	}
	l.tcp = tcp
	return l.unjam()
}

// unjam lets what hangs go. The lock is held.
func (l *listener) unjam() error {
	if l.jam == nil {
		return nil
	}
	jam := l.jam
	l.jam = nil
	return jam.close()
}

// hang stops accepting, and has further connections hang.
func (l *listener) hang() error {
	l.refuse()
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		return net.ErrClosed
	default:
	}
	jam, err := jamPort(l.address)
	l.jam = jam
	return err
}

// refuse stops listening. What was not accepted yet is reset.
func (l *listener) refuse() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.tcp != nil {
		_ = l.tcp.Close() // the socket is gone in any case
		l.tcp = nil
	}
}

// accept waits for a connection. It fails with net.ErrClosed once the listener
// is closed; errors that pass, such as a lack of descriptors, are told and
// waited out.
func (l *listener) accept(told func(error)) (*net.TCPConn, error) {
	for {
		l.mu.Lock()
		tcp := l.tcp
		l.mu.Unlock()
		if tcp == nil {
			return nil, net.ErrClosed
		}
		conn, err := tcp.AcceptTCP()
		if err == nil || errors.Is(err, net.ErrClosed) {
			return conn, err
		}
		told(err)
		if !l.sleep(acceptPause) {
			return nil, net.ErrClosed
		}
	}
}

// acceptPause is how long a listener rests after an accept that failed.
const acceptPause = 10 * time.Millisecond

// sleep waits; it returns false at once when the listener is closed.
func (l *listener) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.closed:
		return false
	}
}

// close stops listening for good and gives up the port.
func (l *listener) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.closed:
		return nil
	default:
		close(l.closed)
	}
	problems := []error{l.unjam()}
	if l.tcp != nil {
		problems = append(problems, l.tcp.Close())
		l.tcp = nil
	}
	if l.hold != nil {
		problems = append(problems, l.hold.close())
	}
	return errors.Join(problems...)
}

// url is the base URL of the listener, by the host that is advertised, if one is.
// A wildcard address is reached by the loopback one.
func (l *listener) url(advertised string) string {
	host, port, err := net.SplitHostPort(l.address)
	if err != nil {
		return "http://" + l.address
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return "http://" + net.JoinHostPort(cmp.Or(advertised, host), port)
}

// secureURL is a base URL with TLS.
func secureURL(url string) string { return "https" + strings.TrimPrefix(url, "http") }
