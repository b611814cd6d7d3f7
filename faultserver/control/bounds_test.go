package control_test

import (
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

var _ = Describe("Bounded, with a word of what to do,", func() {
	It("are sessions with a listener of their own: as many as there are files for", func() {
		parse := func([]byte) (control.Scenario, error) {
			return control.Scenario{Config: faultserver.Config{Script: script("200"), Connections: script("pass")}}, nil
		}
		api := start(control.Options{Limits: control.Limits{ListenerFiles: 7}, Parse: parse})
		strikes := client.NewSession{ID: "strikes", Scenario: asJSON("strikes"), OwnListener: true}
		api.create(strikes)
		own := api.create(client.NewSession{ID: "own", Script: "200", OwnListener: true})
		_, err := api.Create(ctx, client.NewSession{Script: "200", OwnListener: true})
		Expect(err).To(haveStatus(429, "have 7 files open, of 7 that they may, and this one needs up to 1; delete such a session"))
		api.create(client.NewSession{Script: "200"})
		Expect(ask(own.URL)).To(Equal(200), "those that are there go on")
		Expect(api.Delete(ctx, "own")).To(Succeed())
		_, err = api.Create(ctx, client.NewSession{Scenario: asJSON("strikes"), OwnListener: true})
		Expect(err).To(haveStatus(429, "have 6 files open, of 7 that they may, and this one needs up to 6"))
		Expect(api.Delete(ctx, "strikes")).To(Succeed())
		api.create(strikes)
	})

	It("are the connections to all sessions with a listener of their own", func() {
		api := start(control.Options{Limits: control.Limits{OwnConnections: 1}})
		one := api.create(client.NewSession{ID: "one", Script: "stall:forever", OwnListener: true})
		other := api.create(client.NewSession{ID: "other", Script: "200", OwnListener: true})
		go ask(one.URL)
		_, err := api.Journal(ctx, "one", client.Attempts(1))
		Expect(err).NotTo(HaveOccurred())
		Expect(ask(other.URL)).To(Equal(0))
		journal, err := api.Journal(ctx, "other")
		Expect(err).NotTo(HaveOccurred())
		Expect(journal.Events).To(ConsistOf(HaveField("Kind", "refused")))
		Expect(api.Delete(ctx, "one")).To(Succeed())
		Expect(ask(other.URL)).To(Equal(200))
	})

	It("are the copies of a script that a repeated call has", func() {
		parse := func([]byte) (control.Scenario, error) {
			config := faultserver.Config{Calls: []faultserver.CallConfig{{Token: "a-1", Script: script("503,503")}, {Token: "a-2", Script: script("503,503")}}}
			return control.Scenario{Config: config}, nil
		}
		api := start(control.Options{Limits: control.Limits{Steps: 5}, Parse: parse})
		_, err := api.Create(ctx, client.NewSession{Scenario: asJSON("repeated")})
		Expect(err).To(haveStatus(429, "at most 5 steps and calls, each copy of a repeated call's script included; this one would have 6; a step serves several"))
		Expect(listed(api)).To(BeEmpty())
	})

	It("are the steps of all sessions together, whether they came at first or later", func() {
		api := start(control.Options{Limits: control.Limits{TotalSteps: 5}})
		api.create(client.NewSession{ID: "a", Script: "503,503"})
		api.create(client.NewSession{ID: "b", Script: "503"})
		const full = "of 5 that they may"
		_, err := api.Create(ctx, client.NewSession{Script: "503,503,503"})
		Expect(err).To(haveStatus(429, "all sessions have 3 steps and calls, "+full+", and these are 3 more; delete sessions"))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: "200,200"})).To(Succeed())
		Expect(api.AddSteps(ctx, "b", client.Steps{Script: "200"})).To(haveStatus(429, full))
		Expect(api.ReplaceSteps(ctx, "b", client.Steps{Script: "200,200"})).To(haveStatus(429, full))
		Expect(api.ReplaceSteps(ctx, "a", client.Steps{Script: "accept-hang"})).To(haveStatus(422, "belongs in connections"))
		Expect(api.ReplaceSteps(ctx, "b", client.Steps{Script: "200"})).To(Succeed(), "it takes the place of another")
		Expect(api.ReplaceSteps(ctx, "a", client.Steps{Script: "200"})).To(Succeed())
		Expect(api.AddSteps(ctx, "b", client.Steps{Script: "200,200,200"})).To(Succeed(), "those that were replaced are given back")
		Expect(api.Delete(ctx, "b")).To(Succeed())
		api.create(client.NewSession{Script: "503,503,503,503"})
		_, err = api.Create(ctx, client.NewSession{Script: "503"})
		Expect(err).To(haveStatus(429, full))
	})

	It("is the memory of what was told of the calls", func() {
		api := start(control.Options{Limits: control.Limits{SessionBytes: 1000}})
		api.create(client.NewSession{ID: "a", Contract: "known.rule"})
		Expect(api.Outcome(ctx, "a", "first", map[string]string{"kind": strings.Repeat("x", 1000)})).To(haveStatus(429, "no memory left for it"))
		Expect(api.Outcome(ctx, "a", "first", outcome("response"))).To(Succeed())
	})
})
