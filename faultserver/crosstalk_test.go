package faultserver_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A saying is a request of which every part says whose it is.
type saying struct {
	number int
	// wire is what is written; declared and chunked, trailers, headers and content
	// are what the journal is to have.
	wire     string
	headers  faultserver.Headers
	content  string
	trailers faultserver.Headers
}

// mark is a text of a length that no other request has.
func mark(number, length int) string {
	own := fmt.Sprintf("<%d>", number)
	return strings.Repeat(own, length/len(own)+1)[:length]
}

// sayingOf draws a request: its head and body smaller and larger than the buffers
// that connections hold, with a length, in chunks with extensions and trailers, or
// without a body.
func sayingOf(number int, random *rand.Rand) saying {
	said := saying{number: number, headers: faultserver.Headers{{Name: "Host", Value: mark(number, 12)}, {Name: "X-" + strconv.Itoa(number), Value: mark(number, 1+random.IntN(200))}}}
	if random.IntN(20) == 0 {
		said.headers = append(said.headers, faultserver.Header{Name: "X-Large", Value: mark(number, 3000+random.IntN(20_000))})
	}
	var body strings.Builder
	switch random.IntN(3) {
	case 0:
		said.content = mark(number, 1+random.IntN(9000))
		said.headers = append(said.headers, faultserver.Header{Name: "Content-Length", Value: strconv.Itoa(len(said.content))})
		body.WriteString(said.content)
	case 1:
		said.headers = append(said.headers, faultserver.Header{Name: "Transfer-Encoding", Value: "chunked"})
		for range 1 + random.IntN(4) {
			chunk := mark(number, 1+random.IntN(5000))
			said.content += chunk
			fmt.Fprintf(&body, "%x;of=%s\r\n%s\r\n", len(chunk), mark(number, 9), chunk)
		}
		said.trailers = faultserver.Headers{{Name: "X-Trailer", Value: mark(number, 1+random.IntN(300))}}
		fmt.Fprintf(&body, "0\r\nX-Trailer: %s\r\n\r\n", said.trailers[0].Value)
	}
	var head strings.Builder
	fmt.Fprintf(&head, "PUT /%d HTTP/1.1\r\n", number)
	for _, line := range said.headers {
		fmt.Fprintf(&head, "%s: %s\r\n", line.Name, line.Value)
	}
	said.wire = head.String() + "\r\n" + body.String()
	return said
}

// heardAs says what of a journal's entry is not the request's own.
func (s saying) heardAs(a faultserver.Attempt) error {
	kept := s.content[:min(len(s.content), 64<<10)]
	switch {
	case a.Method != "PUT" || a.Target != "/"+strconv.Itoa(s.number):
		return fmt.Errorf("%d is entered as %s %s", s.number, a.Method, a.Target)
	case !slices.Equal(a.Headers, s.headers):
		return fmt.Errorf("%d has the headers %.300q; want %.300q", s.number, a.Headers, s.headers)
	case !bytes.Equal(a.Body.Kept, []byte(kept)) || a.Body.SHA256 != (faultserver.Body{Text: s.content}).SHA256() || a.Body.Received != int64(len(s.content)):
		return fmt.Errorf("%d has another body: %d bytes, %.100q; want %d", s.number, a.Body.Received, a.Body.Kept, len(s.content))
	case !slices.Equal(a.Body.Trailers, s.trailers) || !a.Body.Complete:
		return fmt.Errorf("%d has the trailers %.300q, complete: %t", s.number, a.Body.Trailers, a.Body.Complete)
	}
	return nil
}

// TestNoByteOfOneRequestIsInAnothersEntry has connections that are used again and
// ended in the middle, with several requests at once on them, cut anywhere, and
// holds each entry to what was sent. Buffers, heads and what requests are dealt with
// on are used again meanwhile.
func TestNoByteOfOneRequestIsInAnothersEntry(t *testing.T) {
	const connections, together = 400, 6
	s := open(t, faultserver.Config{KeepBodies: true, AfterScript: faultserver.LoopAfterScript,
		Script: script("200x3,503,200:delay=1ms,succeedx4,200:framing=chunked,stall:2ms,200x4,429:retry-after=1,200:body=70KiB,200x5,413@request-head")})
	said := make([][]saying, connections)
	for i := range said {
		random := rand.New(rand.NewPCG(1, uint64(i)))
		for n := range 1 + random.IntN(together) {
			said[i] = append(said[i], sayingOf(i*together+n, random))
		}
	}
	many(t, connections, 32, func(i int) error {
		random := rand.New(rand.NewPCG(2, uint64(i)))
		p, err := connect(s.URL())
		if err != nil {
			return err
		}
		defer func() { _ = p.Close() }()
		var all strings.Builder
		for _, one := range said[i] {
			all.WriteString(one.wire)
		}
		text := all.String()
		if random.IntN(4) == 0 {
			text = text[:random.IntN(len(text))] // it leaves in the middle
		}
		heard := make(chan struct{})
		go func() { defer close(heard); _, _ = io.Copy(io.Discard, p.reader) }()
		for text != "" && p.refused == nil {
			n := min(len(text), 1+random.IntN(1+random.IntN(10_000)))
			p.say(text[:n])
			text = text[n:]
		}
		if tcp, is := p.Conn.(interface{ CloseWrite() error }); is {
			_ = tcp.CloseWrite() // it may have been reset
		}
		<-heard
		return nil
	})
	whole := 0
	for _, a := range s.Journal().Attempts {
		number, err := strconv.Atoi(strings.TrimPrefix(a.Target, "/"))
		if err != nil {
			t.Fatalf("the target %q", a.Target)
		}
		of := said[number/together]
		one := of[number%together]
		if a.Body.Complete {
			whole++
		} else { // what came of it is its own
			one.content, one.trailers = one.content[:a.Body.Received], nil
			a.Body.Complete = true
		}
		if err := one.heardAs(a); err != nil {
			t.Fatal(err)
		}
	}
	if whole < connections {
		t.Fatalf("%d whole requests in the journal; want one a connection at least", whole)
	}
}
