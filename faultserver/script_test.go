package faultserver_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("A script", func() {
	It("gives each attempt the next step", func() {
		s := run("503x2,404,200")
		var got []int
		for range 4 {
			got = append(got, ask(s.URL(), "/"))
		}
		Expect(got).To(Equal([]int{503, 503, 404, 200}))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("records an attempt beyond its end as unscripted, and answers 500", func() {
		s := run("200")
		ask(s.URL(), "/")
		Expect(ask(s.URL(), "/")).To(Equal(500))
		Expect(s.Journal().Attempts[1].Step.Unscripted).To(BeTrue())
	})

	It("repeats its last step when told to", func() {
		s := serve(faultserver.Config{Script: script("503,404"), AfterScript: faultserver.RepeatAfterScript})
		Expect([]int{ask(s.URL(), "/"), ask(s.URL(), "/"), ask(s.URL(), "/")}).To(Equal([]int{503, 404, 404}))
		Expect(s.Journal().Attempts[2].Step).To(Equal(faultserver.StepRef{Index: 2, Script: "script", Text: "404"}))
	})

	It("starts again when told to", func() {
		s := serve(faultserver.Config{Script: script("503,404"), AfterScript: faultserver.LoopAfterScript})
		Expect([]int{ask(s.URL(), "/"), ask(s.URL(), "/"), ask(s.URL(), "/")}).To(Equal([]int{503, 404, 503}))
	})

	It("keeps a step whose condition does not hold for a later attempt", func() {
		s := run("503:when=reused,201,202")
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/"), p.ask("/")}).To(Equal([]int{201, 503, 202}))
	})

	It("answers as succeed, marked, where no step's condition holds", func() {
		s := run("503:when=reused")
		Expect(ask(s.URL(), "/")).To(Equal(200))
		journal := s.Journal()
		Expect(journal.Attempts[0].Step).To(Equal(faultserver.StepRef{Script: "script", Text: "succeed", Unmatched: true}))
		Expect(journal.Unmet).To(Equal([]string{"step 1: 503:when=reused"}))
	})

	It("tells fresh from reused connections", func() {
		s := run("201:when=fresh:forever,202:when=reused:forever")
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/"), ask(s.URL(), "/"), p.ask("/")}).To(Equal([]int{201, 202, 201, 202}))
	})

	It("lists the required steps that nobody met, and how far the others came", func() {
		s := run("503x3,reset,404:optional,200:forever")
		ask(s.URL(), "/")
		Expect(s.Journal().Unmet).To(Equal([]string{"step 1: 503 (met by 1 of 3)", "step 2: reset@request-end", "step 4: 200"}))
	})

	It("does not count a step as met whose strike the client did not wait for", func() {
		s := run("503:delay=5s")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		eventually(GinkgoTB(), s, "the attempt has arrived", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 })
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Happened.Kind).To(Equal("client-left"))
		Expect(a.Client.How).To(Equal("client-fin"))
		Expect(a.End).To(Equal(faultserver.Interval{Earliest: a.Client.At, Latest: a.Client.At}))
		Expect(s.Journal().Unmet).To(Equal([]string{"step 1: 503:delay=5s (taken, but it did not happen as intended)"}))
	})

	It("draws a probability from the seed, and leaves what it does not strike as it would be", func() {
		struck := func(seed uint64) []string {
			s := serve(faultserver.Config{Seed: seed, Script: script("503:probability=0.5:delay=1ms:forever")})
			p := dial(GinkgoTB(), s.URL())
			for range 20 {
				p.ask("/")
			}
			var kinds []string
			for _, a := range s.Journal().Attempts {
				Expect(a.Met).To(BeTrue())
				kinds = append(kinds, a.Happened.Detail)
			}
			return kinds
		}
		first := struck(1)
		Expect(first).To(ContainElements("", "respond did not strike (probability 0.5)"))
		Expect(struck(1)).To(Equal(first))
		Expect(struck(2)).NotTo(Equal(first))
	})

	It("commits always or once for a key", func() {
		s := run("reset:commit,200:commit=by-key:forever")
		keyed := func(key string) {
			p := dial(GinkgoTB(), s.URL())
			p.say("GET / HTTP/1.1\r\nHost: x\r\nidempotency-key: " + key + "\r\n\r\n")
			p.status()
		}
		ask(s.URL(), "/")
		keyed("a")
		keyed("a")
		keyed("b")
		ask(s.URL(), "/")
		journal := s.Journal()
		Expect(journal.Effects).To(Equal(4))
		var committed []bool
		for _, a := range journal.Attempts {
			committed = append(committed, a.Committed)
		}
		Expect(committed).To(Equal([]bool{true, true, false, true, true}))
	})

	It("leaves requests that do not match alone", func() {
		s := serve(faultserver.Config{Script: script("503"), Match: faultserver.Match{Path: "/charge", Header: faultserver.Header{Name: "kind"}}})
		Expect(ask(s.URL(), "/charge")).To(Equal(404))
		p := dial(GinkgoTB(), s.URL())
		p.say("GET /charge?x HTTP/1.1\r\nHost: x\r\nKind: a\r\n\r\n")
		Expect(p.status()).To(Equal(503))
		journal := s.Journal()
		Expect(journal.Attempts).To(HaveLen(1))
		Expect(journal.Events).To(HaveLen(1))
		Expect(journal.Events[0].Kind).To(Equal("unmatched"))
	})
})

