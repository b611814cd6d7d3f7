package main

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"time"
)

// An ending is how an exchange ended, as the socket told it.
type ending string

// The endings.
const (
	fin      ending = "FIN"
	rst      ending = "RST"     // ECONNRESET
	silence  ending = "silence" // nothing more came
	refused  ending = "ECONNREFUSED"
	hanging  ending = "no connection" // the SYN was not answered
	unclosed ending = "FIN without close_notify"
)

// seen is what an exchange looked like to a raw client.
type seen struct {
	bytes []byte
	end   ending
	took  time.Duration
	// pause is from the last byte to the end.
	pause time.Duration
	// err is what a TLS client says.
	err error
}

// A raw exchange is what a client sends, and how long it is patient.
type raw struct {
	method string
	body   int
	// keepAlive tells that the client does not ask for the connection to be closed.
	keepAlive bool
	// expect tells that the client waits for 100 Continue before it sends its body.
	expect bool
	// patience is how long the client waits for more, and connects how long for its
	// connection; 0 means answerTime.
	patience, connects time.Duration
	// tls tells how the client speaks TLS; nil for not at all.
	tls *tls.Config
}

// request is the head that is sent.
func (r raw) request(address, path string) []byte {
	var head strings.Builder
	fmt.Fprintf(&head, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.method, path, address)
	if r.body > 0 {
		fmt.Fprintf(&head, "Content-Length: %d\r\n", r.body)
	}
	if r.expect {
		head.WriteString("Expect: 100-continue\r\n")
	}
	if !r.keepAlive {
		head.WriteString("Connection: close\r\n")
	}
	head.WriteString("\r\n")
	return []byte(head.String())
}

// exchange is one, from connecting to its end.
func (r raw) exchange(address, path string) seen {
	began := time.Now()
	patience := cmp.Or(r.patience, answerTime)
	tcp, err := connect(address, cmp.Or(r.connects, answerTime))
	if err != nil {
		return seen{end: endOf(err), took: time.Since(began), err: err}
	}
	defer func() { _ = tcp.Close() }() // nothing depends on it any more
	s := r.over(tcp, address, path, patience)
	s.took = time.Since(began)
	return s
}

// over makes the exchange on a connection. What cannot be sent is no failure: a
// server that ends the connection shows in what is read.
func (r raw) over(tcp net.Conn, address, path string, patience time.Duration) seen {
	conn, records := tcp, &recorded{Conn: tcp}
	if r.tls != nil {
		secured := tls.Client(records, r.tls)
		_ = tcp.SetDeadline(time.Now().Add(patience)) // it shows in what follows
		if err := secured.Handshake(); err != nil {   //nolint:noctx // it has a deadline
			return seen{end: endOf(err), err: err}
		}
		conn = secured
	}
	_, asked := conn.Write(r.request(address, path))
	var before []byte
	body := make([]byte, r.body)
	if r.expect {
		before = readOn(conn, patience, "\r\n\r\n").bytes
		if !bytes.Contains(before, []byte(" 100 ")) {
			body = nil
		}
	}
	sent := make(chan error, 1)
	go func() { // whoever answers early is heard while it is sent
		err := asked
		if len(body) > 0 { // to write nothing would take a RST away from the reader
			_, err = conn.Write(body)
		}
		sent <- err
	}()
	s := readOn(conn, patience, "")
	s.bytes = append(before, s.bytes...)
	_ = tcp.SetWriteDeadline(time.Unix(1, 0)) // ends what is still being sent
	// The kernel tells of a RST once: to the writer, if that asks first.
	if errors.Is(<-sent, syscall.ECONNRESET) && s.end == fin {
		s.end = rst
	}
	if r.tls != nil && s.end == fin && !records.endInAlert() {
		s.end = unclosed
	}
	return s
}

// A recorded connection keeps what came on it.
type recorded struct {
	net.Conn
	came []byte
}

// Read implements net.Conn.
func (r *recorded) Read(p []byte) (int, error) {
	n, err := r.Conn.Read(p)
	r.came = append(r.came, p[:n]...)
	return n, err
}

// endInAlert tells whether the last TLS record that came is an alert, as
// close_notify is; TLS 1.2 does not hide it. (crypto/tls takes an end without for
// one with.)
func (r *recorded) endInAlert() bool {
	const header, alert = 5, 21
	last := byte(0)
	for rest := r.came; len(rest) >= header; {
		last = rest[0]
		rest = rest[min(len(rest), header+int(rest[3])<<8+int(rest[4])):]
	}
	return last == alert
}

// readOn reads until the connection ends, nothing has come for as long as the
// patience lasts, or what came ends in a text.
func readOn(conn net.Conn, patience time.Duration, until string) seen {
	var s seen
	buffer := make([]byte, 64<<10)
	for {
		_ = conn.SetReadDeadline(time.Now().Add(patience)) // it shows in what follows
		waits := time.Now()
		n, err := conn.Read(buffer)
		s.bytes = append(s.bytes, buffer[:n]...)
		if err != nil {
			s.end, s.pause, s.err = endOf(err), time.Since(waits), err
			return s
		}
		if until != "" && bytes.HasSuffix(s.bytes, []byte(until)) {
			return s
		}
	}
}

// endOf is the ending that an error tells.
func endOf(err error) ending {
	var failed *net.OpError
	switch {
	case errors.Is(err, syscall.ECONNRESET):
		return rst
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.As(err, &failed) && failed.Op == "dial" && failed.Timeout():
		return hanging
	case errors.Is(err, os.ErrDeadlineExceeded):
		return silence
	case errors.Is(err, io.EOF):
		return fin
	}
	return ending(err.Error())
}

// parts are the head and the body of what came; the head is empty where it is not
// complete.
func (s seen) parts() (head, body []byte) {
	head, body, found := bytes.Cut(s.bytes, headEnd)
	if !found {
		return nil, s.bytes
	}
	return head, body
}
