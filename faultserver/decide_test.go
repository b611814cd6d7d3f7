package faultserver_test

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// statuses asks n times on one connection.
func statuses(s *faultserver.Session, n int) []int {
	GinkgoHelper()
	p := dial(GinkgoTB(), s.URL())
	var got []int
	for range n {
		got = append(got, p.ask("/"))
	}
	return got
}

var _ = Describe("Outage", func() {
	It("fails the attempts of a window by count, and proves it by one of them", func() {
		s := run("outage:2:after=1")
		Expect(statuses(s, 1)).To(Equal([]int{200}))
		Expect(s.Journal().Unmet).To(Equal([]string{"step 1: outage:2:after=1 (taken, but it did not happen as intended)"}))
		Expect(statuses(s, 4)).To(Equal([]int{503, 503, 200, 200}))
		journal := s.Journal()
		Expect(journal.Unmet).To(BeEmpty())
		for i, a := range journal.Attempts {
			Expect(a.Met).To(BeTrue())
			Expect(a.Happened.Detail).To(Equal([]string{"", "in the outage", "in the outage", "", ""}[i]))
		}
	})

	It("fails the attempts of a window by time, from the first attempt on", func() {
		s := run("outage:150ms:with=reset@request-end")
		first := dial(GinkgoTB(), s.URL())
		first.say(get("/"))
		_, end := first.hear()
		Expect(end).To(Equal("rst"))
		var last faultserver.Attempt
		Eventually(func() int { return ask(s.URL(), "/") }).WithPolling(5 * time.Millisecond).Should(Equal(200))
		journal := s.Journal()
		begun := journal.Attempts[0].HeadRead
		for _, a := range journal.Attempts {
			want := "answer"
			if a.HeadRead-begun < 150*time.Millisecond {
				want = "reset"
			}
			Expect(a.Happened.Kind).To(Equal(want), "at %v", a.HeadRead-begun)
			last = a
		}
		Expect(last.Happened.Kind).To(Equal("answer"))
	})

	It("does not end where it has no length, and serves so many attempts as it is told", func() {
		s := run("outagex2:with=404,201")
		Expect(statuses(s, 3)).To(Equal([]int{404, 404, 201}))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("has no side effect while it lasts", func() {
		s := run("outage:1:commit")
		statuses(s, 3)
		Expect(s.Journal().Effects).To(Equal(2))
	})
})

var _ = Describe("Flap", func() {
	It("comes and goes by count", func() {
		s := run("flap:2:down=1:with=500")
		Expect(statuses(s, 7)).To(Equal([]int{200, 200, 500, 200, 200, 500, 200}))
	})

	It("comes and goes by time", func() {
		s := run("flap:30ms:down=20ms")
		p := dial(GinkgoTB(), s.URL())
		for begun := time.Now(); time.Since(begun) < 200*time.Millisecond; {
			p.ask("/")
		}
		attempts := s.Journal().Attempts
		for _, a := range attempts {
			want := 503
			if (a.HeadRead-attempts[0].HeadRead)%(50*time.Millisecond) < 30*time.Millisecond {
				want = 200
			}
			Expect(a.Happened.Status).To(Equal(want))
		}
		Expect(s.Journal().Unmet).To(BeEmpty())
	})
})

var _ = Describe("Ramp", func() {
	failing := func(seed uint64, line string, n int) []bool {
		s := serve(faultserver.Config{Seed: seed, Script: script(line)})
		var failed []bool
		for _, status := range statuses(s, n) {
			failed = append(failed, status != 200)
		}
		return failed
	}
	count := func(failed []bool) (n int) {
		for _, f := range failed {
			if f {
				n++
			}
		}
		return n
	}

	It("fails a share that grows, and then stays", func() {
		got := failing(1, "ramp:600", 700)
		Expect(count(got[600:])).To(Equal(100), "all fail at its end")
		// 5 standard deviations of a sum of draws at these shares are below 50.
		Expect(count(got[:200])).To(BeNumerically("~", 33, 50))
		Expect(count(got[200:400])).To(BeNumerically("~", 100, 50))
		Expect(count(got[400:600])).To(BeNumerically("~", 167, 50))
	})

	It("shrinks as well, and draws from the seed", func() {
		got := failing(1, "ramp:100:from=1:to=0", 120)
		Expect(got[0]).To(BeTrue())
		Expect(count(got[100:])).To(BeZero())
		Expect(failing(1, "ramp:100:from=1:to=0", 120)).To(Equal(got))
		Expect(failing(2, "ramp:100:from=1:to=0", 120)).NotTo(Equal(got))
	})
})

var _ = Describe("Throttle", func() {
	It("answers 429 to what the bucket has no token for, and records who comes early", func() {
		s := run("throttle:2:burst=2:per=2s")
		Expect(statuses(s, 4)).To(Equal([]int{200, 200, 429, 429}))
		attempts := s.Journal().Attempts
		Expect(attempts[2].RetryAfter.Value).To(Equal("1"))
		Expect(attempts[2].Early).To(BeZero())
		Expect(attempts[3].Early).To(BeNumerically(">", 0))
		Expect(attempts[3].Early).To(Equal(time.Second - (attempts[3].Arrived - attempts[2].End.Earliest)))
	})

	It("lets one that keeps its Retry-After succeed, who is not early", func() {
		s := run("throttle:1:per=60ms:says=seconds")
		Expect(statuses(s, 2)).To(Equal([]int{200, 429}))
		wait := *s.Journal().Attempts[1].RetryAfter.Wait
		Expect(wait).To(Equal(time.Second))
		Eventually(s.Elapsed).Should(BeNumerically(">", s.Journal().Attempts[1].End.Latest+wait))
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Expect(s.Journal().Attempts[2].Early).To(BeZero())
	})

	DescribeTable("says when to come again in every form",
		func(form, value string, early bool) {
			s := run("throttle:1:per=2s:status=503:says=" + form)
			p := dial(GinkgoTB(), s.URL())
			Expect(p.ask("/")).To(Equal(200))
			p.say(get("/"))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(response.StatusCode).To(Equal(503))
			Expect(strings.Join(response.Header.Values("Retry-After"), "")).To(MatchRegexp("^" + value + "$"))
			refused := s.Journal().Attempts[1]
			if refused.RetryAfter != nil && refused.RetryAfter.Until != nil && form != "past" {
				// The next token comes 2 s after the first attempt.
				Expect(*refused.RetryAfter.Until).To(BeNumerically(">=", s.Journal().Attempts[0].HeadRead+2*time.Second))
			}
			ask(s.URL(), "/")
			if early {
				Expect(s.Journal().Attempts[2].Early).To(BeNumerically(">", 0))
			} else {
				Expect(s.Journal().Attempts[2].Early).To(BeZero())
			}
		},
		Entry("seconds", "seconds", "[12]", true),
		Entry("IMF-fixdate", "imf-fixdate", "[A-Z][a-z]{2}, .* GMT", true),
		Entry("RFC 850", "rfc850", "[A-Z][a-z]+day, .* GMT", true),
		Entry("asctime", "asctime", "[A-Z][a-z]{2} .* [0-9]{4}", true),
		Entry("past", "past", ".* GMT", false),
		Entry("invalid", "invalid", "soon", false),
		Entry("huge", "huge", "9{20}", true),
		Entry("nothing", "nothing", "", false),
	)
})

// TestABucketIsExact has many attempts at once share a bucket that does not fill
// again: as many succeed as it holds, whatever the order.
func TestABucketIsExact(t *testing.T) {
	const n, tokens = 1000, 137
	s := open(t, faultserver.Config{Script: script("throttle:1:per=24h:burst=137")})
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: n}}
	defer client.CloseIdleConnections()
	var mu sync.Mutex
	got := map[int]int{}
	many(t, n, 200, func(int) error {
		response, err := client.Get(s.URL())
		if err != nil {
			return err
		}
		mu.Lock()
		defer mu.Unlock()
		got[response.StatusCode]++
		return response.Body.Close()
	})
	if got[200] != tokens || got[429] != n-tokens {
		t.Errorf("%v; want %d times 200 and the rest 429", got, tokens)
	}
}

