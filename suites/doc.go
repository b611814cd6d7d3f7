// Package suites runs contracts against a client and gives their verdicts.
//
// A client under test is a [Subject]: it opens a [Client] with a retry policy,
// and the client makes calls. One kind is here: in process (any Go value,
// most often an http.RoundTripper, see [FromRoundTripper]). The others have
// packages of their own: suites/command (exec, any command line), suites/driver
// (a client in any language, by a protocol) and suites/service (a whole
// application). The runner gives each contract a
// session of its own on a listener of its own, makes the calls, watches for
// late attempts, and hands the evidence to assertions.
//
// From plain testing it is one line, suites.Run(t, subject); from Ginkgo see
// suites/ginkgosuite. suites/clients has real clients, suites/mutants the
// deliberately broken ones that prove that each contract can fail.
//
// It imports everything to its left: faultserver, scenarios, assertions,
// reports. It links neither Ginkgo nor Gomega.
package suites
