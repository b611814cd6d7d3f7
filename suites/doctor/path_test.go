package doctor_test

import (
	"bytes"
	"errors"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// A path leads to a server's address; to gives its URL.
type path interface {
	to(t *testing.T, server string) string
}

// direct is no path at all.
type direct struct{}

func (direct) to(_ *testing.T, server string) string { return "http://" + server }

// reverseProxy is the one of Go's standard library.
type reverseProxy struct{}

func (reverseProxy) to(t *testing.T, server string) string {
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	proxy.ErrorLog = log.New(io.Discard, "", 0)
	listening := httptest.NewUnstartedServer(proxy)
	listening.Config.ErrorLog = proxy.ErrorLog
	listening.Start()
	t.Cleanup(listening.Close)
	return listening.URL
}

// A trigger is what makes a forwarder try again, once a connection.
type trigger int

const (
	never trigger = iota
	on503
	onReset
	onReuse
	onSilence
)

// A forwarder copies bytes both ways and passes FIN and RST on. Its fields have it do
// one thing otherwise.
type forwarder struct {
	// pause is how long each piece takes.
	pause time.Duration
	// hidesRST ends with FIN what the server has reset, resets the other way about.
	hidesRST, resets bool
	// holds keeps answers back until they are whole.
	holds bool
	// keepsUpstream does not tell the server that the client has left.
	keepsUpstream bool
	// mends answers 502 in the place of a body that is shorter than declared.
	mends bool
	// says is what it answers in the server's place, where that is silent for long;
	// silentFor tells for which requests it is, once they have arrived.
	says      string
	silentFor func(request string) bool
	// retries says when a request is sent a second time.
	retries trigger
	// asks and answers replace texts; spoils changes a byte of a request's body.
	asks, answers *strings.Replacer
	spoils        bool
	// garbles changes a byte of a long answer's body, buffers sends a request on when
	// it is whole.
	garbles, buffers bool
	// continues answers Expect by itself; closesAfter ends the client's connection
	// after an answer that ends so.
	continues bool
	// hangs lets one connection through and takes no notice of the others.
	hangs       bool
	closesAfter string
}

func (f forwarder) to(t *testing.T, server string) string {
	var let atomic.Bool
	return accepting(t, func(client net.Conn) {
		if f.hangs && let.Swap(true) {
			_, _ = io.Copy(io.Discard, client) // until the client leaves
			return
		}
		upstream, err := net.Dial("tcp", server)
		if err != nil {
			t.Error(err)
			return
		}
		(&forwarding{forwarder: f, server: server, client: client.(*net.TCPConn), upstream: upstream.(*net.TCPConn)}).run()
	})
}

// A forwarding is one connection of a forwarder.
type forwarding struct {
	forwarder
	server string
	client *net.TCPConn

	mu       sync.Mutex
	upstream *net.TCPConn
	// sent is what the client has sent since the last answer; heard how much has come
	// since then, answered how many have come before.
	sent            []byte
	heard, answered int
	retried         bool
	// others are connections whose answers nobody waits for.
	others []net.Conn
}

func (f *forwarding) run() {
	var asking sync.WaitGroup
	asking.Go(f.ask)
	f.answer()
	// Nothing more can come, so that whatever the client still sends is lost.
	if f.closesAfter != "" {
		_ = f.client.Close()
	}
	asking.Wait()
	_ = f.up().Close()
	for _, other := range f.others {
		_ = other.Close()
	}
}

func (f *forwarding) up() *net.TCPConn {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.upstream
}

// ask copies requests.
func (f *forwarding) ask() {
	buffer := make([]byte, 32<<10)
	var waiting []byte
	for {
		n, err := f.client.Read(buffer)
		text := buffer[:n]
		if waiting = append(waiting, text...); f.buffers && err == nil && !complete(waiting) {
			continue
		}
		text, waiting = waiting, nil
		if f.asks != nil {
			text = []byte(f.asks.Replace(string(text)))
		}
		if f.spoils && len(text) > 1000 {
			text[500]++
			f.spoils = false
		}
		if f.continues && strings.Contains(string(text), "Expect: 100-continue") {
			_, _ = f.client.Write([]byte("HTTP/1.1 100 Continue\r\n\r\n"))
		}
		f.mu.Lock()
		if f.heard > 0 {
			f.sent, f.heard = nil, 0
			f.answered++
		}
		f.sent = append(f.sent, text...)
		upstream := f.upstream
		f.mu.Unlock()
		time.Sleep(f.pause)
		if len(text) > 0 {
			_, _ = upstream.Write(text)
		}
		if f.silentFor != nil && len(text) > 0 && (f.says != "" || f.retries == onSilence) && f.silentFor(string(text)) {
			f.loses(text)
		}
		switch {
		case err == nil:
			continue
		case f.keepsUpstream:
		case errors.Is(err, io.EOF):
			_ = upstream.CloseWrite()
		default:
			_ = upstream.SetLinger(0)
			_ = upstream.Close()
		}
		return
	}
}

// answer copies answers.
func (f *forwarding) answer() {
	buffer := make([]byte, 32<<10)
	var held []byte
	for {
		upstream := f.up()
		n, err := upstream.Read(buffer)
		f.mu.Lock()
		fresh := f.heard == 0
		f.heard += n
		reused := f.answered > 0
		f.mu.Unlock()
		if !f.retried && fresh {
			switch {
			case f.retries == on503 && strings.HasPrefix(string(buffer[:n]), "HTTP/1.1 503"),
				f.retries == onReset && isReset(err) && !reused,
				f.retries == onReuse && isReset(err) && reused:
				f.again()
				continue
			}
		}
		if f.garbles && n > 1000 {
			buffer[n-1]++
		}
		held = append(held, buffer[:n]...)
		if f.holds && err == nil && !wholeAnswer(held) {
			continue
		}
		if f.mends && cutShort(held) {
			if err == nil {
				continue
			}
			held, err = []byte("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"), io.EOF
		}
		time.Sleep(f.pause)
		if f.answers != nil {
			held = []byte(f.answers.Replace(string(held)))
		}
		_, _ = f.client.Write(held)
		if f.closesAfter != "" && strings.HasSuffix(string(held), f.closesAfter) {
			return
		}
		held = nil
		if err != nil {
			f.end(isReset(err))
			return
		}
	}
}

// loses patience with a server that is silent.
func (f *forwarding) loses(request []byte) {
	switch {
	case f.says != "":
		_, _ = f.client.Write([]byte(f.says))
		_ = f.client.CloseWrite()
	case f.retries == onSilence:
		// Whichever answers is as good: the first one's answer is passed on.
		second, err := net.Dial("tcp", f.server)
		if err != nil {
			return
		}
		_, _ = second.Write(request)
		f.mu.Lock()
		defer f.mu.Unlock()
		f.others = append(f.others, second)
	}
}

// again sends the request once more, on another connection.
func (f *forwarding) again() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.retried, f.heard = true, 0
	_ = f.upstream.Close()
	upstream, err := net.Dial("tcp", f.server)
	if err != nil {
		return
	}
	f.upstream = upstream.(*net.TCPConn)
	_, _ = f.upstream.Write(f.sent)
}

