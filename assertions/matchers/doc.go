// Package matchers are Gomega matchers over the checks of assertions: what a
// contract can expect of a journal, in a Go test.
//
//	server := faultserver.New(GinkgoT(), "503x2,200")
//	… let the client call server.URL …
//	Expect(server).To(HaveAttempts(3))
//	Expect(server).To(HaveGaps(AtLeast(40 * time.Millisecond)))
//
// The actual value is a faultserver.Journal, anything with a method
// Journal() faultserver.Journal (a server, a session), or an
// assertions.Evidence; of HaveOutcome also a scenarios.Outcome. A failure shows
// the attempts as a table.
//
// A matcher that cannot observe what it is asked about, such as the pause
// before a retry that was not made, returns an error: neither To nor NotTo
// passes then.
//
// A new matcher is a constructor here over an expectation; what it means is
// defined in assertions.
package matchers
