package faultserver

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"time"
)

// handshakeTime is how long a client that has begun to say hello may take for the
// handshake.
const handshakeTime = 10 * time.Second

// A wire is a connection below TLS: it counts what is written, and first reads
// what has been read ahead.
type wire struct {
	*net.TCPConn

	conn  *conn
	ahead *bytes.Reader
}

func (w *wire) Read(p []byte) (int, error) {
	if w.ahead.Len() > 0 {
		return w.ahead.Read(p)
	}
	return w.TCPConn.Read(p)
}

func (w *wire) Write(p []byte) (int, error) {
	n, err := w.TCPConn.Write(p)
	w.conn.written.Add(int64(n))
	return n, err
}

// errStruck ends a handshake in which the connection was struck.
var errStruck = errors.New("the connection was struck")

// secure waits for the client's hello and makes the connection a TLS one. It
// tells whether it can be served. An entry of the connection script may strike in
// the handshake.
func (c *conn) secure() bool {
	if !c.rest() {
		return false
	}
	s := c.session()
	if s != nil {
		s.carried(c, 0)
	}
	ahead := bytes.Clone(c.in.unread())
	c.in.skip(len(ahead))
	_ = c.tcp.SetDeadline(time.Now().Add(handshakeTime)) // one that is gone shows in what follows
	var struck *exchange
	shown := TLSFault("")
	secured := tls.Server(&wire{c.tcp, c, bytes.NewReader(ahead)}, &tls.Config{
		MinVersion: tls.VersionTLS12,
		GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
			if struck = c.strikeInHandshake(); struck == nil {
				return nil, nil //nolint:nilnil // this very config
			}
			if act, is := struck.step.Act.(TLS); is {
				if fault, shows := act.shows(); shows {
					shown = fault
					struck.stampEarliest(nil)
					struck.settled()
					return nil, nil //nolint:nilnil // this very config
				}
			}
			struck.run()
			c.lapsed() // here: an alert follows
			return nil, errStruck
		},
		GetCertificate: func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) { return c.authority.show(shown, hello) },
		// A client that resumed a session would not look at the certificate.
		SessionTicketsDisabled: true,
		NextProtos:             []string{"http/1.1"},
	})
	c.handshake = secured.HandshakeContext(context.Background()) // closing the socket ends it
	if errors.Is(c.handshake, errStruck) {
		return false
	}
	_ = c.tcp.SetDeadline(time.Time{})
	if c.handshake == nil {
		c.secured, c.in.conn = secured, secured
	}
	if struck != nil {
		return struck.run() || c.lapsed()
	}
	if c.handshake != nil {
		c.linger, c.refused = lingerTime, true
		if s != nil {
			s.event(c, "handshake-failed", c.handshake.Error())
		}
		return false
	}
	return true
}

// strikeInHandshake takes the entry of the connection script that strikes a
// connection whose client has said hello; nil for none.
func (c *conn) strikeInHandshake() *exchange {
	s, own := c.router.(*Session)
	if !own {
		return nil
	}
	return s.strikeOn(c, TLSHandshake)
}

// finish ends the server's sending side with FIN; with TLS a close_notify comes
// before it, unless the connection is to end without.
func (c *conn) finish() error {
	if c.secured != nil && !c.unnotified {
		_ = c.secured.CloseWrite() // where it fails, so does what follows
	}
	return c.tcp.CloseWrite()
}