var _ = Describe("Calls", func() {
	calls := []faultserver.CallConfig{
		{Token: "pay-1", Name: "pay", Script: script("503,200")},
		{Token: "pay-2", Name: "pay", Script: script("503,200")},
		{Token: "other"},
	}

	It("have their attempts numbered, and their own scripts, by the token in the path", func() {
		s := serve(faultserver.Config{Calls: calls, Script: script("204")})
		Expect(s.CallURL("pay-1", "/a?b")).To(Equal(s.URL() + "/c/pay-1/a?b"))
		Expect([]int{ask(s.URL(), "/c/pay-1/a?b"), ask(s.URL(), "/c/pay-2"), ask(s.URL(), "/c/pay-1?q"), ask(s.URL(), "/c/other/")}).
			To(Equal([]int{503, 503, 200, 204}))
		journal := s.Journal()
		Expect(journal.Unmet).To(Equal([]string{"call pay-2, step 2: 200"}))
		third := journal.Attempts[2]
		Expect([]any{third.Call, third.Number, third.Index, third.Target, third.RawTarget}).To(Equal([]any{"pay-1", 2, 3, "/?q", "/c/pay-1?q"}))
		Expect(journal.Attempts[1].Target).To(Equal("/"))
	})

	It("answer 404 to an unknown token, and list it", func() {
		s := serve(faultserver.Config{Calls: calls})
		Expect(ask(s.URL(), "/c/unknown/")).To(Equal(404))
		journal := s.Journal()
		Expect(journal.Attempts).To(BeEmpty())
		Expect(journal.Events[0].Kind).To(Equal("unknown-call"))
	})

	It("own the attempts without a token while they are current, and late ones after", func() {
		s := serve(faultserver.Config{Calls: calls, Script: script("200:forever")})
		s.Start("pay-1")
		ask(s.URL(), "/")
		s.Start("other")
		ask(s.URL(), "/")
		s.Return("other")
		ask(s.URL(), "/")
		s.Return("pay-1")
		ask(s.URL(), "/")
		var owners []string
		for _, a := range s.Journal().Attempts {
			owners = append(owners, a.Call)
		}
		Expect(owners).To(Equal([]string{"pay-1", "other", "pay-1", "other"}))
	})

	It("are nothing special in a session without any", func() {
		s := run("200")
		ask(s.URL(), "/c/x/y")
		Expect(s.Journal().Attempts[0].Target).To(Equal("/c/x/y"))
	})
})

// await waits for a moment as seen from no call, and returns the error alone.
func await(s *faultserver.Session, ctx context.Context, m faultserver.Moment) error {
	_, err := s.Await(ctx, "", m)
	return err
}

