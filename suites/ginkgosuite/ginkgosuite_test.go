package ginkgosuite_test

import (
	"net/http"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
	"github.com/faultsrv/faultsrv/suites/ginkgosuite"
)

// The reference client, judged by the whole catalogue: what `make test` runs,
// and what a user's own suite looks like.
var (
	suite = ginkgosuite.Describe(resilient.Client(),
		suites.AtLevel(scenarios.Observe), suites.FailOn(scenarios.Should))
	_ = SynchronizedBeforeSuite(suite.RunOnce, suite.Share)
)

func TestGinkgosuite(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "The reference client keeps every contract")
}

var _ = Describe("the generated specs", func() {
	It("are one a contract of the catalogue, opt-in ones excepted", func() {
		catalogue, err := scenarios.Catalogue()
		Expect(err).NotTo(HaveOccurred())
		contracts := 0
		for _, contract := range catalogue {
			if !contract.OptIn {
				contracts++
			}
		}
		Expect(suite.Specs()).To(Equal(contracts))
		Expect(contracts).To(BeNumerically(">=", 16))
	})
})

var _ = ReportAfterSuite("each contract was a spec", func(report Report) {
	labels := map[string]int{}
	ran := 0
	for _, spec := range report.SpecReports {
		for _, label := range spec.Labels() {
			labels[label]++
		}
		if spec.LeafNodeType.String() == "It" {
			ran++
		}
	}
	Expect(labels).To(HaveKey("level:must"))
	Expect(labels).To(HaveKey("area:body"))
	Expect(labels).To(HaveKey("needs:retry"))
	Expect(ran).To(Equal(suite.Specs() + 1))
})

// A transport that cannot be told anything shows how a user hands in a client.
func ExampleDescribe() {
	subject := suites.FromRoundTripper("my client", func(scenarios.Policy) (http.RoundTripper, error) {
		return http.DefaultTransport, nil
	})
	ginkgosuite.Describe(subject, suites.Contracts("body.*"))
}
