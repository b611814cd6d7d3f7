package faultserver_test

import (
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("Stall", func() {
	It("is silent until the client leaves, and says how and when it did", func() {
		s := run("stall@request-end")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		eventually(GinkgoTB(), s, "the stall has struck", func(j faultserver.Journal) bool {
			return len(j.Attempts) == 1 && j.Attempts[0].Met && j.Attempts[0].Open
		})
		left := s.Elapsed()
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Happened).To(Equal(faultserver.Effect{Kind: "stall", At: "request-end"}))
		Expect(a.Client.How).To(Equal("client-fin"))
		Expect(a.Client.At).To(BeNumerically(">=", left))
		Expect(a.End).To(Equal(faultserver.Interval{Earliest: a.Client.At, Latest: a.Client.At}))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("sees a client that resets", func() {
		s := run("stall")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		eventually(GinkgoTB(), s, "the stall has struck", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met })
		Expect(setLinger(p)).To(Succeed())
		Expect(p.Close()).To(Succeed())
		Expect(over(s, 1)[0].Client.How).To(Equal("client-rst"))
	})

	DescribeTable("answers after its time where nothing was sent, or completes what was",
		func(line string, body int) {
			s := run(line)
			p := dial(GinkgoTB(), s.URL())
			begun := time.Now()
			p.say(strings.Replace(put("hello"), "PUT", "POST", 1))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			content, err := io.ReadAll(response.Body)
			Expect(err).NotTo(HaveOccurred())
			Expect(time.Since(begun)).To(BeNumerically(">=", 60*time.Millisecond))
			Expect(content).To(HaveLen(body))
			a := over(s, 1)[0]
			Expect(a.Body.Complete).To(BeTrue())
			Expect(a.Happened.Detail).To(Equal("then answered 200"))
			Expect(a.Met).To(BeTrue())
			Expect(p.ask("/")).To(Equal(500), "the connection lives on")
		},
		Entry("request-head", "stall@request-head:60ms", 3),
		Entry("request-body", "stall@request-body@2:60ms", 3),
		Entry("request-end", "stall:60ms", 3),
		Entry("response-head", "stall@response-head:60ms", 1000),
		Entry("response-body", "stall@response-body@700:60ms", 1400),
		Entry("in a chunk", "stall@response-body@700:60ms:framing=chunked", 1400),
	)

	It("reads no more of the request than its point asks for", func() {
		s := run("stall@request-body@2:10s")
		p := dial(GinkgoTB(), s.URL())
		p.say(put("hello"))
		a := eventually(GinkgoTB(), s, "the stall has struck", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met }).Attempts[0]
		Expect(a.Body.Received).To(Equal(int64(2)))
		Expect(a.Body.Complete).To(BeFalse())
		Expect(a.Body.SHA256).To(Equal(faultserver.Body{Text: "hello"}.PrefixSHA256(2)))
	})
})

func setLinger(p *peer) error {
	return p.Conn.(interface{ SetLinger(int) error }).SetLinger(0)
}

