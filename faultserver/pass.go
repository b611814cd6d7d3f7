package faultserver

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// passDialTime bounds how long a real server may take to accept.
const passDialTime = 5 * time.Second

// passAddress is the host:port of a base URL.
func passAddress(base string) (string, error) {
	parsed, err := url.Parse(base)
	if err != nil || parsed.Scheme != "http" || parsed.Hostname() == "" || strings.Trim(parsed.Path, "/") != "" || parsed.RawQuery != "" {
		return "", fmt.Errorf("pass: %q; want http://host:port and nothing behind it, since requests are handed on unchanged", base)
	}
	if parsed.Port() == "" {
		return net.JoinHostPort(parsed.Hostname(), "80"), nil
	}
	return parsed.Host, nil
}

// serveOtherwise answers a request that is no attempt.
func (s *Session) serveOtherwise(c *conn, h *head) bool {
	for _, stub := range s.config.Stubs {
		if stub.Match.holds(h) {
			return s.decline(c, h, stub.Answer)
		}
	}
	if s.config.Pass != "" {
		return s.pass(c, h)
	}
	return s.decline(c, h, s.otherwise())
}

// pass hands a request to the real server, and its answer back. It tells
// whether the client's connection lives on.
func (s *Session) pass(c *conn, h *head) bool {
	ctx, cancel := c.context()
	defer cancel()
	dialer := net.Dialer{Timeout: passDialTime}
	address, err := passAddress(s.config.Pass)
	var server net.Conn
	if err == nil {
		server, err = dialer.DialContext(ctx, "tcp", address)
	}
	if err != nil {
		s.event(c, "pass-failed", err.Error())
		return s.decline(c, h, Answer{Status: http.StatusBadGateway, Body: Body{Text: "faultsrv: pass: " + err.Error() + "\n"}})
	}
	p := &passage{
		exchange: &exchange{conn: c, session: s, head: h, body: newRequestBody(c.in, h, false), at: Point{Phase: RequestEnd}},
		server:   server,
	}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	return p.run()
}

// context ends with the connection.
func (c *conn) context() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		select {
		case <-c.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	return ctx, cancel
}

// A passage is one request on its way to a real server, and the answer on its
// way back.
type passage struct {
	*exchange

	server net.Conn
}

func (p *passage) run() bool {
	sent := make(chan struct{})
	go func() {
		defer close(sent)
		p.forward()
	}()
	keep, err := p.relay()
	// A server may answer before it has the whole request: the rest is not for it.
	_ = p.server.Close()
	_ = p.conn.tcp.SetReadDeadline(time.Unix(1, 0))
	<-sent
	_ = p.conn.tcp.SetReadDeadline(time.Time{})
	if err != nil {
		p.session.event(p.conn, "pass-failed", "the answer: "+err.Error())
	}
	p.keep = keep && err == nil && p.body.receipt.Complete && p.head.keepAlive()
	if !p.keep {
		p.shutdown()
	}
	return p.keep
}

// forward sends the request as it came: the head, and the body while it is read.
// A server that does not take it shows in its answer.
func (p *passage) forward() {
	_, _ = p.server.Write(p.head.raw)
	p.conn.in.tap = func(raw []byte) { _, _ = p.server.Write(raw) }
	defer func() { p.conn.in.tap = nil }()
	_ = p.body.readTo(wholeBody) // how far it came is in the receipt
}

// relay sends the answer back as it comes, and tells whether the connection can
// be used again after it.
func (p *passage) relay() (keep bool, err error) {
	from := bufio.NewReader(p.server)
	for {
		raw, err := rawHead(from)
		if err != nil {
			return false, err
		}
		// The request's method decides whether there is a body.
		answer, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(raw)), &http.Request{Method: p.head.method})
		if err != nil {
			return false, err
		}
		if err := p.conn.write(raw); err != nil {
			return false, err
		}
		if answer.StatusCode >= 100 && answer.StatusCode < 200 && answer.StatusCode != http.StatusSwitchingProtocols {
			continue
		}
		return p.relayBody(from, answer)
	}
}

func (p *passage) relayBody(from *bufio.Reader, answer *http.Response) (keep bool, err error) {
	to := &connWriter{p.conn}
	switch {
	case p.head.method == http.MethodHead || bodyless(answer.StatusCode):
		return !answer.Close, nil
	case len(answer.TransferEncoding) > 0:
		return !answer.Close, relayChunks(to, from)
	case answer.ContentLength >= 0:
		_, err = io.CopyN(to, from, answer.ContentLength)
		return !answer.Close, err
	default:
		_, err = io.Copy(to, from)
		return false, err
	}
}

// relayChunks copies a chunked body with its framing and trailers.
func relayChunks(to io.Writer, from *bufio.Reader) error {
	for last := false; ; {
		line, err := from.ReadSlice('\n')
		if err != nil {
			return err
		}
		if _, err := to.Write(line); err != nil {
			return err
		}
		text := strings.TrimRight(string(line), "\r\n")
		if last { // a trailer, or the empty line at the end
			if text == "" {
				return nil
			}
			continue
		}
		text, _, _ = strings.Cut(text, ";")
		size, err := strconv.ParseUint(strings.TrimSpace(text), 16, 62)
		if err != nil {
			return fmt.Errorf("chunk size %q; want hexadecimal digits", clip(text))
		}
		if last = size == 0; last {
			continue
		}
		if _, err := io.CopyN(to, from, int64(size)+int64(len("\r\n"))); err != nil {
			return err
		}
	}
}

// rawHead reads an answer's head as it comes, its empty line included.
func rawHead(from *bufio.Reader) ([]byte, error) {
	var raw []byte
	for begun := 0; ; { // where the line begins
		part, err := from.ReadSlice('\n')
		raw = append(raw, part...)
		if len(raw) > maxHead {
			return nil, fmt.Errorf("a head of more than %s", Size(maxHead))
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue // the line goes on
		case err != nil:
			return nil, err
		}
		if line := string(raw[begun:]); line == "\r\n" || line == "\n" {
			return raw, nil
		}
		begun = len(raw)
	}
}

// A connWriter writes to a client, who may leave an answer unread only so long.
type connWriter struct{ conn *conn }

func (w *connWriter) Write(p []byte) (int, error) {
	if err := w.conn.write(p); err != nil {
		return 0, err
	}
	return len(p), nil
}
