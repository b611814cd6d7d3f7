package control_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

var _ = Describe("A journal", func() {
	It("is what the session has recorded", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{Script: "503,reset"})
		Expect([]int{ask(session.URL + "/a?b=c"), ask(session.URL)}).To(Equal([]int{503, 0}))
		journal, err := api.Journal(ctx, session.ID, client.Quiet())
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Session).To(Equal(session.ID))
		Expect(journal.Unmet).To(BeEmpty())
		Expect(journal.Attempts).To(HaveLen(2))
		Expect(journal.Attempts[0].Target).To(Equal("/a?b=c"))
		Expect(journal.Attempts[0].Happened.Status).To(Equal(503))
		Expect(journal.Attempts[1].Happened.Kind).To(Equal("reset"))
		Expect(journal.Attempts[1].Met).To(BeTrue())
	})

	It("is waited for until so many attempts have come", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{Script: "200:forever"})
		came := make(chan int, 1)
		go func() {
			journal, _ := api.Journal(ctx, session.ID, client.Attempts(3))
			came <- len(journal.Attempts)
		}()
		ask(session.URL)
		ask(session.URL)
		Consistently(came).WithTimeout(30 * time.Millisecond).ShouldNot(Receive())
		ask(session.URL)
		Eventually(came).Should(Receive(BeNumerically(">=", 3)))
	})

	It("is waited for until no attempt is in progress", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{Script: "stall:200ms"})
		go ask(session.URL)
		journal, err := api.Journal(ctx, session.ID, client.Attempts(1), client.Quiet())
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Attempts[0].Open).To(BeFalse())
	})

	It("that does not come in time, or in the session's, is a problem", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "a", Script: "200"})
		_, err := api.Journal(ctx, "a", client.Attempts(1), client.Within(20*time.Millisecond))
		Expect(client.IsNotInTime(err)).To(BeTrue())
		Expect(err).To(haveStatus(504, "of which 0 came"))
		ended := make(chan error, 1)
		go func() {
			_, err := api.Journal(ctx, "a", client.Attempts(2))
			ended <- err
		}()
		ask(session.URL)
		Expect(api.Delete(ctx, "a")).To(Succeed())
		Eventually(ended).Should(Receive(haveStatus(404, "")))
	})

	DescribeTable("is not waited for in words that are none",
		func(query, detail string) {
			api := start(control.Options{})
			api.create(client.NewSession{ID: "a", Script: "200"})
			status, answer := api.say("GET", "/v1/sessions/a/journal?"+query, "")
			Expect(status).To(Equal(400))
			Expect(answer).To(ContainSubstring(detail))
		},
		Entry(nil, "until=attempts:0", "such as attempts:3"),
		Entry(nil, "until=attempts:-1", "such as attempts:3"),
		Entry(nil, "until=attempts:many", "such as attempts:3"),
		Entry(nil, "until=3", "such as attempts:3"),
		Entry(nil, "until=", "such as attempts:3"),
		Entry(nil, "until=quiet&timeout=11m", "up to 10m"),
		Entry(nil, "until=quiet&timeout=-1s", "such as 10s"),
	)

	It("and its stream show no secret", func() {
		hide := func(text string) string { return strings.ReplaceAll(text, "hunter2", "***") }
		api := start(control.Options{
			Parse: func([]byte) (control.Scenario, error) {
				return control.Scenario{Config: faultserver.Config{Script: script("200:forever"), Match: faultserver.Match{Method: "GET"}}}, nil
			},
			RedactText: hide,
			RedactAttempt: func(a faultserver.Attempt) faultserver.Attempt {
				a.Target, a.RawTarget = hide(a.Target), hide(a.RawTarget)
				return a
			},
		})
		session := api.create(client.NewSession{ID: "a", Scenario: asJSON("x")})
		ask(session.URL + "/?password=hunter2")
		response, err := http.Head(session.URL + "/?password=hunter2")
		Expect(err).NotTo(HaveOccurred())
		Expect(response.Body.Close()).To(Succeed())
		_, answer := api.say("GET", "/v1/sessions/a/journal", "")
		Expect(answer).To(And(ContainSubstring("unmatched"), ContainSubstring("***"), Not(ContainSubstring("hunter2"))))
		Expect(api.Watch(ctx, "a", func(a faultserver.Attempt) error {
			Expect(a.RawTarget).To(And(ContainSubstring("***"), Not(ContainSubstring("hunter2"))))
			return errEnough
		})).To(MatchError(errEnough))
	})

	It("takes no more memory than one may", func() {
		api := start(control.Options{Limits: control.Limits{SessionBytes: 10 << 10}})
		session := api.create(client.NewSession{ID: "a", Script: "200:forever"})
		for range 10 {
			Expect(ask(session.URL)).To(Equal(200))
		}
		Expect(listed(api)[0].JournalBytes).To(BeNumerically("<=", 10<<10))
		Expect(api.Journal(ctx, "a")).To(HaveField("Dropped", BeNumerically(">", 0)))
	})

	It("takes no more memory than all together may", func() {
		api := start(control.Options{Limits: control.Limits{TotalBytes: 30 << 10}})
		a, b := api.create(client.NewSession{ID: "a", Script: "200:forever"}), api.create(client.NewSession{ID: "b", Script: "200:forever"})
		for range 20 {
			Expect([]int{ask(a.URL), ask(b.URL)}).To(Equal([]int{200, 200}), "answers do not depend on it")
		}
		shown := listed(api)
		Expect(shown[0].JournalBytes + shown[1].JournalBytes).To(BeNumerically("<=", 30<<10))
		journal, err := api.Journal(ctx, "b")
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Dropped).To(BeNumerically(">", 0))
		Expect(len(journal.Attempts)+len(journal.Connections)+journal.Dropped).To(Equal(40), "of attempts and connections")
		Expect(api.Delete(ctx, "a")).To(Succeed())
		Expect(api.Delete(ctx, "b")).To(Succeed())
		_, answer := api.say("GET", "/metrics", "")
		Expect(answer).To(ContainSubstring("faultsrv_journal_bytes 0\n"), "it is given back")
	})
})

