package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

var _ = Describe("A call", func() {
	It("has the body that the client is to send", func() {
		api := start(control.Options{})
		api.create(client.NewSession{ID: "a", Contract: "known.rule"})
		Expect(api.Body(ctx, "a", "second")).To(Equal(faultserver.Body{Size: 100 << 10, Seed: 3}.Bytes()))
		Expect(api.Body(ctx, "a", "first")).To(BeEmpty())
		_, err := api.Body(ctx, "a", "third")
		Expect(err).To(haveStatus(404, "it has first, second"))
	})

	It("is reported, and judged by its report", func() {
		api := start(control.Options{CheckOutcome: func(outcome json.RawMessage) error {
			if !strings.Contains(string(outcome), "kind") {
				return errors.New("expected a kind")
			}
			return nil
		}})
		session := api.create(client.NewSession{ID: "a", Contract: "known.rule"})
		var verdict struct {
			Verdict string
			Reports []control.Report
		}
		Expect(api.Verdict(ctx, "a", &verdict)).To(haveStatus(409, "let the client make its calls first"))
		Expect(api.Started(ctx, "a", "first")).To(Succeed())
		ask(session.Calls[0].URL)
		Expect(api.Outcome(ctx, "a", "first", map[string]int{"status": 1})).To(haveStatus(422, "expected a kind"))
		Expect(api.Outcome(ctx, "a", "first", outcome("response"))).To(Succeed())
		Expect(api.Outcome(ctx, "a", "first", outcome("response"))).To(haveStatus(409, "has an outcome already"))
		Expect(api.Verdict(ctx, "a", &verdict)).To(Succeed())
		Expect(verdict.Verdict).To(Equal("pass"))
		Expect(verdict.Reports).To(HaveLen(1))
		Expect(verdict.Reports[0].Started).To(BeNumerically(">", 0))
		Expect(verdict.Reports[0].Returned).To(BeNumerically(">", verdict.Reports[0].Started))

		Expect(api.Started(ctx, "a", "second")).To(Succeed())
		Expect(api.Cancelled(ctx, "a", "second")).To(Succeed())
		Expect(api.Outcome(ctx, "a", "second", outcome("error"))).To(Succeed())
		Expect(api.Verdict(ctx, "a", &verdict)).To(Succeed())
		Expect(verdict.Verdict).To(Equal("fail"))
		Expect(verdict.Reports[1].Cancelled).To(BeNumerically(">", 0))
		shown, err := api.Session(ctx, "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(shown.Calls[1].Reported).To(BeTrue())
	})

	It("that is started is the one that attempts without a token belong to", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "a", Contract: "known.rule"})
		Expect(api.Started(ctx, "a", "second")).To(Succeed())
		Expect(ask(session.URL + "/plain")).To(Equal(201))
		journal, err := api.Journal(ctx, "a")
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Attempts[0].Call).To(Equal("second"))
	})

	It("needs an outcome that is one", func() {
		api := start(control.Options{})
		api.create(client.NewSession{ID: "a", Contract: "known.rule"})
		for body, status := range map[string]int{`{}`: 422, `{"result":1}`: 400, `nonsense`: 400} {
			got, _ := api.say("POST", "/v1/sessions/a/calls/first/outcome", body)
			Expect(got).To(Equal(status), body)
		}
	})
})

var _ = Describe("A verdict", func() {
	It("is none of a session without a rule", func() {
		api := start(control.Options{})
		api.create(client.NewSession{ID: "a", Script: "200"})
		var verdict any
		Expect(api.Verdict(ctx, "a", &verdict)).To(haveStatus(409, "no rule to judge by"))
		Expect(api.Started(ctx, "a", "x")).To(haveStatus(404, "no calls: it was made from a script"))
	})

	It("whose judge crashes, or cannot judge, is that session's trouble alone", func() {
		api := start(control.Options{Resolve: func(id string) (control.Scenario, error) {
			scenario, _ := resolve("known.rule")
			switch id {
			case "crash":
				scenario.Judge = func(context.Context, control.Case) (any, error) { panic("no idea") }
			case "error":
				scenario.Judge = func(context.Context, control.Case) (any, error) { return nil, errors.New("too busy") }
			case "unwritable":
				scenario.Judge = func(context.Context, control.Case) (any, error) { return func() {}, nil }
			}
			return scenario, nil
		}})
		for id, detail := range map[string]string{"crash": "it crashed: no idea", "error": "too busy", "unwritable": "cannot be written as JSON"} {
			session := api.create(client.NewSession{ID: id, Contract: id})
			ask(session.Calls[0].URL)
			var verdict any
			Expect(api.Verdict(ctx, id, &verdict)).To(haveStatus(500, detail))
		}
		api.create(client.NewSession{ID: "good", Contract: "known.rule"})
		Expect(api.Outcome(ctx, "good", "first", outcome("response"))).To(Succeed())
		var verdict any
		Expect(api.Verdict(ctx, "good", &verdict)).To(Succeed())
	})
})
