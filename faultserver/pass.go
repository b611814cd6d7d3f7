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

// pass hands a request that is no attempt to the real server, and its answer
// back. It tells whether the client's connection lives on.
func (s *Session) pass(c *conn, h *head) bool {
	x := &exchange{conn: c, session: s, head: h, body: newRequestBody(c.in, h, false), at: Point{Phase: RequestEnd}}
	p, err := x.passage()
	if err != nil {
		s.event(c, "pass-failed", err.Error())
		return s.decline(c, h, Answer{Status: http.StatusBadGateway, Body: Body{Text: "faultsrv: pass: " + err.Error() + "\n"}})
	}
	return p.run()
}

// passage connects to the real server for the exchange's request. Its run ends
// the connection.
func (x *exchange) passage() (*passage, error) {
	address, err := passAddress(x.session.config.Pass)
	if err != nil {
		return nil, err
	}
	ctx, cancel := x.conn.context()
	dialer := net.Dialer{Timeout: passDialTime}
	server, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		cancel()
		return nil, err
	}
	tcp, is := server.(*net.TCPConn)
	if !is {
		cancel()
		return nil, errors.Join(fmt.Errorf("a %T where a TCP connection should be", server), server.Close())
	}
	p := &passage{exchange: x, server: tcp, sent: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { _ = tcp.Close() })
	p.release = func() { stop(); cancel() }
	return p, nil
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

	server  *net.TCPConn
	release func()
	// sent is closed when the request has been sent, as far as it came.
	sent chan struct{}
	// status is that of the final answer, and content how many bytes came of its
	// body, framing and trailers included.
	status  int
	content int64
	// tunnelled tells that bytes of another protocol were handed on, to their end.
	tunnelled bool
}

func (p *passage) run() bool {
	defer p.release()
	go func() {
		defer close(p.sent)
		p.forward()
	}()
	before := p.conn.written.Load()
	p.session.update(p.record, func(r *record) { r.before, r.sending = before, true })
	keep, err := p.relay()
	p.session.update(p.record, func(r *record) { r.wrote, r.sending = p.conn.written.Load()-r.before, false })
	// A server may answer before it has the whole request: the rest is not for it.
	_ = p.server.Close()
	_ = p.conn.tcp.SetReadDeadline(time.Unix(1, 0))
	<-p.sent
	_ = p.conn.tcp.SetReadDeadline(time.Time{})
	if err != nil {
		p.session.event(p.conn, "pass-failed", "the answer: "+err.Error())
		p.miss("pass: the answer: " + err.Error())
	}
	p.keep = keep && err == nil && p.body.receipt.Complete && p.head.keepAlive()
	if !p.keep && !p.tunnelled { // which has told the end
		p.shutdown()
	}
	p.account(err)
	return p.keep
}

// account enters what the real server answered: it is what was intended, unless
// it broke off.
func (p *passage) account(err error) {
	effect := Effect{Kind: "pass", At: p.at.String(), Status: p.status, Body: p.content}
	if err == nil {
		p.session.update(p.record, func(r *record) { r.Intended = effect })
	}
	p.answeredNow()
	p.struck(effect)
}

// write hands a part of the answer on. Each may be the last, so that each is
// stamped as the end.
func (p *passage) write(part []byte) error {
	p.session.update(p.record, func(r *record) {
		p.session.setSettling(r, true)
		r.End.Earliest = p.session.Elapsed()
		if r.Answered == 0 {
			r.Answered = r.End.Earliest
		}
	})
	err := p.conn.write(part)
	p.session.update(p.record, func(r *record) { r.End.Latest = p.session.Elapsed() })
	return err
}

// Read reads what the real server answers. While it waits, the entry says what is
// visible so far.
func (p *passage) Read(into []byte) (int, error) {
	p.settled()
	return p.server.Read(into)
}

// forward sends the request as it came: the head, and the body while it is read.
// A server that does not take it shows in its answer.
func (p *passage) forward() {
	_, _ = p.server.Write(p.head.unprefixed())
	p.conn.in.tap = func(raw []byte) { _, _ = p.server.Write(raw) }
	defer func() { p.conn.in.tap = nil }()
	if err := p.body.readTo(wholeBody); err != nil { // how far it came is in the receipt
		_ = p.server.CloseWrite() // the server is told that no more comes
	}
}

// unprefixed is the head as it came, without the prefix by which its target
// found session and call: that is not for a real server.
func (h *head) unprefixed() []byte {
	came, err := originForm(h.target, h.method)
	if err != nil || came == h.path {
		return []byte(h.raw)
	}
	return []byte(strings.Replace(h.raw, " "+h.target+" ", " "+h.path+" ", 1))
}

// relay sends the answer back as it comes, and tells whether the connection can
// be used again after it.
func (p *passage) relay() (keep bool, err error) {
	from := bufio.NewReader(p)
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
		final := answer.StatusCode >= 200 || answer.StatusCode == http.StatusSwitchingProtocols
		if final {
			p.status = answer.StatusCode
		}
		if err := p.write(raw); err != nil {
			return false, err
		}
		if final {
			return p.relayBody(from, answer)
		}
	}
}

func (p *passage) relayBody(from *bufio.Reader, answer *http.Response) (keep bool, err error) {
	to := &passageWriter{p}
	switch {
	case answer.StatusCode == http.StatusSwitchingProtocols,
		p.head.method == http.MethodConnect && answer.StatusCode/100 == 2: // RFC 9110, section 9.3.6
		return false, p.tunnel(to, from)
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

// tunnel hands bytes on both ways, once they are of another protocol, until
// both sides have ended, or for drainTime after the server has.
func (p *passage) tunnel(to io.Writer, from io.Reader) error {
	p.tunnelled = true
	<-p.sent
	over := make(chan struct{})
	go func() {
		defer close(over)
		_, _ = io.Copy(p.server, p.conn.in) // a side that is gone ends the other copy
		_ = p.server.CloseWrite()
	}()
	_, err := io.Copy(to, from)
	p.shutdown()
	_ = p.conn.tcp.SetReadDeadline(time.Now().Add(drainTime))
	<-over
	return err
}

// relayChunks copies a chunked body with its framing and trailers.
func relayChunks(to io.Writer, from *bufio.Reader) error {
	for last := false; ; {
		line, err := relayLine(to, from)
		if err != nil {
			return err
		}
		text := strings.TrimRight(line, "\r\n")
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

// relayLine copies a line, however long, and gives the beginning of it that a buffer
// holds.
func relayLine(to io.Writer, from *bufio.Reader) (beginning string, err error) {
	for {
		part, err := from.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
		if beginning == "" {
			beginning = string(part)
		}
		if _, failed := to.Write(part); failed != nil || err == nil {
			return beginning, failed
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

// A passageWriter writes what comes behind an answer's head to the client, who
// may leave it unread only so long.
type passageWriter struct{ passage *passage }

func (w *passageWriter) Write(part []byte) (int, error) {
	if err := w.passage.write(part); err != nil {
		return 0, err
	}
	w.passage.content += int64(len(part))
	return len(part), nil
}