var _ = Describe("Truncate", func() {
	DescribeTable("cuts chunked framing where it is told",
		func(line, wire string) {
			s := run(line)
			p := dial(GinkgoTB(), s.URL())
			p.say(get("/"))
			heard, end := p.hearBody()
			Expect(end).To(Equal("fin"))
			content := string(faultserver.Body{Size: 20}.Bytes())
			Expect(heard).To(Equal(strings.NewReplacer("A", content[:10], "B", content[10:]).Replace(wire)))
			Expect(over(s, 1)[0].Met).To(BeTrue())
		},
		Entry("inside a chunk", "truncate@10:framing=chunked:body=20", "14\r\nA"),
		Entry("between chunks", "truncate@10:framing=chunked:body=20:cut=between-chunks", "a\r\nA\r\n"),
		Entry("between chunks, before the first", "truncate@0:framing=chunked:body=20:cut=between-chunks", ""),
		Entry("before the last CRLF", "truncate@0:framing=chunked:body=20:cut=before-last-crlf", "14\r\nAB\r\n0\r\n"),
	)

	It("declares the whole length", func() {
		s := run("truncate@10:body=20")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(response.ContentLength).To(Equal(int64(20)))
		content, err := io.ReadAll(response.Body)
		Expect(content).To(HaveLen(10))
		Expect(err).To(MatchError(io.ErrUnexpectedEOF))
	})

	It("can end in silence", func() {
		s := run("truncate@10:end=stall")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		eventually(GinkgoTB(), s, "it has struck", func(j faultserver.Journal) bool {
			return len(j.Attempts) == 1 && j.Attempts[0].Met && j.Attempts[0].Open
		})
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		_, err = io.ReadFull(response.Body, make([]byte, 10))
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Close()).To(Succeed())
		Expect(over(s, 1)[0].Client.How).To(Equal("client-fin"))
	})

	DescribeTable("is not met by a request whose answer has no body, and is whole with its head",
		func(line, ends string) {
			s := run(line)
			p := dial(GinkgoTB(), s.URL())
			p.say("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n")
			body, end := p.hearBody()
			Expect([]string{body, end}).To(Equal([]string{"", ends}))
			a := over(s, 1)[0]
			Expect(a.Met).To(BeFalse())
			Expect(a.Happened.Detail).To(ContainSubstring("no body to send a part of"))
		},
		Entry("some of it", "truncate@10", "fin"),
		Entry("none of it", "truncate@0", "fin"),
		Entry("and neither is a reset after the head", "reset@response-head", "rst"),
	)
})

var _ = Describe("Close", func() {
	It("closes its sending side alone when it is half", func() {
		s := run("close:half")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		heard, end := p.hear()
		Expect([]string{heard, end}).To(Equal([]string{"", "fin"}))
		Consistently(func() error {
			_, err := io.WriteString(p, "more")
			return err
		}, "1200ms", "100ms").Should(Succeed())
		Expect(p.Close()).To(Succeed())
		journal := eventually(GinkgoTB(), s, "the connection is closed", func(j faultserver.Journal) bool { return j.Connections[0].Closed > 0 })
		Expect(journal.Connections[0].Client.How).To(Equal("client-fin"))
		Expect(journal.Events[0].Kind).To(Equal("unanswered"))
	})
})

var _ = Describe("A strike beyond the request's body", func() {
	It("strikes at its end and is not met", func() {
		s := run("reset@request-body@100")
		p := dial(GinkgoTB(), s.URL())
		p.say(put("short"))
		_, end := p.hear()
		Expect(end).To(Equal("rst"))
		a := over(s, 1)[0]
		Expect(a.Met).To(BeFalse())
		Expect(a.Happened.At).To(Equal("request-end"))
		Expect(a.Happened.Detail).To(ContainSubstring("ended after 5 body bytes"))
	})
})

var _ = Describe("A client that leaves before its request has come", func() {
	It("is recorded with what came", func() {
		s := run("200")
		p := dial(GinkgoTB(), s.URL())
		p.say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhello")
		eventually(GinkgoTB(), s, "the attempt is in the journal while its body is still to come", func(j faultserver.Journal) bool {
			return len(j.Attempts) == 1 && j.Attempts[0].Open && j.Attempts[0].Body.Declared == 10
		})
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Happened.Kind).To(Equal("client-left"))
		Expect(a.Body.Received).To(Equal(int64(5)))
		Expect(a.Body.Complete).To(BeFalse())
		Expect(a.Body.SHA256).To(Equal(faultserver.Body{Text: "hello"}.SHA256()))
	})
})

