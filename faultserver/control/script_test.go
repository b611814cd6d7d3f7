package control_test

import (
	"encoding/json"
	"errors"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

var _ = Describe("A session's script", func() {
	It("is shown, gets more steps, is replaced and begins anew", func() {
		api := start(control.Options{})
		session := api.create(client.NewSession{ID: "a", Script: "503"})
		Expect(ask(session.URL)).To(Equal(503))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: "429:retry-after=1,reset"})).To(Succeed())
		Expect(api.Script(ctx, "a")).To(Equal(client.Script{Steps: []client.Step{
			{Text: "503", Served: 1}, {Text: "429:retry-after=1"}, {Text: "reset"},
		}}))
		Expect(ask(session.URL)).To(Equal(429))
		Expect(api.Rewind(ctx, "a")).To(Succeed())
		Expect(ask(session.URL)).To(Equal(503))
		Expect(api.ReplaceSteps(ctx, "a", client.Steps{Script: "418:forever"})).To(Succeed())
		Expect([]int{ask(session.URL), ask(session.URL)}).To(Equal([]int{418, 418}))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: "200"})).To(haveStatus(422, "no attempt would reach"))
	})

	It("takes a list of steps where the server reads one", func() {
		api := start(control.Options{Steps: func(document []byte) ([]faultserver.Step, error) {
			if string(document) != `[{"respond":418}]` {
				return nil, errors.New("steps[0]: no act")
			}
			return script("418"), nil
		}})
		session := api.create(client.NewSession{ID: "a", Script: "200"})
		Expect(api.ReplaceSteps(ctx, "a", client.Steps{Steps: json.RawMessage(`[{"respond":418}]`)})).To(Succeed())
		Expect(ask(session.URL)).To(Equal(418))
		Expect(api.AddSteps(ctx, "a", client.Steps{Steps: json.RawMessage(`[{}]`)})).To(haveStatus(422, "steps[0]: no act"))
		plain := start(control.Options{})
		plain.create(client.NewSession{ID: "a", Script: "200"})
		Expect(plain.AddSteps(ctx, "a", client.Steps{Steps: json.RawMessage(`[{}]`)})).To(haveStatus(422, "one-line scripts only"))
	})

	It("is left as it is by what is no change, or too much", func() {
		api := start(control.Options{Limits: control.Limits{Steps: 4}})
		api.create(client.NewSession{ID: "a", Script: "503,503"})
		Expect(api.AddSteps(ctx, "a", client.Steps{})).To(haveStatus(422, "expected either"))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: "200", Steps: json.RawMessage(`[]`)})).To(haveStatus(422, "expected either"))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: "dance"})).To(haveStatus(422, "is no act"))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: "accept-hang"})).To(haveStatus(422, "belongs in connections"))
		Expect(api.AddSteps(ctx, "a", client.Steps{Script: strings.Repeat("200,", 2) + "200"})).To(haveStatus(429, "would have 5"))
		Expect(api.AddSteps(ctx, "nobody", client.Steps{Script: "200"})).To(haveStatus(404, "there is none"))
		Expect(api.ReplaceSteps(ctx, "a", client.Steps{Script: strings.Repeat("200,", 4) + "200"})).To(haveStatus(429, "at most 4 steps"))
		Expect(api.Script(ctx, "a")).To(HaveField("Steps", HaveLen(2)))
		Expect(api.ReplaceSteps(ctx, "a", client.Steps{Script: "200,200,200,200"})).To(Succeed(), "the two that were there are gone")
	})
})
