package control_test

import (
	"context"
	"errors"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

var _ = Describe("One of several servers", func() {
	owner := func(err error) string {
		var problem *client.Problem
		if !errors.As(err, &problem) || problem.Status != http.StatusMisdirectedRequest {
			return ""
		}
		return problem.Owner
	}

	It("puts its name in front of every id", func() {
		api := start(control.Options{Name: "pod-0"})
		Expect(api.create(client.NewSession{Script: "200"}).ID).To(MatchRegexp(`^pod-0\.[0-9a-f]{16}$`))
		Expect(api.create(client.NewSession{ID: "demo", Script: "200"}).ID).To(Equal("pod-0.demo"))
		Expect(api.create(client.NewSession{ID: "pod-0.kept", Script: "200"}).ID).To(Equal("pod-0.kept"))
		_, err := api.Create(context.Background(), client.NewSession{ID: "pod-0.demo", Script: "200"})
		Expect(err).To(haveStatus(409, "there already"))
	})

	It("names the owner of another one's session, whatever is asked of it", func() {
		api := start(control.Options{Name: "pod-0"})
		ctx := context.Background()
		_, err := api.Create(ctx, client.NewSession{ID: "pod-1.demo", Script: "200"})
		Expect(owner(err)).To(Equal("pod-1"))
		_, err = api.Session(ctx, "pod-1.demo")
		Expect(owner(err)).To(Equal("pod-1"))
		_, err = api.Journal(ctx, "pod-1.demo", client.Attempts(1))
		Expect(owner(err)).To(Equal("pod-1"))
		Expect(owner(api.AddSteps(ctx, "pod-1.demo", client.Steps{Script: "200"}))).To(Equal("pod-1"))
		Expect(owner(api.Outcome(ctx, "pod-1.demo", "call", outcome("success")))).To(Equal("pod-1"))
		Expect(owner(api.Delete(ctx, "pod-1.demo"))).To(Equal("pod-1"))
		for _, path := range []string{"/events", "/verdict", "/steps"} {
			status, answer := api.say("GET", "/v1/sessions/pod-1.demo"+path, "")
			Expect(status).To(Equal(421), answer)
		}
	})

	It("knows no owner of an id without one, nor of its own that is not there", func() {
		api := start(control.Options{Name: "pod-0"})
		for _, id := range []string{"demo", "pod-0.gone", ".gone"} {
			_, err := api.Session(context.Background(), id)
			Expect(err).To(haveStatus(404, "there is none"), id)
		}
		_, err := start(control.Options{}).Session(context.Background(), "pod-1.demo")
		Expect(err).To(haveStatus(404, "there is none"))
	})

	DescribeTable("has a name that can stand before a dot", func(name string, good bool) {
		if good {
			Expect(control.CheckName(name)).To(Succeed())
		} else {
			Expect(control.CheckName(name)).To(MatchError(ContainSubstring("no dot")))
		}
	},
		Entry(nil, "faultsrv-0", true), Entry(nil, "A_b", true), Entry(nil, strings.Repeat("a", 63), true),
		Entry(nil, "", false), Entry(nil, "a.b", false), Entry(nil, "a b", false), Entry(nil, "ä", false), Entry(nil, strings.Repeat("a", 64), false),
	)

	It("answers for the data side, too", func() {
		answer, stray := control.StrayAnswer("pod-0")("pod-1.demo")
		Expect(stray).To(BeTrue())
		Expect(answer.Status).To(Equal(421))
		Expect(answer.Headers).To(ContainElement(faultserver.Header{Name: "Content-Type", Value: "application/problem+json"}))
		Expect(answer.Body.Text).To(MatchJSON(`{"type": "https://github.com/faultsrv/faultsrv/blob/main/docs/serve.md#other-owner", "title": "the session is another server's",
			"status": 421, "detail": "session \"pod-1.demo\": it belongs to the server pod-1, and this one is pod-0; ask that one", "owner": "pod-1"}`))
		_, stray = control.StrayAnswer("pod-0")("pod-0.gone")
		Expect(stray).To(BeFalse())
	})
})
