package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A caller is a client's end of one raw connection through the path.
type caller struct {
	e    *examination
	conn net.Conn
	// began is when the latest request was about to be sent.
	began time.Time
	heard []byte
	// release ends the watch over the context.
	release func() bool
}

// dial opens a connection to where the path begins. It is closed when the context
// ends, so that whatever waits on it returns.
func (e *examination) dial(ctx context.Context) (*caller, error) {
	dialer := net.Dialer{Timeout: e.options.Patience, KeepAlive: -1}
	conn, err := dialer.DialContext(ctx, "tcp", e.address)
	if err != nil {
		return nil, err
	}
	release := context.AfterFunc(ctx, func() { _ = conn.Close() })
	return &caller{e: e, conn: conn, release: release}, nil
}

func (c *caller) close() {
	c.release()
	_ = c.conn.Close() // it may be gone already
}

// send writes bytes in one piece. An error is left to whoever listens: the path may
// have ended the connection, and an answer may lie there all the same.
func (c *caller) send(text string) {
	c.began = time.Now()
	_ = c.conn.SetWriteDeadline(c.began.Add(c.e.options.Patience))
	_, _ = io.WriteString(c.conn, text) // see above
}

// mostHeard is how much of what comes is listened to, in bytes: far more than any
// answer has that is examined, and little enough for what has no end.
const mostHeard = 1 << 20

// hear listens until enough has come, the connection ends, or the patience is over.
// Enough is asked of all that has been heard each time when more comes; a nil one
// listens to the end.
func (c *caller) hear(enough func(heard []byte) bool, patience time.Duration) ending {
	_ = c.conn.SetReadDeadline(time.Now().Add(patience))
	buffer := make([]byte, 64<<10)
	for {
		if enough != nil && len(c.heard) > 0 && enough(c.heard) {
			return whole
		}
		if len(c.heard) > mostHeard {
			return flood
		}
		n, err := c.conn.Read(buffer)
		c.heard = append(c.heard, buffer[:n]...)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			if enough != nil && n > 0 && enough(c.heard) {
				return whole
			}
			return fin
		case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), isAborted(err):
			return rst
		default:
			return silent
		}
	}
}

// answered tells that an answer is there, to its declared end.
func answered(heard []byte) bool {
	r, _ := readReply(heard)
	return r.complete
}

// ask sends a request and listens for one whole answer, which is then taken off
// what was heard.
func (c *caller) ask(text string) (reply, ending) {
	c.send(text)
	return c.answer()
}

func (c *caller) answer() (reply, ending) {
	end := c.hear(answered, c.e.options.Patience)
	r, rest := readReply(c.heard)
	if end == whole {
		c.heard = rest
	}
	return r, end
}

// request is a request's text for a path below a session's.
func (e *examination) request(s Session, method, path string, headers faultserver.Headers, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s/s/%s%s HTTP/1.1\r\nHost: %s\r\n", method, e.prefix, s.ID(), path, e.host)
	for _, header := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", header.Name, header.Value)
	}
	b.WriteString("\r\n" + body)
	return b.String()
}

// get is a plain request.
func (e *examination) get(s Session) string { return e.request(s, "GET", "/", nil, "") }

// put is a request with a small body, in one piece with its head.
func (e *examination) put(s Session) string {
	return e.request(s, "PUT", "/", faultserver.Headers{{Name: "Content-Length", Value: "5"}}, "order")
}
