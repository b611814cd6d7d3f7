package faultserver_test

import (
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/faultsrv/faultsrv/faultserver"
)

// expectNoneLeft allows a goroutine that has said that it is over to be seen
// while it returns.
func expectNoneLeft(before []gleak.Goroutine) {
	GinkgoHelper()
	Eventually(gleak.Goroutines).WithTimeout(time.Second).WithPolling(time.Millisecond).ShouldNot(gleak.HaveLeaked(before))
}

var _ = Describe("Closing a session", func() {
	It("leaves no goroutine when it returns, whatever is going on, and keeps the journal", func() {
		before := gleak.Goroutines()
		s, err := faultserver.Open(faultserver.Config{
			Script: []faultserver.Step{
				{Act: faultserver.Stall{}},
				{Act: faultserver.Respond{}, Delay: faultserver.Delay{Fixed: time.Minute}},
				{Act: faultserver.Respond{}, Delay: faultserver.Delay{Until: &faultserver.Moment{}, Max: time.Minute}},
				{Act: faultserver.Respond{Answer: faultserver.Answer{Body: faultserver.Body{Size: 64 * faultserver.MiB}}}},
				{Act: faultserver.Close{Half: true}},
				{Act: faultserver.Stale{After: time.Minute}},
			},
			Connections: script("accept-hang"),
		})
		Expect(err).NotTo(HaveOccurred())
		var peers []*peer
		for i := range 8 {
			p := dial(GinkgoTB(), s.URL())
			peers = append(peers, p)
			eventually(GinkgoTB(), s, "it is accepted", func(j faultserver.Journal) bool { return len(j.Connections) == i+1 })
			if i < 7 {
				p.say(get("/"))
				eventually(GinkgoTB(), s, "it is an attempt", func(j faultserver.Journal) bool { return len(j.Attempts) == i+1 })
			}
		}
		begun := time.Now()
		Expect(s.Close()).To(Succeed())
		Expect(time.Since(begun)).To(BeNumerically("<", 2*time.Second))
		expectNoneLeft(before)
		journal := s.Journal()
		Expect(journal.Attempts).To(HaveLen(7))
		for _, a := range journal.Attempts {
			Expect(a.Open).To(BeFalse())
		}
		for _, c := range journal.Connections {
			Expect(c.Closed).NotTo(BeZero())
		}
		_, err = connect(s.URL())
		Expect(err).To(HaveOccurred())
		Expect(s.Close()).To(Succeed(), "closing twice does nothing")
		for _, p := range peers {
			Expect(p.Close()).To(Succeed())
		}
	})
})

var _ = Describe("A port in use", func() {
	It("is said so", func() {
		held, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(held.Close)
		for _, cfg := range []faultserver.Config{{}, {Connections: script("refuse")}} {
			_, err = faultserver.OpenAt(held.Addr().String(), cfg)
			Expect(err).To(MatchError(ContainSubstring("the port is in use; choose another")))
		}
		_, err = faultserver.Listen("nowhere:port")
		Expect(err).To(MatchError(ContainSubstring("want a free host:port")))
	})
})

var _ = Describe("The journal", func() {
	It("is a copy that nothing changes", func() {
		s := serve(faultserver.Config{Script: script("503:retry-after=1"), KeepBodies: true})
		p := dial(GinkgoTB(), s.URL())
		p.say(put("body"))
		Expect(p.status()).To(Equal(503))
		first := s.Journal()
		first.Attempts[0].Headers[0].Name = "changed"
		first.Attempts[0].Body.Kept[0] = 'X'
		*first.Attempts[0].RetryAfter.Wait = 0
		first.Connections[0].ID = 99
		second := s.Journal()
		Expect(second.Attempts[0].Headers[0].Name).To(Equal("Host"))
		Expect(string(second.Attempts[0].Body.Kept)).To(Equal("body"))
		Expect(*second.Attempts[0].RetryAfter.Wait).To(Equal(time.Second))
		Expect(second.Connections[0].ID).To(Equal(1))
	})

	It("is bounded, and says what it dropped", func() {
		s := serve(faultserver.Config{Script: script("200:forever"), MaxAttempts: 3})
		p := dial(GinkgoTB(), s.URL())
		for range 5 {
			Expect(p.ask("/")).To(Equal(200))
		}
		journal := s.Journal()
		Expect(journal.Attempts).To(HaveLen(3))
		Expect(journal.Dropped).To(Equal(2))
	})

	It("keeps the first 64 KiB of a body where asked", func() {
		s := serve(faultserver.Config{Script: script("200"), KeepBodies: true})
		p := dial(GinkgoTB(), s.URL())
		content := strings.Repeat("0123456789", 10_000)
		p.say(put(content))
		Expect(p.status()).To(Equal(200))
		a := s.Journal().Attempts[0]
		Expect(a.Body.Received).To(Equal(int64(len(content))))
		Expect(string(a.Body.Kept)).To(Equal(content[:64<<10]))
	})

	It("tells an observer of each attempt when it arrives and when it ends", func() {
		var mu sync.Mutex
		var told []faultserver.Attempt
		s := serve(faultserver.Config{Script: script("503,stale"), Observe: func(a faultserver.Attempt) {
			mu.Lock()
			defer mu.Unlock()
			told = append(told, a)
		}})
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/")}).To(Equal([]int{503, 200}))
		p.hear()
		Expect(s.Close()).To(Succeed())
		Expect(told).To(HaveLen(4))
		Expect([]bool{told[0].Open, told[1].Open, told[2].Open, told[3].Open}).To(Equal([]bool{true, false, true, false}))
		Expect(told[1].Happened.Status).To(Equal(503))
		Expect(told[3].Happened.Kind).To(Equal("stale"))
		Expect(told[3].Met).To(BeTrue())
	})
})