// TestCapacityServesAtItsRate has a burst served one after another, none before
// its turn, and what the queue does not hold rejected.
func TestCapacityServesAtItsRate(t *testing.T) {
	const n, queue = 60, 20
	slot := time.Second / 100
	s := open(t, faultserver.Config{Script: script("capacity:100:queue=20")})
	many(t, n, n, func(int) error {
		p, err := connect(s.URL())
		if err != nil {
			return err
		}
		defer func() { _ = p.Close() }()
		p.say(get("/"))
		p.status()
		return nil
	})
	journal := s.Journal()
	var served []faultserver.Attempt
	for _, a := range journal.Attempts {
		if a.Happened.Status == 200 {
			served = append(served, a)
		}
	}
	slices.SortFunc(served, func(a, b faultserver.Attempt) int { return int(a.Answered - b.Answered) })
	span := journal.Attempts[n-1].HeadRead - journal.Attempts[0].HeadRead
	// One is served at once, a queue waits, and a turn comes in each slot of the burst.
	if most := 2 + queue + int(span/slot); len(served) < 1+queue || len(served) > most {
		t.Errorf("%d were served; want from %d to %d", len(served), 1+queue, most)
	}
	for i, a := range served {
		if due := served[0].HeadRead + time.Duration(i)*slot; a.Answered < due {
			t.Errorf("number %d was answered at %v, before its turn at %v", i+1, a.Answered, due)
		}
	}
	if len(journal.Unmet) > 0 {
		t.Errorf("unmet: %v", journal.Unmet)
	}
}