var errEnough = errors.New("enough")

var _ = Describe("The stream of attempts", func() {
	It("tells what was, and then each arrival and end, once", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "a", Script: "503,stall:300ms,200"})
		Expect(ask(session.URL)).To(Equal(503))
		var told []string
		seen := make(chan string, 10)
		over := make(chan error, 1)
		go func() {
			over <- api.Watch(ctx, "a", func(a faultserver.Attempt) error {
				seen <- fmt.Sprint(a.Index, " open: ", a.Open)
				return nil
			})
		}()
		Eventually(seen).Should(Receive(Equal("1 open: false")))
		go ask(session.URL)
		for range 2 {
			told = append(told, <-seen)
		}
		Expect(told).To(Equal([]string{"2 open: true", "2 open: false"}))
		Expect(api.Delete(ctx, "a")).To(Succeed())
		Expect(<-over).To(And(MatchError(client.ErrEnded), MatchError(ContainSubstring("the session has ended"))))
	})

	It("has the form of server-sent events", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "a", Script: "200"})
		ask(session.URL)
		Expect(api.Journal(ctx, "a", client.Quiet())).NotTo(BeNil())
		answers := make(chan string, 1)
		go func() {
			defer GinkgoRecover()
			_, answer := api.say("GET", "/v1/sessions/a/events", "")
			answers <- answer
		}()
		Eventually(func() string { _, text := api.say("GET", "/metrics", ""); return text }).Should(ContainSubstring(`faultsrv_attempts_total{happened="answer",met="true"} 1`))
		Consistently(answers).WithTimeout(30 * time.Millisecond).ShouldNot(Receive())
		Expect(api.Delete(ctx, "a")).To(Succeed())
		Eventually(answers).Should(Receive(MatchRegexp(`^: attempts of session a\n\nid: 1\nevent: ended\ndata: \{"session":"a",.*\}\n\nevent: end\ndata: \{"why":"the session has ended"\}\n\n$`)))
	})

	It("ends when its reader leaves, and gives its place back", func() {
		api := start(control.Options{Limits: control.Limits{Waiting: 1}})
		session := api.create(client.NewSession{ID: "a", Script: "200:forever"})
		ask(session.URL)
		reading, cancel := context.WithCancel(ctx)
		over, seen := make(chan error, 1), make(chan faultserver.Attempt, 10)
		go func() {
			over <- api.Watch(reading, "a", func(a faultserver.Attempt) error { seen <- a; return nil })
		}()
		Eventually(seen).Should(Receive())
		wait := func() error {
			_, err := api.Journal(ctx, "a", client.Attempts(2), client.Within(time.Millisecond))
			return err
		}
		Expect(wait()).To(haveStatus(429, "1 request waits already"))
		cancel()
		Expect(<-over).To(MatchError(context.Canceled))
		Eventually(wait).Should(haveStatus(504, ""))
	})
})