// end passes the server's end on.
func (f *forwarding) end(reset bool) {
	if reset && !f.hidesRST || f.resets {
		_ = f.client.SetLinger(0)
		_ = f.client.Close()
		return
	}
	_ = f.client.CloseWrite()
}

var lengthLine = regexp.MustCompile(`\r\nContent-Length: (\d+)\r\n`)

// cutShort tells that an answer is shorter than it says.
func cutShort(heard []byte) bool {
	head, body, whole := bytes.Cut(heard, []byte("\r\n\r\n"))
	length := lengthLine.FindSubmatch(append(head, '\r', '\n'))
	if !whole || length == nil {
		return false
	}
	declared, _ := strconv.Atoi(string(length[1]))
	return len(body) < declared
}

// complete tells that a request is whole.
func complete(request []byte) bool {
	if bytes.Contains(request, []byte("\r\nTransfer-Encoding: chunked\r\n")) {
		return bytes.HasSuffix(request, []byte("\r\n0\r\n\r\n"))
	}
	return !cutShort(request)
}

// wholeAnswer tells that an answer is whole, or one before it.
func wholeAnswer(heard []byte) bool {
	if bytes.HasPrefix(heard, []byte("HTTP/1.1 1")) {
		return true
	}
	return complete(heard) && bytes.Contains(heard, []byte("\r\n\r\n"))
}

// answering is the URL of somebody who says one thing, whatever is asked.
func answering(says string) func(t *testing.T, server string) string {
	return func(t *testing.T, _ string) string {
		return accepting(t, func(conn net.Conn) {
			_, _ = io.WriteString(conn, says)
			_, _ = io.Copy(io.Discard, conn) // until the client leaves
		})
	}
}

// accepting is the URL of somebody who does one thing with each connection.
func accepting(t *testing.T, do func(net.Conn)) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				do(conn)
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	return "http://" + listener.Addr().String()
}

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
