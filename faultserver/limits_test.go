package faultserver_test

import (
	"net"
	"strings"
	"sync/atomic"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// limited is a host with a default session that answers 200.
func limited(connections int, headTime time.Duration, line string) (*faultserver.Host, *faultserver.Session) {
	GinkgoHelper()
	host, err := faultserver.Listen("127.0.0.1:0", faultserver.Limited(connections, headTime))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(host.Close)
	session, err := host.Default(faultserver.Config{Script: script(line)})
	Expect(err).NotTo(HaveOccurred())
	return host, session
}

var _ = Describe("A host's limits", func() {
	It("have the oldest idle connection make room for a new one", func() {
		host, _ := limited(3, 0, "200:forever")
		var idle []*peer
		for range 3 {
			p := dial(GinkgoTB(), host.URL())
			Expect(p.ask("/")).To(Equal(200), "it waits for its next request from here on")
			idle = append(idle, p)
		}
		Expect(ask(host.URL(), "/")).To(Equal(200))
		Expect(idle[0].ask("/")).To(Equal(0), "it had to make room")
		Expect(idle[2].ask("/")).To(Equal(200))
	})

	It("close a new connection where every one is busy, and serve again when one is not", func() {
		host, session := limited(2, 0, "stall:forever")
		var busy []*peer
		for i := range 2 {
			p := dial(GinkgoTB(), host.URL())
			p.say(get("/"))
			eventually(GinkgoTB(), session, "it stalls", func(j faultserver.Journal) bool { return len(j.Attempts) == i+1 })
			busy = append(busy, p)
		}
		Expect(ask(host.URL(), "/")).To(Equal(0))
		Expect(busy[0].Close()).To(Succeed())
		Expect(session.ReplaceScript(script("200:forever"))).To(Succeed())
		Eventually(func() int { return ask(host.URL(), "/") }).Should(Equal(200))
	})

	It("end a head that comes too slowly, and no slow answer", func() {
		host, _ := limited(0, 50*time.Millisecond, "200:delay=200ms:forever")
		p := dial(GinkgoTB(), host.URL())
		p.say("GET / HT")
		_, end := p.hear()
		Expect(end).To(BeElementOf("fin", "rst"))
		Expect(ask(host.URL(), "/")).To(Equal(200))
	})

	It("bound the connections of a session with its own listener, and list those beyond", func() {
		s := serve(faultserver.Config{Script: script("stall:forever"), MaxConnections: 1})
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		eventually(GinkgoTB(), s, "it stalls", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 })
		Expect(ask(s.URL(), "/")).To(Equal(0))
		Expect(s.Journal().Events).To(ConsistOf(HaveField("Kind", "refused")))
		_, err := faultserver.Open(faultserver.Config{MaxConnections: -1})
		Expect(err).To(MatchError(ContainSubstring("max connections")))
	})

	It("bound the connections of all sessions that share a room, and make room when one has ended", func() {
		room := faultserver.NewRoom(1)
		one := serve(faultserver.Config{Script: script("stall:forever"), Room: room})
		other := serve(faultserver.Config{Script: script("200:forever"), Room: room})
		p := dial(GinkgoTB(), one.URL())
		p.say(get("/"))
		eventually(GinkgoTB(), one, "it stalls", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 })
		Expect(ask(other.URL(), "/")).To(Equal(0))
		Expect(other.Journal().Events).To(ConsistOf(And(
			HaveField("Kind", "refused"), HaveField("Detail", ContainSubstring("the 1 that sessions with a listener of their own may have open together")))))
		Expect(one.Close()).To(Succeed())
		Expect(ask(other.URL(), "/")).To(Equal(200))
		Eventually(func() int { return ask(other.URL(), "/") }).Should(Equal(200), "each gives its place back")
	})
})