var _ = Describe("A moment", func() {
	soon := func() context.Context {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		DeferCleanup(cancel)
		return ctx
	}

	It("of an attempt is waited for, with a time after it", func() {
		s := run("503")
		go ask(s.URL(), "/")
		due, err := s.Await(soon(), "", faultserver.Moment{Attempt: 1, Event: faultserver.Answered, Plus: 50 * time.Millisecond})
		Expect(err).NotTo(HaveOccurred())
		Expect(due).To(Equal(s.Journal().Attempts[0].End.Latest + 50*time.Millisecond))
		Expect(s.Elapsed()).To(BeNumerically(">=", due))
	})

	It("of a strike comes with a reset, and of an answer does not", func() {
		s := run("reset")
		ask(s.URL(), "/")
		Expect(await(s, soon(), faultserver.Moment{Attempt: 1, Event: faultserver.Struck})).To(Succeed())
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		Expect(await(s, ctx, faultserver.Moment{Attempt: 1})).To(MatchError(context.DeadlineExceeded))
	})

	It("of a call with repeats is the first start, the last return, or every other's return", func() {
		s := serve(faultserver.Config{Calls: []faultserver.CallConfig{{Token: "a-1", Name: "a"}, {Token: "a-2", Name: "a"}, {Token: "b"}}})
		reached := func(token string, event faultserver.Event) bool {
			ctx, cancel := context.WithTimeout(context.Background(), 10*time.Millisecond)
			defer cancel()
			_, err := s.Await(ctx, token, faultserver.Moment{Call: "a", Event: event})
			return err == nil
		}
		s.Start("a-2")
		Expect(reached("b", faultserver.Started)).To(BeTrue())
		s.Return("a-2")
		Expect(reached("b", faultserver.Returned)).To(BeFalse())
		Expect(reached("a-1", faultserver.AllOthersReturned)).To(BeTrue())
		Expect(reached("a-2", faultserver.AllOthersReturned)).To(BeFalse())
		s.Start("a-1")
		s.Return("a-1")
		Expect(reached("b", faultserver.Returned)).To(BeTrue())
	})

	It("ends the wait when the session is closed", func() {
		s := run("200")
		go func() {
			time.Sleep(10 * time.Millisecond)
			_ = s.Close()
		}()
		Expect(await(s, soon(), faultserver.Moment{Event: faultserver.Started})).To(MatchError(faultserver.ErrSessionClosed))
	})

	It("of an unknown call, or of nothing that happens, is an error", func() {
		s := run("200")
		Expect(await(s, soon(), faultserver.Moment{Call: "nobody"})).To(MatchError(ContainSubstring(`no call is named "nobody"`)))
		Expect(await(s, soon(), faultserver.Moment{Event: "sometime"})).To(MatchError(ContainSubstring("want started")))
		Expect(await(s, soon(), faultserver.Moment{Event: faultserver.Arrived})).To(MatchError(ContainSubstring("say which")))
	})

	It("ends a delay", func() {
		s := serve(faultserver.Config{Script: []faultserver.Step{
			{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Until: &faultserver.Moment{Event: faultserver.Returned, Plus: 20 * time.Millisecond}}},
		}})
		answered := make(chan int)
		go func() {
			defer GinkgoRecover()
			answered <- ask(s.URL(), "/")
		}()
		Consistently(answered, "50ms").ShouldNot(Receive())
		s.Return("")
		returned := s.Elapsed()
		Eventually(answered).Should(Receive(Equal(200)))
		Expect(s.Journal().Attempts[0].Answered).To(BeNumerically(">=", returned+10*time.Millisecond))
	})

	It("that does not come ends a delay at its max", func() {
		s := serve(faultserver.Config{Script: []faultserver.Step{
			{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Until: &faultserver.Moment{}, Max: 30 * time.Millisecond}},
		}})
		Expect(ask(s.URL(), "/")).To(Equal(200))
		a := s.Journal().Attempts[0]
		Expect(a.Answered - a.HeadRead).To(BeNumerically(">=", 30*time.Millisecond))
		Expect(a.Happened.Detail).To(ContainSubstring("did not come within 30ms"))
	})
})
