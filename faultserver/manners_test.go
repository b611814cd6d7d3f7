package faultserver_test

import (
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/faultserver"
)

// anyActs are of every kind, and none lasts.
var anyActs = []string{
	"503", "200:body=300KiB", "200:framing=chunked:body=70KiB", "200:framing=close", "413@request-head", "413@request-body@10",
	"reset", "reset@request-head", "reset@response-body@100", "close", "close:half", "close@request-body@3", "close@response-head",
	"stall:5ms", "stall@request-head:5ms", "stall@response-body@10:5ms", "truncate@5", "truncate@5:end=rst", "truncate@100:framing=chunked:cut=between-chunks",
	"stale:1ms", "stale:1ms:end=rst", "stale:30ms", "stale:2ms:unsolicited=408", "raw:SFRU.YWI:every=1ms", "raw:SFRU:end=rst", "redirect:307",
	"malformed:bad-chunk-size", "malformed:oversized-head:head=64KiB", "malformed:wrong-digest", "dribble:1ms:bytes=40", "bandwidth:1MiB:way=both:body=30KiB",
	"slow-read:1ms:bytes=4KiB", "expect-continue:late:after=2ms", "expect-continue:never", "throttle:5", "capacity:100:queue=2", "flap:up=1:down=1", "ramp:3",
	"200:delay=3ms", "200:probability=0.5", "200:commit",
}

// anyRequests are whole ones, one that is two, and one that breaks off.
var anyRequests = []string{
	get("/x"), get("/x") + get("/y"), put(strings.Repeat("b", 70_000)), "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nabc",
	"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
	"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nA: b\r\n\r\n",
}

// manners are how a client behaves on one connection.
type manners struct {
	requests []string
	reads    int // after each request
	patience time.Duration
	leaves   string
}

func drawManners(t *rapid.T) manners {
	return manners{
		rapid.SliceOfN(rapid.SampledFrom(anyRequests), 1, 3).Draw(t, "requests"), rapid.IntRange(0, 4).Draw(t, "reads"),
		time.Duration(rapid.IntRange(2, 40).Draw(t, "patience")) * time.Millisecond, rapid.SampledFrom([]string{"fin", "rst", "half"}).Draw(t, "leaves"),
	}
}

// call behaves so. What fails is what the server has done, or the client's patience.
func (m manners) call(url string) {
	p, err := connect(url)
	if err != nil {
		return
	}
	defer func() { _ = p.Close() }()
	_ = p.SetDeadline(time.Now().Add(m.patience))
	tcp, is := p.Conn.(*net.TCPConn)
	for _, request := range m.requests {
		p.say(request)
		if is && m.leaves == "half" {
			_ = tcp.CloseWrite()
		}
		for range m.reads {
			if _, err := p.Read(make([]byte, 32<<10)); err != nil {
				break
			}
		}
	}
	if is && m.leaves == "rst" {
		_ = tcp.SetLinger(0)
	}
}

// TestNothingIsInProgressAtTheEnd lets clients of any manners meet any script. When the
// session has been closed, each attempt has ended, says what happened, and was told of
// twice: when it arrived, and when it had ended.
func TestNothingIsInProgressAtTheEnd(t *testing.T) {
	for range 5 { // a hundred each: what goes wrong does so seldom
		rapid.Check(t, nothingIsInProgressAtTheEnd)
	}
}

func nothingIsInProgressAtTheEnd(t *rapid.T) {
	line := strings.Join(rapid.SliceOfN(rapid.SampledFrom(anyActs), 1, 5).Draw(t, "script"), ",")
	if err := faultserver.ValidateScript(script(line)); err != nil {
		t.Skip(err) // such as an act that serves all, and others behind it
	}
	var mu sync.Mutex
	told := map[int][]bool{}
	s, err := faultserver.Open(faultserver.Config{Script: script(line), AfterScript: faultserver.LoopAfterScript, Observe: func(a faultserver.Attempt) {
		mu.Lock()
		defer mu.Unlock()
		told[a.Index] = append(told[a.Index], a.Open)
	}})
	if err != nil {
		t.Fatal(err)
	}
	var clients sync.WaitGroup
	for range rapid.IntRange(1, 4).Draw(t, "clients") {
		m := drawManners(t)
		clients.Go(func() { m.call(s.URL()) })
	}
	clients.Wait()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, a := range s.Journal().Attempts {
		if a.Open || a.Happened.Kind == "" || a.End.Latest < a.End.Earliest {
			t.Errorf("%+v", a)
		}
		if said := told[a.Index]; len(said) != 2 || !said[0] || said[1] {
			t.Errorf("it was told as open %v; want when it arrived, and when it had ended: %+v", said, a)
		}
	}
}