var _ = Describe("A host", func() {
	var host *faultserver.Host

	BeforeEach(func() {
		var err error
		host, err = faultserver.Listen("127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
	})

	opened := func(id, line string) *faultserver.Session {
		GinkgoHelper()
		s, err := host.Open(id, faultserver.Config{Script: script(line), Calls: []faultserver.CallConfig{{Token: "pay"}}})
		Expect(err).NotTo(HaveOccurred())
		return s
	}

	It("finds sessions by the path's prefix, on one connection too", func() {
		a, b := opened("a", "201:forever"), opened("b", "202:forever")
		Expect(a.URL()).To(Equal(host.URL() + "/s/a"))
		p := dial(GinkgoTB(), host.URL())
		Expect([]int{p.ask("/s/a/x?y"), p.ask("/s/b"), p.ask("/s/a/c/pay/z")}).To(Equal([]int{201, 202, 201}))
		journal := a.Journal()
		Expect([]string{journal.Attempts[0].Target, journal.Attempts[1].Target}).To(Equal([]string{"/x?y", "/z"}))
		Expect(journal.Attempts[1].RawTarget).To(Equal("/s/a/c/pay/z"))
		Expect(journal.Attempts[1].Call).To(Equal("pay"))
		Expect(b.Journal().Attempts).To(HaveLen(1))
	})

	It("answers 404 where there is no session", func() {
		opened("a", "201:forever")
		Expect(ask(host.URL(), "/s/b/")).To(Equal(404))
		Expect(ask(host.URL(), "/")).To(Equal(404))
	})

	It("has a default session for requests without a prefix", func() {
		s, err := host.Default(faultserver.Config{Script: script("201")})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URL()).To(Equal(host.URL()))
		Expect(ask(host.URL(), "/")).To(Equal(201))
		_, err = host.Default(faultserver.Config{})
		Expect(err).To(MatchError(ContainSubstring("there is a default session already")))
	})

	It("refuses connection-level steps, an id that is taken and one that is no name", func() {
		opened("a", "201")
		_, err := host.Open("a", faultserver.Config{})
		Expect(err).To(MatchError(ContainSubstring("taken")))
		_, err = host.Open("a/b", faultserver.Config{})
		Expect(err).To(MatchError(ContainSubstring("want letters, digits")))
		_, err = host.Open("b", faultserver.Config{Connections: script("reset")})
		Expect(err).To(MatchError(ContainSubstring("a listener of its own")))
	})

	It("keeps the prefix in a redirect", func() {
		s := opened("a", "redirect:to=/next")
		p := dial(GinkgoTB(), host.URL())
		p.say(get("/s/a/c/pay/"))
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(response.Header.Get("Location")).To(Equal(s.CallURL("pay", "/next")))
	})

	It("lets an id be used again once its session is closed, with its connections", func() {
		first := opened("a", "201:forever")
		p := dial(GinkgoTB(), host.URL())
		Expect(p.ask("/s/a/")).To(Equal(201))
		Expect(first.Close()).To(Succeed())
		_, end := p.hear()
		Expect(end).To(Equal("fin"))
		opened("a", "202:forever")
		Expect(ask(host.URL(), "/s/a/")).To(Equal(202))
		Expect(first.Journal().Attempts).To(HaveLen(1))
	})

	It("does not touch another session's connections when one is closed", func() {
		a, _ := opened("a", "201:forever"), opened("b", "202:forever")
		p := dial(GinkgoTB(), host.URL())
		Expect([]int{p.ask("/s/a/"), p.ask("/s/b/")}).To(Equal([]int{201, 202}))
		Expect(a.Close()).To(Succeed())
		Expect(p.ask("/s/b/")).To(Equal(202))
	})

	It("leaves no goroutine when it is closed", func() {
		before := gleak.Goroutines()
		other, err := faultserver.Listen("127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		_, err = other.Open("a", faultserver.Config{Script: script("stall:forever")})
		Expect(err).NotTo(HaveOccurred())
		dial(GinkgoTB(), other.URL()).say(get("/s/a/"))
		dial(GinkgoTB(), other.URL()).say("GET")
		Expect(other.Close()).To(Succeed())
		expectNoneLeft(before)
		_, err = other.Open("b", faultserver.Config{})
		Expect(err).To(MatchError(ContainSubstring("the host is closed")))
	})
})
