package faultserver_test

import (
	"context"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("A script that is changed while it runs", func() {
	It("gets more steps", func() {
		s := run("503")
		Expect(ask(s.URL(), "/")).To(Equal(503))
		Expect(ask(s.URL(), "/")).To(Equal(500), "beyond its end")
		Expect(s.AddSteps(script("429,201x2")...)).To(Succeed())
		Expect([]int{ask(s.URL(), "/"), ask(s.URL(), "/")}).To(Equal([]int{429, 201}))
		Expect(s.Journal().Unmet).To(ConsistOf("step 3: 201 (met by 1 of 2)"))
		steps, served := s.Script()
		Expect(steps).To(HaveLen(3))
		Expect(served).To(Equal([]int{1, 1, 1}))
	})

	It("is replaced from the first step on", func() {
		s := run("503,reset")
		Expect(ask(s.URL(), "/")).To(Equal(503))
		Expect(s.ReplaceScript(script("418"))).To(Succeed())
		Expect(s.Journal().Unmet).To(ConsistOf("step 1: 418"))
		Expect(ask(s.URL(), "/")).To(Equal(418))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("begins anew, a call's own too, and is to be met again", func() {
		s := serve(faultserver.Config{
			Script: script("503,200"),
			Calls:  []faultserver.CallConfig{{Token: "shared"}, {Token: "own", Script: script("404")}},
		})
		Expect([]int{ask(s.URL(), "/c/shared/"), ask(s.URL(), "/c/shared/"), ask(s.URL(), "/c/own/")}).To(Equal([]int{503, 200, 404}))
		Expect(s.Journal().Unmet).To(BeEmpty())
		s.Rewind()
		Expect(s.Journal().Unmet).To(HaveLen(3))
		Expect([]int{ask(s.URL(), "/c/shared/"), ask(s.URL(), "/c/own/")}).To(Equal([]int{503, 404}))
		Expect(s.Journal().Attempts).To(HaveLen(5), "the journal goes on")
	})

	It("proves nothing by an attempt that took a step of the former one", func() {
		s := run("200:delay=300ms")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		Expect(s.AwaitAttempts(context.Background(), 1)).To(Succeed())
		Expect(s.ReplaceScript(script("201"))).To(Succeed())
		Expect(p.status()).To(Equal(200))
		over(s, 1)
		Expect(s.Journal().Unmet).To(ConsistOf("step 1: 201"))
	})

	It("stays as it is where the new one cannot be played", func() {
		s := run("503:forever")
		Expect(s.AddSteps(script("200")...)).To(MatchError(ContainSubstring("no attempt would reach step 2")))
		Expect(s.ReplaceScript(script("pass"))).To(MatchError(ContainSubstring("no real server")))
		Expect(s.ReplaceScript(script("accept-hang"))).To(MatchError(ContainSubstring("belongs in connections")))
		Expect(ask(s.URL(), "/")).To(Equal(503))
	})
})

var _ = Describe("Waiting for attempts", func() {
	It("ends when so many have come", func() {
		s := run("200:forever")
		done := make(chan error, 1)
		go func() { done <- s.AwaitAttempts(context.Background(), 2) }()
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Consistently(done).WithTimeout(20 * time.Millisecond).ShouldNot(Receive())
		Expect(ask(s.URL(), "/")).To(Equal(200))
		Eventually(done).Should(Receive(BeNil()))
		Expect(s.Attempts()).To(Equal(2))
	})

	It("ends with its context, and with the session", func() {
		s := run("200")
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		Expect(s.AwaitAttempts(ctx, 1)).To(MatchError(context.Canceled))
		Expect(s.Close()).To(Succeed())
		Expect(s.AwaitAttempts(context.Background(), 1)).To(MatchError(faultserver.ErrSessionClosed))
	})
})