var _ = Describe("A client that leaves in the middle of an answer", func() {
	It("has been answered, with the body bytes that it took", func() {
		s := run("200:body=64MiB")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		_, err := io.ReadFull(p.reader, make([]byte, 1<<20))
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Met).To(BeTrue())
		Expect(a.Happened.Kind).To(Equal("answer"))
		Expect(a.Happened.Body).To(BeNumerically(">", 900<<10))
		Expect(a.Happened.Body).To(BeNumerically("<", 64<<20))
		Expect(a.Happened.Detail).To(ContainSubstring("the client left after"))
		Expect(a.Client.How).To(Equal("client-rst"))
	})

	It("has not met a strike that was still to come", func() {
		s := run("reset@response-body@64MiB")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		_, err := io.ReadFull(p.reader, make([]byte, 1<<20))
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Met).To(BeFalse())
		Expect(a.Happened.Kind).To(Equal("client-left"))
	})
})

var _ = Describe("Redirect", func() {
	It("keeps the call's token, and the request's own path where none is given", func() {
		s := serve(faultserver.Config{Calls: []faultserver.CallConfig{{Token: "a"}}, Script: script("redirect:308:to=/b,redirect")})
		location := func(path string) (int, string) {
			p := dial(GinkgoTB(), s.URL())
			p.say(get(path))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			return response.StatusCode, response.Header.Get("Location")
		}
		status, to := location("/c/a/x")
		Expect([]any{status, to}).To(Equal([]any{308, s.CallURL("a", "/b")}))
		status, to = location("/c/a/x?y=z")
		Expect([]any{status, to}).To(Equal([]any{302, s.CallURL("a", "/x?y=z")}))
	})
})

var _ = Describe("Retry-After", func() {
	DescribeTable("dates are sent half a second after the second they count from",
		func(form, layout string) {
			s := run("503:retry-after-date=2s:retry-after-form=" + form)
			p := dial(GinkgoTB(), s.URL())
			p.say(get("/"))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			value := response.Header.Get("Retry-After")
			date, err := time.Parse(layout, value)
			Expect(err).NotTo(HaveOccurred())
			journal := s.Journal()
			a := journal.Attempts[0]
			sent := journal.Started.Add(a.End.Earliest)
			Expect(date.Sub(sent)).To(BeNumerically("<=", 2*time.Second-faultserver.DatePhase))
			Expect(date.Sub(sent)).To(BeNumerically(">", 0))
			Expect(a.RetryAfter.Value).To(Equal(value))
			Expect(journal.Started.Add(*a.RetryAfter.Until)).To(BeTemporally("~", date, time.Millisecond))
			Expect(*a.RetryAfter.Wait).To(BeNumerically("<=", 2*time.Second-faultserver.DatePhase))
			Expect(http.ParseTime(response.Header.Get("Date"))).To(BeTemporally("==", date.Add(-2*time.Second)))
		},
		Entry("IMF-fixdate", "imf-fixdate", http.TimeFormat),
		Entry("RFC 850", "rfc850", "Monday, 02-Jan-06 15:04:05 MST"),
		Entry("asctime", "asctime", time.ANSIC),
	)

	DescribeTable("values are sent as they are, and understood as they ask",
		func(value string, wait *time.Duration) {
			s := serve(faultserver.Config{Script: []faultserver.Step{
				{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503, RetryAfter: &faultserver.RetryAfter{Value: value}}}},
			}})
			p := dial(GinkgoTB(), s.URL())
			p.say(get("/"))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(response.Header.Values("Retry-After")).To(Equal([]string{strings.TrimSpace(value)}))
			Expect(s.Journal().Attempts[0].RetryAfter).To(Equal(&faultserver.SentRetryAfter{Value: value, Wait: wait}))
		},
		Entry("seconds", "120", pointerTo(2*time.Minute)),
		Entry("zero", "0", pointerTo(time.Duration(0))),
		Entry("huge", "99999999999999999999999", pointerTo(time.Duration(1<<63-1))),
		Entry("negative", "-5", nil),
		Entry("signed", "+5", nil),
		Entry("a fraction", "1.5", nil),
		Entry("junk", "soon", nil),
		Entry("empty", "", nil),
		Entry("a date of another zone", "Sunday, 06-Nov-94 08:49:37 EST", nil),
	)

	DescribeTable("dates far away are far away",
		func(value string, least time.Duration) {
			s := serve(faultserver.Config{Script: []faultserver.Step{
				{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503, RetryAfter: &faultserver.RetryAfter{Value: value}}}},
			}})
			Expect(ask(s.URL(), "/")).To(Equal(503))
			sent := s.Journal().Attempts[0].RetryAfter
			Expect(*sent.Wait).To(BeNumerically(">=", least))
			Expect(*sent.Until).To(BeNumerically(">=", least))
		},
		Entry("beyond what a duration holds", "Fri, 31 Dec 9999 23:59:59 GMT", time.Duration(math.MaxInt64)),
		Entry("in two digits, up to fifty years ahead", time.Now().AddDate(49, 0, 0).UTC().Format("Monday, 02-Jan-06 15:04:05 GMT"), 48*365*24*time.Hour),
	)
})

