package faultserver_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("A step chosen by the request", func() {
	It("is performed, and nobody has to meet it", func() {
		s := serve(faultserver.Config{Choose: func(r faultserver.Request) faultserver.Step {
			status := 404
			if r.Method == "GET" && r.Target == "/x?y" && r.Headers.Get("host") != "" {
				status = 201
			}
			return faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: status}}}
		}})
		Expect([]int{ask(s.URL(), "/x?y"), ask(s.URL(), "/")}).To(Equal([]int{201, 404}))
		journal := s.Journal()
		Expect(steps(journal)).To(Equal([]string{"201", "404"}))
		Expect(journal.Attempts[0].Met).To(BeTrue())
		Expect(journal.Unmet).To(BeEmpty())
	})

	It("that cannot be performed is said to the client", func() {
		s := serve(faultserver.Config{Choose: func(faultserver.Request) faultserver.Step { return faultserver.Step{} }})
		Expect(ask(s.URL(), "/")).To(Equal(500))
	})

	It("excludes a script", func() {
		choose := func(faultserver.Request) faultserver.Step { return faultserver.Step{} }
		_, err := faultserver.Open(faultserver.Config{Choose: choose, Script: script("200")})
		Expect(err).To(MatchError(ContainSubstring("keep one")))
		_, err = faultserver.Open(faultserver.Config{Choose: choose, Calls: []faultserver.CallConfig{{Token: "a", Script: script("200")}}})
		Expect(err).To(MatchError(ContainSubstring("keep one")))
	})
})
