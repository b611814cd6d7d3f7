package faultserver_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// heardAt is when each byte of an answer was heard.
func (p *peer) heardAt() (content []byte, at []time.Time, end string) {
	for {
		c, err := p.reader.ReadByte()
		if err == io.EOF {
			err = nil
			return content, at, p.ending(err)
		}
		if err != nil {
			return content, at, p.ending(err)
		}
		content, at = append(content, c), append(at, time.Now())
	}
}

// TestPacedBytesAreNeverEarly has many dribbled answers heard byte by byte: none
// comes before its time, counted from before the request was sent, and all come.
func TestPacedBytesAreNeverEarly(t *testing.T) {
	const every, piece = 5 * time.Millisecond, 16
	s := open(t, faultserver.Config{Script: script("dribble:5ms:bytes=16:status=200:body=100:forever")})
	many(t, runs, 200, func(int) error {
		p, err := connect(s.URL())
		if err != nil {
			return err
		}
		defer func() { _ = p.Close() }()
		begun := time.Now()
		p.say("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		content, at, end := p.heardAt()
		if _, body, _ := strings.Cut(string(content), "\r\n\r\n"); body != string(faultserver.Body{Size: 100}.Bytes()) || end != "fin" {
			return fmt.Errorf("heard %q, then %s", content, end)
		}
		for i := range at {
			if due := begun.Add(time.Duration(i/piece) * every); at[i].Before(due) {
				return fmt.Errorf("byte %d came %v early", i, due.Sub(at[i]))
			}
		}
		return nil
	})
	expectAllMet(t, s.Journal(), runs)
}

var _ = Describe("Dribble", func() {
	It("gives the whole answer byte by byte, its head included", func() {
		s := run("dribble:1ms:status=203:body=3,201")
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/")}).To(Equal([]int{203, 201}), "the connection lives on")
		a := s.Journal().Attempts[0]
		Expect(a.Met).To(BeTrue())
		Expect(a.Happened).To(Equal(faultserver.Effect{Kind: "dribble", At: "request-end", Status: 203, Body: 3}))
		Expect(a.End.Latest - a.Answered).To(BeNumerically(">=", 50*time.Millisecond))
	})

	It("is met by a client that loses its patience, and says what it got", func() {
		s := run("dribble:20ms:bytes=50")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		_, err := p.reader.ReadByte()
		Expect(err).NotTo(HaveOccurred())
		eventually(GinkgoTB(), s, "it is in force", func(j faultserver.Journal) bool { return j.Attempts[0].Met })
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind, a.Client.How}).To(Equal([]any{true, "dribble", "client-fin"}))
		Expect(a.Happened.Lasts()).To(BeTrue())
		Expect(a.End.Earliest).To(Equal(a.Client.At))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("is not met where all came in one piece", func() {
		s := run("dribble:bytes=1MiB")
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Expect(over(s, 1)[0].Met).To(BeFalse())
	})
})

var _ = Describe("Bandwidth", func() {
	It("bounds the bytes a second on the way down", func() {
		s := run("bandwidth:100KiB:body=30KiB:status=200")
		p := dial(GinkgoTB(), s.URL())
		begun := time.Now()
		p.say("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
		content, at, end := p.heardAt()
		Expect(end).To(Equal("fin"))
		// A tick's worth of bytes may come ahead of the rate.
		const rate, tick = 100 << 10, 20 * time.Millisecond
		for i := range content {
			Expect(at[i].Sub(begun)+tick).To(BeNumerically(">=", time.Duration(i)*time.Second/rate), "byte %d", i)
		}
		Expect(over(s, 1)[0].Met).To(BeTrue())
	})

	DescribeTable("bounds them on the way up",
		func(line string) {
			s := run(line)
			p := dial(GinkgoTB(), s.URL())
			begun := time.Now()
			p.say(put(strings.Repeat("b", 400<<10)))
			body, end := p.hearBody()
			Expect([]string{body, end}).To(Equal([]string{"ok\n", "fin"}))
			took := time.Since(begun)
			Expect(took).To(BeNumerically(">=", 180*time.Millisecond))
			// It takes 0.2 s; with a receive buffer too small for the rate, 7 s.
			Expect(took).To(BeNumerically("<", 4*time.Second))
			a := over(s, 1)[0]
			Expect(a.Met).To(BeTrue())
			Expect(a.Body.Complete).To(BeTrue())
			Expect(a.Happened).To(Equal(faultserver.Effect{Kind: "bandwidth", At: "request-head", Status: 200, Body: 3, End: "fin"}))
		},
		Entry("up", "bandwidth:2MiB:way=up"),
		Entry("both", "bandwidth:2MiB:way=both"),
	)

	It("is not met by a request that there is nothing to slow of", func() {
		s := run("bandwidth:1KiB:way=up")
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Expect(over(s, 1)[0].Met).To(BeFalse())
	})

	It("commits what has been read", func() {
		s := run("bandwidth:1MiB:way=up:commit")
		p := dial(GinkgoTB(), s.URL())
		p.say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("b", 50_000))
		eventually(GinkgoTB(), s, "it is in force", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met })
		Expect(s.Journal().Effects).To(BeZero())
		p.say(strings.Repeat("b", 50_000))
		Expect(p.status()).To(Equal(200))
		Expect(s.Journal().Effects).To(Equal(1))
	})
})

