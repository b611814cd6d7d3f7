package control

import (
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// A connLimit bounds the open connections of the API. At the bound, the one that
// has waited longest for a request makes room, so that idle clients keep nobody
// out; where none waits, the new one is closed.
type connLimit struct {
	net.Listener

	most int
	mu   sync.Mutex
	open map[net.Conn]waiting
}

// waiting tells since when a connection waits for a request; zero while it has
// one.
type waiting time.Time

func newConnLimit(listener net.Listener, most int) *connLimit {
	return &connLimit{Listener: listener, most: most, open: map[net.Conn]waiting{}}
}

// Accept accepts a connection that there is room for.
func (l *connLimit) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if l.makeRoom() {
			return conn, nil
		}
		_ = conn.Close() // it has not been heard
	}
}

func (l *connLimit) makeRoom() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.open) < l.most {
		return true
	}
	var longest net.Conn
	for conn, since := range l.open {
		if !time.Time(since).IsZero() && (longest == nil || time.Time(since).Before(time.Time(l.open[longest]))) {
			longest = conn
		}
	}
	if longest == nil {
		return false
	}
	delete(l.open, longest)
	_ = longest.Close() // it is being given up
	return true
}

// closeWaiting closes the connections that wait for a request, or have not said
// anything yet, for which http.Server would wait at its end.
func (l *connLimit) closeWaiting() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn, since := range l.open {
		if !time.Time(since).IsZero() {
			_ = conn.Close() // it is being given up
		}
	}
}

// changed follows what the server says of its connections.
func (l *connLimit) changed(conn net.Conn, state http.ConnState) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch state {
	case http.StateNew, http.StateIdle:
		l.open[conn] = waiting(time.Now())
	case http.StateActive:
		l.open[conn] = waiting{}
	default:
		delete(l.open, conn)
	}
}

// silent drops what net/http says of broken connections: they are the clients'.
func silent() *log.Logger { return log.New(io.Discard, "", 0) }