var _ = Describe("The memory of a journal", func() {
	It("is asked for by the entry, its head and its kept body, and a refused entry is dropped", func() {
		var asked atomic.Int64
		left := atomic.Int64{}
		left.Store(10 << 10)
		s := serve(faultserver.Config{Script: script("200:forever"), Admit: func(bytes int64) bool {
			asked.Store(bytes)
			return left.Add(-bytes) >= 0
		}})
		Expect(ask(s.URL(), "/")).To(Equal(200))
		small := asked.Load()
		Expect(ask(s.URL(), "/"+strings.Repeat("x", 1000))).To(Equal(200))
		Expect(asked.Load()).To(Equal(small + 2000))
		for range 10 {
			Expect(ask(s.URL(), "/")).To(Equal(200), "the answer does not depend on it")
		}
		journal := s.Journal()
		Expect(journal.Dropped).To(BeNumerically(">", 0))
		Expect(len(journal.Attempts)+len(journal.Connections)+journal.Dropped).To(Equal(24), "of attempts and connections")
	})

	It("is asked for by everything that a client can make it hold", func() {
		var asked atomic.Int64
		s := serve(faultserver.Config{Script: script("200:forever"), Admit: func(bytes int64) bool { asked.Add(bytes); return true }})
		took := func(request string) int64 {
			before := asked.Load()
			p := dial(GinkgoTB(), s.URL())
			p.say(request)
			p.status()
			Expect(p.Close()).To(Succeed())
			return asked.Load() - before
		}
		plain := took(get("/"))
		Expect(plain).To(BeNumerically(">", 2<<10))
		By("many short header lines, of which each takes more than it has bytes")
		many := took(strings.Replace(get("/"), "\r\n\r\n", "\r\n"+strings.Repeat("a:\r\n", 10_000)+"\r\n", 1))
		Expect(many - plain).To(BeNumerically(">=", 10_000*32))
		By("trailers")
		trailer := "A: " + strings.Repeat("a", 8000) + "\r\n"
		const chunked = "PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"
		Expect(took(chunked+strings.Repeat(trailer, 99)+"\r\n") - took(chunked+"\r\n")).To(BeNumerically(">=", 99*8000))
		By("connections, and what is no request")
		Expect(took("nonsense\r\n\r\n")).To(BeNumerically(">=", 2*100), "an entry each")
	})

	It("is not taken by a long reason: an event quotes what came in short", func() {
		s := serve(faultserver.Config{})
		long := strings.Repeat("(", 100_000)
		for _, request := range []string{"G" + long + " / HTTP/1.1\r\n\r\n", "GET x" + long + " HTTP/1.1\r\n\r\n", "GET /%zz" + long + " HTTP/1.1\r\n\r\n", "GET / " + long + "\r\n\r\n", get("/" + long + " x")} {
			p := dial(GinkgoTB(), s.URL())
			p.say(request)
			heard, _ := p.hear()
			Expect(heard).To(HavePrefix("HTTP/1.1 400 "))
			Expect(len(heard)).To(BeNumerically("<", 1000))
		}
		events := s.Journal().Events
		Expect(events).To(HaveLen(5))
		for _, event := range events {
			Expect(len(event.Detail)).To(BeNumerically("<", 1000))
		}
	})

	It("leaves out trailers that it has no room for, and counts them as dropped", func() {
		s := serve(faultserver.Config{Script: script("200:forever"), Admit: func(bytes int64) bool { return bytes < 5000 }})
		p := dial(GinkgoTB(), s.URL())
		p.say("PUT / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nA: " + strings.Repeat("a", 6000) + "\r\n\r\n")
		Expect(p.status()).To(Equal(200))
		journal := s.Journal()
		Expect(journal.Dropped).To(Equal(1))
		Expect(journal.Attempts).To(HaveLen(1))
		Expect(journal.Attempts[0].Body.Trailers).To(BeEmpty())
		Expect(journal.Attempts[0].Body.Complete).To(BeTrue())
	})
})

var _ = Describe("A crash of one session's own code", func() {
	It("touches no other session, and is listed", func() {
		host, err := faultserver.Listen("127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
		bad, err := host.Open("bad", faultserver.Config{Choose: func(faultserver.Request) faultserver.Step { panic("no step for you") }})
		Expect(err).NotTo(HaveOccurred())
		worse, err := host.Open("worse", faultserver.Config{Script: script("200:forever"), Observe: func(faultserver.Attempt) { panic("seen too much") }})
		Expect(err).NotTo(HaveOccurred())
		good, err := host.Open("good", faultserver.Config{Script: script("200:forever")})
		Expect(err).NotTo(HaveOccurred())
		for range 3 {
			Expect([]int{ask(bad.URL(), "/s/bad/"), ask(worse.URL(), "/s/worse/"), ask(good.URL(), "/s/good/")}).To(Equal([]int{0, 0, 200}))
		}
		Expect(bad.Journal().Events).To(HaveEach(HaveField("Kind", "crashed")))
		Expect(worse.Journal().Events).To(ContainElement(HaveField("Detail", "seen too much")))
		Expect(good.Journal().Events).To(BeEmpty())
		Expect(bad.Close()).To(Succeed())
		Expect(worse.Close()).To(Succeed())
	})

	It("leaves a session with its own listener able to go on", func() {
		calls := 0
		s := serve(faultserver.Config{Choose: func(faultserver.Request) faultserver.Step {
			if calls++; calls == 1 {
				panic(net.ErrClosed)
			}
			return faultserver.Step{Act: faultserver.Succeed{}}
		}})
		Expect([]int{ask(s.URL(), "/"), ask(s.URL(), "/")}).To(Equal([]int{0, 200}))
	})
})
