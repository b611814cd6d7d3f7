package reports

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

var _ = Describe("a result", func() {
	It("measures each gap from the end of the call's previous attempt", func() {
		e, j := samplePass()
		first, other, second := answered(1, "GET", 503, ms(2)), answered(2, "GET", 503, ms(10)), answered(3, "GET", 200, ms(44))
		other.Call = "call-2"
		e.Journal.Attempts = []faultserver.Attempt{first, other, second}
		result := FromEvidence(e, j, Options{Redactor: sampleRedactor()})
		Expect(result.Attempts[0].Meta.Gap).To(BeNil())
		Expect(result.Attempts[1].Meta.Gap).To(BeNil(), "another call's attempt")
		Expect(result.Attempts[2].Meta.Gap).To(HaveValue(Equal(ms(41))))
	})

	It("knows no gap after an attempt that has not ended", func() {
		e, j := samplePass()
		e.Journal.Attempts[0].Open = true
		Expect(FromEvidence(e, j, Options{Redactor: sampleRedactor()}).Attempts[1].Meta.Gap).To(BeNil())
	})

	It("shows the same attempts as the judge's own table", func() {
		e, j := sampleWeak()
		result := FromEvidence(e, j, Options{Redactor: sampleRedactor()})
		Expect(attemptTable(result)).To(Equal(assertions.Table(e.Journal)))
	})

	It("has the outcome of the call that was started last, and each call's", func() {
		e, j := samplePass()
		e.Calls = append(e.Calls, assertions.CallRecord{
			Token: "call-2", Name: "call-2", Method: "PUT", Path: "/", Body: faultserver.Body{Text: "abc"},
			Outcome: scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 200, Elapsed: ms(5)},
		})
		result := FromEvidence(e, j, Options{Redactor: sampleRedactor()})
		Expect(result.Outcome.Status).To(Equal(200))
		Expect(result.Calls[0].Outcome.Status).To(Equal(503))
		Expect(result.Calls[1].BodyLength).To(Equal(int64(3)))
		Expect(result.Calls[1].BodySHA256).To(Equal("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
		Expect(result.Calls[1].Meta.Elapsed).To(Equal(ms(5)))
	})

	It("tells what a client needs to be judged by the contract", func() {
		e, j := sampleUnsupported()
		Expect(FromEvidence(e, j, Options{Redactor: sampleRedactor()}).Needs).To(ContainElement(scenarios.CanCancel))
	})
})

var _ = DescribeTable("dates of an answer",
	func(value, want string) {
		Expect(undated(faultserver.Headers{{Name: "Date", Value: value}})[0].Value).To(Equal(want))
	},
	Entry("the preferred form", "Sun, 06 Nov 1994 08:49:37 GMT", "{date}"),
	Entry("the form of RFC 850", "Sunday, 06-Nov-94 08:49:37 GMT", "{date}"),
	Entry("the form of asctime", "Sun Nov  6 08:49:37 1994", "{date}"),
	Entry("seconds", "120", "120"),
	Entry("a text with a date in it", "seen Sun, 06 Nov 1994 08:49:37 GMT", "seen Sun, 06 Nov 1994 08:49:37 GMT"),
)
