package resilient_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

// pipes is a net/http Transport whose connections are in-memory pipes, each
// served by the function: the real thing, on a test's own clock.
func pipes(t *testing.T, serve func(n int, conn net.Conn)) (*http.Transport, *atomic.Int64) {
	dialed := new(atomic.Int64)
	base := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		n := int(dialed.Add(1))
		go func() { defer server.Close(); serve(n, server) }()
		return client, nil
	}}
	t.Cleanup(base.CloseIdleConnections)
	return base, dialed
}

// requests reads the requests of a connection, bodies included, and has each
// answered; a false answer ends the connection.
func requests(conn net.Conn, answer func(*http.Request, string) bool) {
	reader := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		body, err := io.ReadAll(req.Body)
		if err != nil || !answer(req, string(body)) {
			return
		}
	}
}

func write(conn net.Conn, status int, body string) bool {
	_, err := fmt.Fprintf(conn, "HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
	return err == nil
}

func TestOverNetHTTP(t *testing.T) {
	rule(t, "R4: small discarded bodies → the connection is reused", func(t *testing.T, g Gomega) {
		var served atomic.Int64
		base, dialed := pipes(t, func(_ int, conn net.Conn) {
			requests(conn, func(*http.Request, string) bool {
				if served.Add(1) < 3 {
					return write(conn, 503, "please come back")
				}
				return write(conn, 200, "welcome")
			})
		})
		resp, err := transport(g, base).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("welcome"))
		g.Expect(served.Load()).To(BeEquivalentTo(3))
		g.Expect(dialed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "R2, R3: a response that never ends costs its connection, and not the call", func(t *testing.T, g Gomega) {
		for name, flood := range map[string]bool{"stalls": false, "floods": true} {
			base, dialed := pipes(t, func(n int, conn net.Conn) {
				requests(conn, func(*http.Request, string) bool {
					if n > 1 {
						return write(conn, 200, "welcome")
					}
					fmt.Fprint(conn, "HTTP/1.1 503 X\r\nTransfer-Encoding: chunked\r\n\r\n")
					for flood {
						if _, err := fmt.Fprint(conn, "1000\r\n"+strings.Repeat("x", 0x1000)+"\r\n"); err != nil {
							return false
						}
					}
					_, _ = conn.Read(make([]byte, 1)) // until the client leaves
					return false
				})
			})
			start := time.Now()
			resp, err := transport(g, base, constantly(0)).RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred(), name)
			g.Expect(text(g, resp)).To(Equal("welcome"))
			g.Expect(dialed.Load()).To(BeEquivalentTo(2))
			g.Expect(time.Since(start)).To(BeNumerically("<=", resilient.DefaultDrainTime))
			base.CloseIdleConnections()
		}
	})
	rule(t, "B1: the body arrives whole again after a reset in its middle", func(t *testing.T, g Gomega) {
		source := strings.Repeat("0123456789abcdef", 16<<10) // 256 KiB
		whole := make(chan bool, 1)                          // not the text: a failure would print all of it
		base, _ := pipes(t, func(n int, conn net.Conn) {
			if n == 1 {
				_, _ = io.CopyN(io.Discard, conn, 1000)
				return
			}
			requests(conn, func(_ *http.Request, body string) bool { whole <- body == source; return write(conn, 200, "") })
		})
		resp, err := transport(g, base, resilient.WithMethods("PUT")).RoundTrip(request(t, "PUT", strings.NewReader(source)))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(<-whole).To(BeTrue())
	})
	rule(t, "net/http replays a GET of its own when a reused connection dies: one attempt, two requests", func(t *testing.T, g Gomega) {
		var served atomic.Int64
		base, dialed := pipes(t, func(n int, conn net.Conn) {
			requests(conn, func(req *http.Request, _ string) bool {
				// The warm connection dies under its second request.
				return served.Add(1) != 2 && write(conn, 200, "")
			})
		})
		tr := transport(g, base, resilient.WithAttempts(1))
		for range 2 {
			resp, err := tr.RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			resp.Body.Close()
			g.Expect(resilient.Info(resp).Attempts).To(Equal(1))
		}
		g.Expect(served.Load()).To(BeEquivalentTo(3))
		g.Expect(dialed.Load()).To(BeEquivalentTo(2))
	})
	rule(t, "ID-01: a POST whose reused connection dies is not sent again", func(t *testing.T, g Gomega) {
		var posts atomic.Int64
		base, _ := pipes(t, func(_ int, conn net.Conn) {
			requests(conn, func(req *http.Request, _ string) bool {
				if req.Method == "POST" {
					posts.Add(1)
					return false
				}
				return write(conn, 200, "")
			})
		})
		tr := transport(g, base)
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		resp, err = tr.RoundTrip(request(t, "POST", strings.NewReader("pay")))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseNotIdempotent))
		g.Expect(posts.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "C1, C6: cancelled while the server is silent → returns at once, nothing left behind", func(t *testing.T, g Gomega) {
		base, _ := pipes(t, func(_ int, conn net.Conn) { _, _ = io.Copy(io.Discard, conn) })
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		start := time.Now()
		resp, err := transport(g, base).RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseCanceled))
		g.Expect(time.Since(start)).To(Equal(time.Second))
	})
	rule(t, "C3: a silent server under a per-attempt timeout → the retry goes to a new connection", func(t *testing.T, g Gomega) {
		base, dialed := pipes(t, func(n int, conn net.Conn) {
			if n == 1 {
				_, _ = io.Copy(io.Discard, conn)
				return
			}
			requests(conn, func(*http.Request, string) bool { return write(conn, 200, "late but here") })
		})
		resp, err := transport(g, base, resilient.WithAttemptTimeout(time.Second)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(text(g, resp)).To(Equal("late but here"))
		g.Expect(dialed.Load()).To(BeEquivalentTo(2))
	})
	rule(t, "R7, E1: an attempt's timeout is told the same in its head and in its body", func(t *testing.T, g Gomega) {
		base, _ := pipes(t, func(n int, conn net.Conn) {
			requests(conn, func(*http.Request, string) bool {
				if n == 2 {
					fmt.Fprint(conn, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf")
				}
				_, _ = conn.Read(make([]byte, 1)) // until the client leaves
				return false
			})
		})
		tr := transport(g, base, resilient.WithAttempts(1), resilient.WithAttemptTimeout(time.Second))
		_, head := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(head).To(MatchError(HaveSuffix("last failure: the attempt took longer than its timeout of 1s")))
		resp, err := tr.RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		_, body := io.ReadAll(resp.Body)
		g.Expect(resp.Body.Close()).To(Succeed())
		for _, err := range []error{head, body} {
			g.Expect(err).To(MatchError(resilient.ErrAttemptTimeout))
			g.Expect(err).To(MatchError(context.DeadlineExceeded))
			var timeout interface{ Timeout() bool }
			g.Expect(errors.As(err, &timeout) && timeout.Timeout()).To(BeTrue())
		}
	})
	rule(t, "C2: http.Client's own timeout is the caller's deadline", func(t *testing.T, g Gomega) {
		base, _ := pipes(t, func(_ int, conn net.Conn) {
			requests(conn, func(*http.Request, string) bool { return write(conn, 503, "") })
		})
		client := &http.Client{Timeout: 10 * time.Second, Transport: transport(g, base, resilient.WithAttempts(100), constantly(3*time.Second))}
		start := time.Now()
		resp, err := client.Get("http://upstream.test/")
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(resilient.Info(resp).Attempts).To(Equal(4)) // at 0, 3, 6 and 9 s
		g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseDeadline))
		g.Expect(time.Since(start)).To(Equal(9 * time.Second))
	})
	rule(t, "M5: POST, REFUSED_STREAM → may retry", func(t *testing.T, g Gomega) {
		var streams atomic.Int64
		base, _ := pipes(t, func(_ int, conn net.Conn) { refuseStreams(conn, &streams) })
		base.Protocols = new(http.Protocols)
		base.Protocols.SetUnencryptedHTTP2(true)
		resp, err := transport(g, base, resilient.WithAttempts(2)).RoundTrip(request(t, "POST", strings.NewReader("pay")))
		failed := failure(g, resp, err)
		g.Expect(failed.Attempts).To(Equal(2), "%v", err)
		g.Expect(failed.Cause).To(Equal(resilient.CauseExhausted))
		// net/http itself sends a refused stream again, and then gives up.
		g.Expect(streams.Load()).To(BeNumerically(">=", 2))
	})
}

