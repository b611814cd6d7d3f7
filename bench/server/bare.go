package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"
)

// cutBody and cutAt are of the answers that are cut: so many bytes are declared, and
// so many are sent.
const (
	cutBody = 1000
	cutAt   = 500
)

// given counts the answers of /distinct.
var given atomic.Int64

// bare is what everything is compared with: the handler that one writes by hand
// where one has no fault server.
func bare(w http.ResponseWriter, r *http.Request) {
	if text, delayed := strings.CutPrefix(r.URL.Path, "/delay/"); delayed {
		pause, err := time.ParseDuration(text)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		select {
		case <-time.After(pause):
			_, _ = io.WriteString(w, "ok\n") // a client that is gone misses nothing
		case <-r.Context().Done():
		}
		return
	}
	switch r.URL.Path {
	case memoryPath:
		writeMemory(w)
	case "/distinct":
		_, _ = fmt.Fprintf(w, "answer %d\n", given.Add(1)) // as above
	case "/close", "/reset", "/close-cut", "/reset-cut", "/bad-chunk", "/whole":
		endByHand(w, r.URL.Path)
	default:
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// endByHand takes the connection over and ends it in the way that a path says.
func endByHand(w http.ResponseWriter, how string) {
	hijacker, can := w.(http.Hijacker)
	if !can {
		return
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		return
	}
	switch {
	case strings.HasSuffix(how, "-cut"):
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", cutBody, strings.Repeat("a", cutAt)) // it shows in what arrives
	case how == "/whole":
		_, _ = fmt.Fprintf(conn, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", cutBody, strings.Repeat("a", cutBody)) // as above
	case how == "/bad-chunk":
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
	}
	if tcp, is := conn.(*net.TCPConn); is && strings.HasPrefix(how, "/reset") {
		_ = tcp.SetLinger(0) // as above
	}
	_ = conn.Close() // as above
}

// serveBare serves it, in a process of its own, until that is ended.
func serveBare(address string) error {
	return http.ListenAndServe(address, http.HandlerFunc(bare)) //nolint:gosec // what is bare has no timeouts
}