var _ = Describe("SlowRead", func() {
	// push is how much of a body a client gets rid of while nothing is read.
	push := func(line string, size int, patience time.Duration) int {
		GinkgoHelper()
		s := run(line)
		p := dial(GinkgoTB(), s.URL())
		Expect(p.Conn.(interface{ SetWriteBuffer(int) error }).SetWriteBuffer(4 << 10)).To(Succeed())
		p.say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 8388608\r\n\r\n")
		eventually(GinkgoTB(), s, "it has struck", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met })
		Expect(p.SetWriteDeadline(time.Now().Add(patience))).To(Succeed())
		n, _ := p.Write(make([]byte, size))
		return n
	}

	It("lets the client push no more than the kernel had offered it", func() {
		Expect(push("slow-read:after=10s", 900<<10, 300*time.Millisecond)).To(BeNumerically("<=", 256<<10))
		Expect(push("stall@request-head", 900<<10, 15*time.Second)).To(Equal(900<<10), "a stall reads ahead")
	})

	It("reads in pieces, answers, and ends the connection", func() {
		s := run("slow-read:20ms:bytes=1KiB:after=40ms:status=201")
		p := dial(GinkgoTB(), s.URL())
		begun := time.Now()
		p.say(put(strings.Repeat("b", 8<<10)))
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(time.Since(begun)).To(BeNumerically(">=", 180*time.Millisecond))
		Expect(response.Close).To(BeTrue())
		_, end := p.hear()
		Expect(end).To(Equal("fin"))
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind, a.Happened.Status, a.Body.Complete}).To(Equal([]any{true, "slow-read", 201, true}))
	})

	It("is met by a client that gives up, and says how far it came", func() {
		s := run("slow-read:10ms:bytes=1KiB")
		p := dial(GinkgoTB(), s.URL())
		p.say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n" + strings.Repeat("b", 3<<10))
		eventually(GinkgoTB(), s, "it is in force", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met })
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind, a.Happened.Status, a.Client.How}).To(Equal([]any{true, "slow-read", 0, "client-fin"}))
		Expect(a.Body.Received).To(Equal(int64(3 << 10)))
	})
})