// refuseStreams speaks just enough HTTP/2 to refuse each stream.
func refuseStreams(conn net.Conn, streams *atomic.Int64) {
	const (
		typeHeaders, typeReset, typeSettings = 1, 3, 4
		flagAck, codeRefused                 = 1, 7
	)
	// One goroutine writes, in order: SETTINGS has to be the first frame. It is not
	// the one that reads, since the client takes nothing before its own first frames
	// are read. The queue is longer than all that one call can cause.
	frames := make(chan []byte, 100)
	defer close(frames)
	go func() {
		for bytes := range frames {
			_, _ = conn.Write(bytes)
		}
	}()
	frame := func(kind, flags byte, stream uint32, payload []byte) {
		head := make([]byte, 9)
		binary.BigEndian.PutUint32(head, uint32(len(payload))<<8|uint32(kind))
		head[4] = flags
		binary.BigEndian.PutUint32(head[5:], stream)
		frames <- append(head, payload...)
	}
	if _, err := io.CopyN(io.Discard, conn, int64(len("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))); err != nil {
		return
	}
	frame(typeSettings, 0, 0, nil)
	for head := make([]byte, 9); ; {
		if _, err := io.ReadFull(conn, head); err != nil {
			return
		}
		size := int64(binary.BigEndian.Uint32(head) >> 8)
		if _, err := io.CopyN(io.Discard, conn, size); err != nil {
			return
		}
		switch stream := binary.BigEndian.Uint32(head[5:]); {
		case head[3] == typeSettings && head[4]&flagAck == 0:
			frame(typeSettings, flagAck, 0, nil)
		case head[3] == typeHeaders:
			streams.Add(1)
			frame(typeReset, 0, stream, binary.BigEndian.AppendUint32(nil, codeRefused))
		}
	}
}