func pointerTo[T any](value T) *T { return &value }

var _ = Describe("Stale", func() {
	for _, end := range []string{"fin", "rst"} {
		It("ends the idle connection with "+end+" once its answer has been acknowledged", func() {
			s := run("stale:end=" + end)
			p := dial(GinkgoTB(), s.URL())
			p.say(get("/"))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(response.Close).To(BeFalse(), "keep-alive is promised")
			_, err = io.ReadAll(response.Body)
			Expect(err).NotTo(HaveOccurred())
			_, how := p.hear()
			Expect(how).To(Equal(end))
			a := over(s, 1)[0]
			Expect(a.Met).To(BeTrue())
			Expect(a.Happened).To(Equal(faultserver.Effect{Kind: "stale", At: "request-end", Status: 200, Body: 3, End: end}))
		})
	}

	It("waits for its time", func() {
		s := run("stale:100ms")
		p := dial(GinkgoTB(), s.URL())
		Expect(p.ask("/")).To(Equal(200))
		begun := time.Now()
		_, end := p.hear()
		Expect(end).To(Equal("fin"))
		Expect(time.Since(begun)).To(BeNumerically(">=", 90*time.Millisecond))
	})

	It("is not met when the client uses the connection before, and still ends it", func() {
		s := run("stale:1s,201")
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/")}).To(Equal([]int{200, 201}))
		_, end := p.hear()
		Expect(end).To(Equal("fin"))
		attempts := over(s, 2)
		Expect(attempts[0].Met).To(BeFalse())
		Expect(attempts[0].Happened.Kind).To(Equal("answer"))
		Expect(attempts[0].Happened.Detail).To(ContainSubstring("used the connection again"))
		Expect(attempts[1].Met).To(BeTrue())
	})

	It("is over when another takes its place on the connection", func() {
		s := run("stale:5s,stale:20ms")
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/")}).To(Equal([]int{200, 200}))
		_, end := p.hear()
		Expect(end).To(Equal("fin"))
		attempts := over(s, 2)
		Expect([]bool{attempts[0].Open, attempts[0].Met, attempts[1].Met}).To(Equal([]bool{false, false, true}))
	})

	It("is not met by a client that wants no keep-alive, or leaves", func() {
		s := run("stale:5s:forever")
		p := dial(GinkgoTB(), s.URL())
		p.say("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		Expect(p.status()).To(Equal(200))
		q := dial(GinkgoTB(), s.URL())
		Expect(q.ask("/")).To(Equal(200))
		Expect(q.Close()).To(Succeed())
		journal := eventually(GinkgoTB(), s, "both say why", func(j faultserver.Journal) bool {
			return len(j.Attempts) == 2 && j.Attempts[0].Happened.Detail != "" && j.Attempts[1].Happened.Detail != ""
		})
		Expect(journal.Attempts[0].Happened.Detail).To(Equal("the client asked for no keep-alive"))
		Expect(journal.Attempts[1].Happened.Detail).To(Equal("the connection ended before its idle end"))
		Expect([]bool{journal.Attempts[0].Met, journal.Attempts[1].Met}).To(Equal([]bool{false, false}))
	})
})