var _ = Describe("Capacity", func() {
	It("proves nothing while there is room", func() {
		s := run("capacity:1000")
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Expect(s.Journal().Unmet).NotTo(BeEmpty())
	})

	It("can let all wait instead", func() {
		s := run("capacity:20:full=delay")
		var wait sync.WaitGroup
		for range 4 {
			wait.Go(func() {
				defer GinkgoRecover()
				Expect(ask(s.URL(), "/")).To(Equal(200))
			})
		}
		wait.Wait()
		attempts := s.Journal().Attempts
		slices.SortFunc(attempts, func(a, b faultserver.Attempt) int { return int(a.Answered - b.Answered) })
		Expect(attempts[3].Answered - attempts[0].HeadRead).To(BeNumerically(">=", 150*time.Millisecond))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("rejects as it is told", func() {
		var with faultserver.Fault
		Expect(with.UnmarshalText([]byte("429:retry-after=1"))).To(Succeed())
		s := serve(faultserver.Config{Script: []faultserver.Step{{Act: faultserver.Capacity{Rate: 1, With: with}}}})
		Expect(statuses(s, 2)).To(Equal([]int{200, 429}))
		Expect(s.Journal().Attempts[1].RetryAfter.Value).To(Equal("1"))
	})
})

var _ = Describe("An act that decides which attempts fail", func() {
	DescribeTable("is refused where it makes no sense",
		func(line, why string) {
			Expect(faultserver.ValidateScript(script(line))).To(MatchError(ContainSubstring(why)))
		},
		Entry("a step that nothing reaches", "outage:1,200", "no attempt would reach step 2"),
		Entry("two measures", "outage:1:after=1s", "count both, or time both"),
		Entry("no downtime", "flap:3", "want both"),
		Entry("no ramp", "ramp", "want the length"),
		Entry("a ramp of nothing", "ramp:5:to=0", "nothing would fail"),
		Entry("no rate", "throttle", "rate: 0"),
		Entry("a status", "throttle:1:status=500", "want 429 or 503"),
		Entry("no capacity", "capacity", "rate: 0"),
		Entry("two ways to be full", "capacity:1:queue=2:full=delay", "leave queue and with out"),
		Entry("a delayed queue", "capacity:1:delay=1s", "comes of the load"),
		Entry("a drawn outage", "outage:probability=0.5", "decides itself"),
		Entry("an outage in an outage", "outage:with=outage", "decides itself"),
		Entry("a passing outage", "outage:with=pass", "is no fault"),
		Entry("a fault that cannot be", "outage:with=stale@request-end", "with: stale"),
		Entry("a point", "outage@request-end", "has a point of its own"),
	)

	It("says what is no fault", func() {
		for text, why := range map[string]string{"reset,200": "more than one step", "503x2": "an act and its point alone", "bang": "is no act"} {
			var fault faultserver.Fault
			Expect(fault.UnmarshalText([]byte(text))).To(MatchError(ContainSubstring(why)))
		}
	})
})

var _ = Describe("An unsolicited answer", func() {
	It("comes on the idle connection, just before its end", func() {
		s := run("stale:30ms:unsolicited=408")
		p := dial(GinkgoTB(), s.URL())
		Expect(p.ask("/")).To(Equal(200))
		begun := time.Now()
		heard, end := p.hear()
		Expect([]string{heard, end}).To(Equal([]string{"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "fin"}))
		Expect(time.Since(begun)).To(BeNumerically(">=", 25*time.Millisecond))
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind, a.Happened.Status}).To(Equal([]any{true, "stale", 200}))
	})

	It("is met by a client that resets the connection at it, before the FIN or after", func() {
		const clients = 500
		s := run("stalex500:1ms:unsolicited=408")
		for range clients {
			p := dial(GinkgoTB(), s.URL())
			Expect(p.ask("/")).To(Equal(200))
			Expect(p.status()).To(Equal(408))
			Expect(p.Conn.(*net.TCPConn).SetLinger(0)).To(Succeed())
			Expect(p.Conn.Close()).To(Succeed())
		}
		for _, a := range over(s, clients) {
			Expect([]any{a.Met, a.Happened.Detail}).To(HaveExactElements(true, BeElementOf("", "the client reset the connection when the unsolicited answer came")))
		}
	})

	It("is refused with a RST, which would take it along", func() {
		Expect(faultserver.ValidateScript(script("stale:end=rst:unsolicited=408"))).To(MatchError(ContainSubstring("take the answer with it")))
		Expect(faultserver.ValidateScript(script("stale:unsolicited=100"))).To(MatchError(ContainSubstring("want a status")))
	})
})

var _ = DescribeTable("A side effect is refused where the request cannot have been processed",
	func(line, why string) {
		Expect(faultserver.ValidateScript(script(line))).To(MatchError(ContainSubstring(why)))
	},
	Entry("at its head", "reset@request-head:commit", "has not come yet"),
	Entry("in its body", "413@request-body@5:commit=by-key", "has not come yet"),
	Entry("too many requests", "429:commit", "was not processed"),
	Entry("too early", "425:commit", "was not processed"),
)
