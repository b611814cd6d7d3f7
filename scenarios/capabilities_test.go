package scenarios_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

func TestCapabilities(t *testing.T) {
	for _, test := range []struct{ lines, want string }{
		{"script: [succeed]", "[]"},
		{"premise: {attempts: {min: 2}}", "[retry]"},
		{"expect: {attempts: 2}", "[retry]"},
		{"expect: {attempts: {min: 1}}", "[]"},
		{"also: {attempts: 2}", "[]"},
		{"expect: {attempts: policy}", "[retry]"},
		{"policy: {attempts: 1}\nexpect: {attempts: policy}", "[]"},
		{"script: [{redirect: 307}, succeed]\nexpect: {attempts: 2}", "[]"},
		{"script: [{redirect: 307}, {respond: 503}, succeed]\nexpect: {attempts: 3}", "[retry]"},
		{"calls: [{repeat: 5}]\nexpect: {attempts: {total: 5}}", "[]"},
		{"calls: [{repeat: 5}]\nexpect: {attempts: {total: 6}}", "[retry]"},
		{"calls: [{name: a, repeat: 5}, {name: b}]\nexpect: {b: {attempts: {total: 2}}}", "[retry]"},
		{"policy: {timeouts: {attempt: 1s}}", "[attempt-timeout]"},
		{"policy: {timeouts: {total: 1s}}", "[timeout]"},
		{"policy: {retry-after-cap: 1s}", "[backoff]"},
		{"calls: [{timeout: 1s}]", "[timeout]"},
		{"calls: [{method: PUT, headers: {A: b}, body: text}]", "[method headers request-body]"},
		{"calls: [{method: GET, body: {size: 1, stream: true}}]", "[request-body streamed-body]"},
		{"calls: [{cancel: {attempt: 1}}]", "[cancel]"},
		{"client: shared\ncalls: [{repeat: 2, parallel: 2}]", "[shared parallel]"},
		{"expect: {outcome: success}", "[]"},
		{"expect: {outcome: {error: any}}", "[]"},
		{"expect: {outcome: {error: [any, reset]}}", "[error-kind]"},
		{"expect: {outcome: {not: {any-of: [{status: 500}, {error: reset}]}}}", "[status error-kind]"},
		{"premise: {outcome: {status: 503}}", "[status]"},
		{"also: {outcome: {status: 503}}", "[]"},
		{"expect: {outcome: {error: any, last-status: 503}}", "[status]"},
		{"expect: {outcome: {status: 503, body: complete}}", "[status response-body]"},
		{"expect: {outcomes: {success: 1}}", "[]"},
		{"expect: {outcomes: {status-503: 1, circuit-open: 1}}", "[status error-kind]"},
		{"expect: {distinct: [header.idempotency-key]}", "[idempotency-key]"},
		{"calls: [{headers: {idempotency-KEY: mine}}]\nexpect: {present: [header.Idempotency-Key]}", "[headers]"},
		{"policy: {breaker: {failures: 1, open: 1s, probes: 1}, budget: {ratio: 1, reserve: 1}, hedge: {delay: 1s}}", "[breaker budget hedge]"},
		{"server: tls", "[tls]"},
		{"server: h2", "[tls http2]"},
		{"server: h2c", "[http2]"},
		{"needs: [backoff, retry]\nexpect: {attempts: 2}", "[retry backoff]"},
	} {
		if got := fmt.Sprint(parseOne(t, test.lines).Capabilities()); got != test.want {
			t.Errorf("%s\n  needs %s, want %s", test.lines, got, test.want)
		}
	}
}

func TestTheCapabilitiesOfTheExamples(t *testing.T) {
	for id, want := range map[string]string{
		"breaker.single-probe":                  "[shared parallel error-kind breaker]",
		"idempotency.key-stable-within-a-call":  "[retry method shared idempotency-key]",
		"cancellation.wakes-the-sleep":          "[cancel]",
		"jitter.full-is-spread":                 "[retry parallel]",
		"budget.bounds-amplification":           "[shared budget]",
		"http2.goaway-above-last-stream":        "[retry method request-body shared http2]",
		"connection.stale-post-is-not-replayed": "[method shared]",
		"response.early-413-reaches-the-caller": "[method request-body status]",
	} {
		if got := fmt.Sprint(example(t, id).Capabilities()); got != want {
			t.Errorf("%s needs %s, want %s", id, got, want)
		}
	}
}

// What is not derived must be known to be so: attempts matter only where a
// check reads them.
func TestEveryCapabilityIsDerivedOrLeftToNeeds(t *testing.T) {
	left := []scenarios.Capability{scenarios.CanAttempts}
	for _, d := range scenarios.Derivations() {
		left = append(left, d.Capability)
	}
	for _, c := range scenarios.AllCapabilities() {
		if !slices.Contains(left, c) {
			t.Errorf("%s is neither derived nor left to needs", c)
		}
	}
	if len(left) != len(scenarios.AllCapabilities()) {
		t.Errorf("%d derivations for %d capabilities", len(left), len(scenarios.AllCapabilities()))
	}
}
