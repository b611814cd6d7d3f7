package faultserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// TestHTTPIsServedRight says, for each request as it goes out, what comes back
// until the server closes, and what the journal lists.
func TestHTTPIsServedRight(t *testing.T) {
	const ok = "Content-Length: 3\r\n"
	exchanges := map[string]struct {
		script  string
		request string
		// want are parts of what comes back, in order; "$" is the end of it.
		want []string
		// attempts are the targets of the attempts, events the kinds of events.
		attempts, events string
	}{
		"keep-alive and pipelining": {"200:forever", get("/a") + get("/b") + "GET /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{"HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\n", "Connection: close\r\n\r\n$"}, "/a /b /c", ""},
		"pipelined after a body": {"succeed:forever", put("hello") + "GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{ok, "\r\nok\n", ok, "Connection: close\r\n\r\nok\n$"}, "/ /b", ""},
		"HTTP/1.0 closes": {"succeed", "GET / HTTP/1.0\r\n\r\n",
			[]string{"HTTP/1.0 200 OK\r\n", ok, "\r\nok\n$"}, "/", ""},
		"HTTP/1.0 keeps alive when asked": {"succeed:forever", "GET /a HTTP/1.0\r\nConnection: keep-alive\r\n\r\nGET /b HTTP/1.0\r\n\r\n",
			[]string{"HTTP/1.0 200 OK\r\n", "Connection: keep-alive\r\n\r\nok\n", "HTTP/1.0 200 OK\r\n", "\r\nok\n$"}, "/a /b", ""},
		"HTTP/1.0 gets no chunks": {"200:body=5:framing=chunked", "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
			[]string{"HTTP/1.0 200 OK\r\nDate: ", " GMT\r\n\r\n", "$"}, "/", ""},
		"HTTP/1.0 gets no 100": {"succeed", "PUT / HTTP/1.0\r\nContent-Length: 1\r\nExpect: 100-continue\r\n\r\nb",
			[]string{"HTTP/1.0 200 OK\r\n", "$"}, "/", ""},
		"HEAD has a length and no body": {"200:body=5:forever", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\nHEAD / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{"Content-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\n", "Content-Length: 5\r\nConnection: close\r\n\r\n$"}, "/ /", ""},
		"204 has neither": {"204", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{"HTTP/1.1 204 No Content\r\nDate: ", " GMT\r\nConnection: close\r\n\r\n$"}, "/", ""},
		"304 has no body": {"304:body=5", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{"HTTP/1.1 304 Not Modified\r\nDate: ", " GMT\r\nConnection: close\r\n\r\n$"}, "/", ""},
		"close-delimited": {"200:body=5:framing=close", get("/"),
			[]string{"HTTP/1.1 200 OK\r\nDate: ", " GMT\r\nConnection: close\r\n\r\n", "$"}, "/", ""},
		"chunked request with trailers": {"succeed", "POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwiki\r\n5;ext=1\r\npedia\r\n0\r\nCheck: sum\r\n\r\n",
			[]string{"HTTP/1.1 200 OK\r\n", "ok\n$"}, "/", ""},
		"absolute form": {"succeed", "GET http://example.com/a?b=c HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n",
			[]string{"HTTP/1.1 200 OK\r\n", "$"}, "/a?b=c", ""},
		"asterisk form": {"succeed", "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{"HTTP/1.1 200 OK\r\n", "$"}, "*", ""},
		"empty lines before a request": {"succeed", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
			[]string{"HTTP/1.1 200 OK\r\n", "$"}, "/", ""},
		"no Host":     {"succeed:optional", "GET / HTTP/1.1\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"two Hosts":   {"succeed:optional", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"two lengths": {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"the same length twice": {"succeed", "PUT / HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
			[]string{"HTTP/1.1 200 ", "$"}, "/", ""},
		"length and chunked":  {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"signed length":       {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: +1\r\n\r\na", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"unknown coding":      {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", []string{"HTTP/1.1 501 ", "$"}, "", "bad-head"},
		"space before colon":  {"succeed:optional", "GET / HTTP/1.1\r\nHost : x\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"folded header":       {"succeed:optional", "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"no version":          {"succeed:optional", "GET /\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "", "bad-head"},
		"another version":     {"succeed:optional", "GET / HTTP/3.0\r\nHost: x\r\n\r\n", []string{"HTTP/1.1 505 ", "$"}, "", "bad-head"},
		"head too large":      {"succeed:optional", "GET / HTTP/1.1\r\nHost: x\r\nA: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", []string{"HTTP/1.1 431 ", "$"}, "", "head-too-large"},
		"TLS hello":           {"succeed:optional", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", []string{"$"}, "", "not-http"},
		"HTTP/2 preface":      {"succeed:optional", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", []string{"$"}, "", "not-http"},
		"bad chunk size":      {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", []string{"HTTP/1.1 400 ", "$"}, "/", "bad-body"},
		"chunk without end":   {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n", []string{"HTTP/1.1 400 ", "$"}, "/", "bad-body"},
		"negative chunk size": {"succeed:optional", "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n", []string{"HTTP/1.1 400 ", "$"}, "/", "bad-body"},
	}
	for name, e := range exchanges {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, faultserver.Config{Script: script(e.script)})
			p := dial(t, s.URL())
			p.say(e.request)
			heard, end := p.hear()
			rest := heard
			for _, part := range e.want {
				part, last := strings.CutSuffix(part, "$")
				i := strings.Index(rest, part)
				if i < 0 || last && part != "" && !strings.HasSuffix(rest, part) {
					t.Fatalf("heard %q; want %q in %q", heard, part, rest)
				}
				rest = rest[i+len(part):]
			}
			if end != "fin" {
				t.Errorf("it ended with %s; want fin", end)
			}
			_ = p.Close()
			journal := eventually(t, s, "the connection is closed", func(j faultserver.Journal) bool { return j.Connections[0].Closed > 0 })
			var attempts, events []string
			for _, a := range journal.Attempts {
				attempts = append(attempts, a.Target)
			}
			for _, event := range journal.Events {
				events = append(events, event.Kind)
			}
			if strings.Join(attempts, " ") != e.attempts || strings.Join(events, " ") != e.events {
				t.Errorf("attempts %q, events %q (%v); want %q and %q", attempts, events, journal.Events, e.attempts, e.events)
			}
			if len(journal.Unmet) != 0 {
				t.Errorf("unmet: %v", journal.Unmet)
			}
		})
	}
}

// TestContinueIsSentWhenTheBodyIsToBeRead has a client that waits for a 100.
func TestContinueIsSentWhenTheBodyIsToBeRead(t *testing.T) {
	const head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n"
	t.Run("read", func(t *testing.T) {
		p := dial(t, open(t, faultserver.Config{Script: script("succeed")}).URL())
		p.say(head)
		line, err := p.reader.ReadString('\n')
		if err != nil || line != "HTTP/1.1 100 Continue\r\n" {
			t.Fatalf("heard %q, %v; want a 100", line, err)
		}
		p.say("body")
		if body, end := p.hearBody(); !strings.HasSuffix(body, "ok\n") || end != "fin" {
			t.Errorf("heard %q, then %s; want ok, then fin", body, end)
		}
	})
	t.Run("early answer", func(t *testing.T) {
		s := open(t, faultserver.Config{Script: script("417@request-head")})
		p := dial(t, s.URL())
		p.say(head)
		response, err := http.ReadResponse(p.reader, nil)
		if err != nil || response.StatusCode != 417 {
			t.Fatalf("heard %+v, %v; want 417 and no 100 before it", response, err)
		}
		if received := s.Journal().Attempts[0].Body.Received; received != 0 {
			t.Errorf("%d body bytes; want none", received)
		}
	})
	t.Run("body at once", func(t *testing.T) {
		p := dial(t, open(t, faultserver.Config{Script: script("succeed")}).URL())
		p.say(head + "body")
		if line, err := p.reader.ReadString('\n'); err != nil || line != "HTTP/1.1 200 OK\r\n" {
			t.Errorf("heard %q, %v; want no 100, since the body came", line, err)
		}
	})
}

// TestAnswersAreWhole reads back bodies, trailers and informational answers
// with the standard library's reader.
func TestAnswersAreWhole(t *testing.T) {
	large := faultserver.Body{Size: 3*faultserver.MiB + 7, Seed: 42}
	answers := []faultserver.Answer{
		{Body: large},
		{Body: large, Framing: faultserver.FramingChunked, Trailers: faultserver.Headers{{Name: "Check", Value: "sum"}}, Headers: faultserver.Headers{{Name: "Trailer", Value: "Check"}}},
		{Body: large, Framing: faultserver.FramingClose},
		{Body: faultserver.Body{Text: "small"}, Status: 299, Informational: []faultserver.Informational{{Status: 103, Headers: faultserver.Headers{{Name: "Link", Value: "</a>"}}}}},
	}
	for i, answer := range answers {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			s := open(t, faultserver.Config{Script: []faultserver.Step{{Act: faultserver.Respond{Answer: answer}}}})
			p := dial(t, s.URL())
			p.say(get("/"))
			for range answer.Informational {
				if informational, err := http.ReadResponse(p.reader, nil); err != nil || informational.StatusCode != 103 || informational.Header.Get("Link") != "</a>" {
					t.Fatalf("heard %+v, %v; want 103", informational, err)
				}
			}
			response, err := http.ReadResponse(p.reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(response.Body)
			if err != nil || string(body) != string(answer.Body.Bytes()) {
				t.Errorf("%d bytes, %v; want the %d of the answer", len(body), err, answer.Body.Len())
			}
			if len(answer.Trailers) > 0 && response.Trailer.Get("Check") != "sum" {
				t.Errorf("trailers %v; want Check: sum", response.Trailer)
			}
		})
	}
}

// TestHeadsAreKeptAsTheyCame has order, case and duplicates in the journal.
func TestHeadsAreKeptAsTheyCame(t *testing.T) {
	s := open(t, faultserver.Config{Script: script("succeed"), KeepBodies: true})
	p := dial(t, s.URL())
	p.say("POST /a?b HTTP/1.1\r\nhOsT: x\r\nB: 2\r\nA: 1\r\nb:  3 \r\nTransfer-Encoding: chunked\r\n\r\n")
	p.say("3\r\nabc\r\n0\r\nT: u\r\n\r\n")
	if _, err := http.ReadResponse(p.reader, nil); err != nil {
		t.Fatal(err)
	}
	a := s.Journal().Attempts[0]
	want := faultserver.Headers{{Name: "hOsT", Value: "x"}, {Name: "B", Value: "2"}, {Name: "A", Value: "1"}, {Name: "b", Value: "3"}, {Name: "Transfer-Encoding", Value: "chunked"}}
	if fmt.Sprint(a.Headers) != fmt.Sprint(want) {
		t.Errorf("headers %v; want %v", a.Headers, want)
	}
	source := faultserver.Body{Text: "abc"}
	if b := a.Body; b.Declared != -1 || !b.Chunked || b.Received != 3 || !b.Complete || b.SHA256 != source.SHA256() || string(b.Kept) != "abc" || fmt.Sprint(b.Trailers) != "[{T u}]" {
		t.Errorf("body %+v; want abc in chunks, complete, with its trailer", b)
	}
	if a.Method != "POST" || a.Target != "/a?b" || a.Proto != "HTTP/1.1" || a.Use != 1 || a.Connection != 1 || a.Number != 1 {
		t.Errorf("attempt %+v", a)
	}
}

// TestArrivalIsTheHeadsFirstByte has a head that comes in two parts, and one
// that comes with the request before it.
func TestArrivalIsTheHeadsFirstByte(t *testing.T) {
	s := open(t, faultserver.Config{Script: script("succeed:delay=50ms:forever")})
	p := dial(t, s.URL())
	p.say("GET /slow HTTP/1.1\r\n")
	eventually(t, s, "the first part has been read", func(j faultserver.Journal) bool { return len(j.Connections) == 1 && !j.Connections[0].Silent })
	time.Sleep(50 * time.Millisecond)
	p.say("Host: x\r\n\r\n" + get("/pipelined"))
	for range 2 {
		response, err := http.ReadResponse(p.reader, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
	}
	attempts := s.Journal().Attempts
	if read := attempts[0].HeadRead - attempts[0].Arrived; read < 40*time.Millisecond {
		t.Errorf("the slow head took %v from its first byte; want the 50 ms between its parts", read)
	}
	if attempts[1].Arrived > attempts[0].End.Earliest {
		t.Errorf("the pipelined head arrived at %v; want the time it came, before the first answer at %v", attempts[1].Arrived, attempts[0].End.Earliest)
	}
	if attempts[1].Use != 2 {
		t.Errorf("use %d; want 2", attempts[1].Use)
	}
}

// TestAnswersAreOneWrite has head and body arrive together where they fit.
func TestAnswersAreOneWrite(t *testing.T) {
	s := open(t, faultserver.Config{Script: script("200:body=1000:forever")})
	p := dial(t, s.URL())
	p.reader = bufio.NewReaderSize(p.Conn, 1<<20)
	for range 50 {
		p.say(get("/"))
		if _, err := p.reader.Peek(1); err != nil {
			t.Fatal(err)
		}
		content, _ := p.reader.Peek(p.reader.Buffered())
		if !strings.HasSuffix(string(content), "\r\n\r\n"+string(faultserver.Body{Size: 1000}.Bytes())) {
			t.Fatalf("the first read has %d bytes; want head and body at once", len(content))
		}
		_, _ = p.reader.Discard(len(content)) // they are buffered
	}
}
