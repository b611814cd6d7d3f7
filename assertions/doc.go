// Package assertions judges: pure checks over a session's journal and what the
// client reported, each with an explanation, and the verdict that follows.
//
// Each word of the expectation vocabulary is one check in one file, with its
// definition (formula and clock) in the comment of the function. A new word is
// a field of scenarios.Expectation, a check here, and a line in judge.go.
//
// It imports scenarios and faultserver; assertions/matchers wraps the checks
// for Gomega.
package assertions