var _ = Describe("ExpectContinue", func() {
	const asking = "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"
	const goOn = "HTTP/1.1 100 Continue\r\n\r\n"
	hearGoOn := func(p *peer) {
		GinkgoHelper()
		heard := make([]byte, len(goOn))
		_, err := io.ReadFull(p.reader, heard)
		Expect(err).NotTo(HaveOccurred())
		Expect(string(heard)).To(Equal(goOn))
	}

	It("can tell the client at once", func() {
		s := run("expect-continue:sent")
		p := dial(GinkgoTB(), s.URL())
		p.say(asking)
		hearGoOn(p)
		p.say("hello")
		Expect(p.status()).To(Equal(200))
		a := s.Journal().Attempts[0]
		Expect(a.Met).To(BeTrue())
		Expect(a.Continued).To(BeNumerically(">", a.HeadRead))
		Expect(a.Continued).To(BeNumerically("<", a.BodyRead))
	})

	It("can tell it late, once, also when it has begun", func() {
		s := run("expect-continue:late:after=60ms")
		p := dial(GinkgoTB(), s.URL())
		begun := time.Now()
		p.say(asking + "hello")
		hearGoOn(p)
		Expect(time.Since(begun)).To(BeNumerically(">=", 60*time.Millisecond))
		Expect(p.status()).To(Equal(200))
		a := s.Journal().Attempts[0]
		Expect([]any{a.Met, a.Body.Received, a.Happened.Kind}).To(Equal([]any{true, int64(5), "expect-continue"}))
		Expect(a.Continued - a.HeadRead).To(BeNumerically(">=", 60*time.Millisecond))
	})

	It("can never tell it, and takes a body that comes all the same", func() {
		s := run("expect-continue:never")
		p := dial(GinkgoTB(), s.URL())
		p.say(asking)
		Expect(p.SetReadDeadline(time.Now().Add(50 * time.Millisecond))).To(Succeed())
		_, err := p.reader.ReadByte()
		Expect(err).To(HaveOccurred(), "nothing is heard")
		Expect(p.SetReadDeadline(time.Time{})).To(Succeed())
		p.say("hello")
		Expect(p.status()).To(Equal(200))
		a := s.Journal().Attempts[0]
		Expect([]any{a.Met, a.Continued, a.Body.Complete}).To(Equal([]any{true, time.Duration(0), true}))
	})

	It("is met by a client that waits in vain", func() {
		s := run("expect-continue:never")
		p := dial(GinkgoTB(), s.URL())
		p.say(asking)
		eventually(GinkgoTB(), s, "it is in force", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met })
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Body.Received, a.Client.How}).To(Equal([]any{true, int64(0), "client-fin"}))
	})

	It("is not met by a request that expects nothing", func() {
		s := run("expect-continue:late")
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Expect(s.Journal().Attempts[0].Happened.Detail).To(ContainSubstring("no Expect"))
		Expect(s.Journal().Unmet).NotTo(BeEmpty())
	})

	It("refuses a body by 417, unread", func() {
		s := run("417@request-head")
		p := dial(GinkgoTB(), s.URL())
		p.say(asking)
		_, end := p.hearBody()
		Expect(end).To(Equal("fin"))
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Continued, a.Body.Received}).To(Equal([]any{true, time.Duration(0), int64(0)}))
	})
})

var _ = DescribeTable("An act that lasts is refused where it makes no sense",
	func(line, why string) {
		Expect(faultserver.ValidateScript(script(line))).To(MatchError(ContainSubstring(why)))
	},
	Entry("no rate", "bandwidth", "want from 1B"),
	Entry("a delay on the way up", "bandwidth:1KiB:way=up:delay=1s", "reads on during a delay"),
	Entry("a delayed slow read", "slow-read:delay=1s", "say after"),
	Entry("a point of a slow read", "slow-read@request-end", "has a point of its own"),
	Entry("a huge piece", "dribble:bytes=2MiB", "want from 1 to 1MiB"),
	Entry("a pause of an hour", "dribble:1h", "at most 1m"),
	Entry("a time without lateness", "expect-continue:never:after=1s", "only a late one"),
	Entry("a delay of 100", "expect-continue:sent:delay=1s", "say continue: late"),
	Entry("a long wait", "slow-read:after=2m", "want from 0 to 1m"),
)
