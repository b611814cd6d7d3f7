package faultserver

import (
	"bytes"
	"errors"
	"io"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"
)

// FuzzHead has no bytes make the reader of heads panic, or leave a body's end
// in doubt.
func FuzzHead(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "PUT http://a/b?c HTTP/1.0\nContent-Length: 3\n\nabc", "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\x16\x03\x01", "\r\n\r\nOPTIONS * HTTP/1.1\r\nHost:\r\n\r\n", "CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n", "GET /s/a/c/b HTTP/1.1\r\nHost: x\r\n\r\n",
		"GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, sent []byte) {
		in := newInput(&playback{content: bytes.NewReader(sent)})
		defer in.release()
		for {
			h, err := in.readHead()
			if err != nil {
				var bad *badHead
				if !errors.As(err, &bad) && !errors.Is(err, io.EOF) {
					t.Fatalf("%q: %v; want a bad head or the end", sent, err)
				}
				return
			}
			if h.chunked && h.declared >= 0 || !strings.HasPrefix(h.path, "/") && h.path != "*" && h.method != "CONNECT" {
				t.Fatalf("%q is read as %+v", sent, h)
			}
			if _, rest, found := cutPrefix(h.path, "/c/"); found && !strings.HasPrefix(rest, "/") {
				t.Fatalf("%q leaves the path %q", h.path, rest)
			}
			body := newRequestBody(in, h, true)
			if err := body.readTo(wholeBody); err != nil {
				return
			}
			if receipt := body.snapshot(); !receipt.Complete || h.declared >= 0 && receipt.Received != h.declared || len(receipt.Kept) > keptBody {
				t.Fatalf("%q: %+v", sent, receipt)
			}
		}
	})
}

// FuzzOrdinaryHead has the standard library agree with what is read without it.
func FuzzOrdinaryHead(f *testing.F) {
	for _, seed := range []string{
		"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /a?b=c HTTP/1.0\nHost: x:1\nContent-Length: 007\nX: a\tb\n\n",
		"GET /%2 HTTP/1.1\r\n\r\n", "GET //a HTTP/1.1\r\nHost: x\r\n\r\n", "GET /a HTTP/1.1\r\nTrailer: Host\r\n\r\n", "CONNECT /a HTTP/1.1\r\n\r\n",
		"GET /a HTTP/1.1\r\nHost: x\r\ncontent-length: 1\r\nContent-Length: 2\r\n\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if end := headEnd([]byte(raw), 0); end != len(raw) {
			return
		}
		h, err := parseHead(raw)
		line, _, _ := strings.Cut(raw, "\n")
		if err != nil || !h.ordinary(strings.TrimSuffix(line, "\r")) {
			return
		}
		asked := &head{raw: raw, headers: h.headers, declared: -1}
		if err := asked.readByLibrary(line); err != nil {
			t.Fatalf("%q is read as %+v; the library says %v", raw, h, err)
		}
		if err := asked.checkFraming(); err != nil || !reflect.DeepEqual(asked, h) {
			t.Fatalf("%q is read as %+v; the library reads %+v, %v", raw, h, asked, err)
		}
	})
}

// A playback is a connection on which given bytes come, and then the end.
type playback struct {
	net.Conn
	content *bytes.Reader
}

func (p *playback) Read(b []byte) (int, error)      { return p.content.Read(b) }
func (p *playback) SetReadDeadline(time.Time) error { return nil }

// TestHeadsThatComeInPieces has a head be the same however it is cut.
func TestHeadsThatComeInPieces(t *testing.T) {
	const sent = "\r\nPUT /a HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /b HTTP/1.1\r\nHost: x\r\n\r\n"
	for size := 1; size <= len(sent); size++ {
		in := newInput(&pieces{playback{content: bytes.NewReader([]byte(sent))}, size})
		first, err := in.readHead()
		if err != nil || first.path != "/a" || first.declared != 3 {
			t.Fatalf("in pieces of %d: %+v, %v", size, first, err)
		}
		body := newRequestBody(in, first, true)
		if err := body.readTo(2); err != nil || body.receipt.Received != 2 || body.receipt.Complete {
			t.Fatalf("in pieces of %d: %+v, %v; want exactly 2 bytes", size, body.receipt, err)
		}
		if err := body.readTo(wholeBody); err != nil || string(body.receipt.Kept) != "abc" {
			t.Fatalf("in pieces of %d: %+v, %v", size, body.receipt, err)
		}
		if second, err := in.readHead(); err != nil || second.path != "/b" {
			t.Fatalf("in pieces of %d: %+v, %v", size, second, err)
		}
		if _, err := in.readHead(); !errors.Is(err, io.EOF) || in.how() != "client-fin" {
			t.Fatalf("in pieces of %d: %v; want the end", size, err)
		}
	}
}

// pieces is a playback that gives at most size bytes a read.
type pieces struct {
	playback
	size int
}

func (p *pieces) Read(b []byte) (int, error) { return p.content.Read(b[:min(len(b), p.size)]) }

// TestAMebibyteOfHeadIsRead has the largest head come through.
func TestAMebibyteOfHeadIsRead(t *testing.T) {
	const around = "GET / HTTP/1.1\r\nHost: x\r\nA: \r\n\r\n"
	sent := strings.Replace(around, "A: ", "A: "+strings.Repeat("a", maxHead-len(around)), 1)
	in := newInput(&playback{content: bytes.NewReader([]byte(sent))})
	h, err := in.readHead()
	if err != nil || len(h.headers.Get("A")) != maxHead-len(around) {
		t.Errorf("%v; want the head", err)
	}
	if len(in.buf) != smallBuffer {
		t.Errorf("%d bytes of buffer are held on to; want %d", len(in.buf), smallBuffer)
	}
}

// TestChunksOfDoubtfulFramingAreRefused holds the framing of chunks to what the
// standard library takes: a proxy in front may read anything else in another way.
func TestChunksOfDoubtfulFramingAreRefused(t *testing.T) {
	for sent, right := range map[string]bool{
		"3\r\nabc\r\n0\r\n\r\n": true, "3 ;a=b\r\nabc\r\n0\r\nA: b\tc\r\n\r\n": true,
		"3\nabc\r\n0\r\n\r\n": false, "3\r\nabc\n0\r\n\r\n": false, "3\r\nabc\r\n0\n\r\n": false, "3\r\nabc\r\n0\r\n\n": false,
		"0\r\nA: b\n\r\n": false, "3;a\r\r\nabc\r\n0\r\n\r\n": false, "3;a\x00\r\nabc\r\n0\r\n\r\n": false, "0\r\nA: b\x00\r\n\r\n": false, "0\r\nA : b\r\n\r\n": false,
	} {
		in := newInput(&playback{content: bytes.NewReader([]byte(sent + "GET"))})
		err := newRequestBody(in, &head{chunked: true, declared: -1}, false).readTo(wholeBody)
		if isBadBody(err) == right || right && string(in.unread()) != "GET" {
			t.Errorf("%q: %v, and %q behind it; want it taken: %t", sent, err, in.unread(), right)
		}
		in.release()
	}
}
