package faultserver_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// TestMalformationsAreExact has each malformation seen byte for byte, every time.
func TestMalformationsAreExact(t *testing.T) {
	content := string(faultserver.Body{Size: 20}.Bytes())
	date := len("Date: Mon, 02 Jan 2006 15:04:05 GMT\r\n")
	const ok = "HTTP/1.1 200 OK\r\n"
	for what, want := range map[faultserver.Malformation]string{
		faultserver.BadChunkSize:     ok + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\nxyz\r\n" + content + "\r\n0\r\n\r\n",
		faultserver.BadCRLF:          ok + "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n14\r\n" + content + "XX0\r\n\r\n",
		faultserver.TwoLengths:       ok + "Content-Length: 21\r\nContent-Length: 20\r\nConnection: close\r\n\r\n" + content,
		faultserver.TwoLengthsFirst:  ok + "Content-Length: 20\r\nContent-Length: 21\r\nConnection: close\r\n\r\n" + content,
		faultserver.LengthAndChunked: ok + "Content-Length: 20\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n14\r\n" + content + "\r\n0\r\n\r\n",
		faultserver.BadStatusLine:    "HTTP/1.1 abc Nonsense\r\nContent-Length: 20\r\nConnection: close\r\n\r\n" + content,
	} {
		t.Run(string(what), func(t *testing.T) {
			s := open(t, faultserver.Config{Script: script("malformed:" + string(what) + ":body=20:forever")})
			many(t, runs, 8, func(int) error {
				p, err := connect(s.URL())
				if err != nil {
					return err
				}
				defer func() { _ = p.Close() }()
				p.say(get("/"))
				heard, end := p.hear()
				if i := strings.Index(heard, "Date: "); i >= 0 {
					heard = heard[:i] + heard[i+date:]
				}
				if heard != want || end != "fin" {
					return errors.New("heard " + heard + ", then " + end)
				}
				return nil
			})
			expectAllMet(t, s.Journal(), runs)
		})
	}
}

var _ = Describe("Malformed", func() {
	answer := func(line string) (*peer, *http.Response, []byte) {
		GinkgoHelper()
		s := run(line + ",201")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		content, err := io.ReadAll(response.Body)
		Expect(err).NotTo(HaveOccurred())
		Expect(s.Journal().Attempts[0].Met).To(BeTrue())
		return p, response, content
	}

	It("sends a digest of another body, and goes on", func() {
		p, response, content := answer("malformed:wrong-digest")
		right := sha256.Sum256(content)
		for _, name := range []string{"Content-Digest", "Repr-Digest"} {
			value := response.Header.Get(name)
			Expect(value).To(MatchRegexp("^sha-256=:[A-Za-z0-9+/]{43}=:$"))
			Expect(value).NotTo(ContainSubstring(base64.StdEncoding.EncodeToString(right[:])))
		}
		Expect(p.ask("/")).To(Equal(201))
	})

	It("sends gzip that only the checksum shows to be broken, and goes on", func() {
		p, response, content := answer("malformed:broken-gzip:body=500:seed=2")
		Expect(response.Header.Get("Content-Encoding")).To(Equal("gzip"))
		reader, err := gzip.NewReader(bytes.NewReader(content))
		Expect(err).NotTo(HaveOccurred())
		plain, err := io.ReadAll(reader)
		Expect(err).To(MatchError(gzip.ErrChecksum))
		Expect(plain).To(Equal(faultserver.Body{Size: 500, Seed: 2}.Bytes()))
		Expect(p.ask("/")).To(Equal(201))
	})

	It("sends a head of the length that is asked for, in lines", func() {
		s := run("malformed:oversized-head:head=1MiB:body=3")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		heard, end := p.hear()
		Expect(end).To(Equal("fin"))
		head, body, _ := strings.Cut(heard, "\r\n\r\n")
		Expect(len(head)).To(BeNumerically("~", 1<<20, 200))
		Expect(strings.Count(head, "\r\nX-Filler: ")).To(Equal(128))
		Expect(body).To(HaveLen(3))
		Expect(over(s, 1)[0].Met).To(BeTrue())
	})

	It("sends by default a head that Go's client does not take", func() {
		s := run("malformed:oversized-head")
		client := &http.Client{Transport: &http.Transport{}}
		_, err := client.Get(s.URL())
		Expect(err).To(MatchError(ContainSubstring("exceeded")))
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind}).To(Equal([]any{true, "malformed"}))
	})

	It("is not met by HEAD, which leaves no body to break", func() {
		s := run("malformed:bad-crlf")
		p := dial(GinkgoTB(), s.URL())
		p.say("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
		body, end := p.hearBody()
		Expect([]string{body, end}).To(Equal([]string{"", "fin"}))
		Expect(over(s, 1)[0].Met).To(BeFalse())
	})

	DescribeTable("is refused where it makes no sense",
		func(line, why string) {
			Expect(faultserver.ValidateScript(script(line))).To(MatchError(ContainSubstring(why)))
		},
		Entry("nothing", "malformed", "want one of"),
		Entry("a framing", "malformed:two-lengths:framing=chunked", "has the framing that it breaks"),
		Entry("no body", "malformed:bad-crlf:status=204", "no body to break"),
		Entry("a head", "malformed:bad-crlf:head=1MiB", "head of the usual length"),
		Entry("a small head", "malformed:oversized-head:head=10", "want from 8KiB"),
		Entry("its own gzip", "malformed:broken-gzip:gzip", "leave it out"),
		Entry("a point in the answer", "malformed@response-head:bad-crlf", "cannot strike there"),
		Entry("an answer that lies itself", "200:gzip:status=204", "no body to compress"),
	)
})

// A client that has seen enough resets the connection, often before the FIN
// that was to end it: it was answered all the same.
func TestAClientMayResetBeforeTheFIN(t *testing.T) {
	s := open(t, faultserver.Config{Script: script("malformed:bad-status-line:body=20:forever")})
	many(t, runs, 8, func(int) error {
		p, err := connect(s.URL())
		if err != nil {
			return err
		}
		p.say(get("/"))
		_, err = io.ReadFull(p, make([]byte, 1))
		return errors.Join(err, setLinger(p), p.Close())
	})
	journal := eventually(t, s, "the end of all attempts", func(j faultserver.Journal) bool {
		return len(j.Attempts) == runs && !slices.ContainsFunc(j.Attempts, func(a faultserver.Attempt) bool { return a.Happened.Kind == "" })
	})
	for _, a := range journal.Attempts {
		if strings.Contains(a.Happened.Detail, "FIN:") {
			t.Fatalf("attempt %d was answered, and is entered as %+v", a.Number, a.Happened)
		}
	}
}
