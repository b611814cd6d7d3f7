package suites_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/nethttp"
)

// A client that makes one attempt breaks "twice", keeps "test", need
// not do "retried", and cannot be judged by "hedged".
const fourContracts = oneAttempt + `---
id: attempts.twice
title: A test
level: should
basis: practice
why: A test.
calls: [{}]
script: [{respond: 503}, {succeed: {}, optional: true}]
expect: {attempts: 2}
---
id: attempts.retried
title: A test
level: must
basis: safety
why: A test.
calls: [{}]
script: [{reset: request-end}]
premise: {outcome: {status: 503}}
expect: {attempts: 1}
---
id: attempts.hedged
title: A test
level: must
basis: safety
why: A test.
policy: {hedge: {delay: 1ms}}
calls: [{}]
script: [succeed]
expect: {attempts: 1}
`

func listed(pattern string) suites.KnownFailures {
	return suites.KnownFailures{{Contract: pattern, Reason: "it never retries", Link: "https://example.com/1"}}
}

func TestKnownFailures(t *testing.T) {
	t.Parallel()
	once := client{do: get, capabilities: []scenarios.Capability{scenarios.CanRetry, scenarios.CanStatus}}
	for pattern, want := range map[string]struct {
		result  string
		verdict assertions.Verdict
		reason  string
		status  int
	}{
		"attempts.tw*":     {"attempts.twice", assertions.KnownFail, "it never retries (https://example.com/1); attempts: ", reports.Conforming},
		"attempts.test":    {"attempts.test", assertions.UnexpectedPass, "it is listed as a known failure by \"attempts.test\", and passes: take it off the list", reports.Broken},
		"attempts.retried": {"attempts.retried", assertions.NotExercised, "it is listed as a known failure: it never retries", reports.Conforming},
		"attempts.hedged":  {"attempts.hedged", assertions.Unsupported, "it is listed as a known failure: it never retries", reports.Conforming},
	} {
		run, err := suites.Judge(t.Context(), once, contracts(t, fourContracts), suites.Options{KnownFailures: listed(pattern)})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(run.Results, func(r reports.Result) bool { return r.ID == want.result })
		if got := run.Results[i]; got.Verdict != want.verdict || !strings.Contains(got.Reason, want.reason) {
			t.Errorf("%s: got %s, %q; want %s, %q", pattern, got.Verdict, got.Reason, want.verdict, want.reason)
		}
		if got := reports.ExitStatus(run); got != want.status {
			t.Errorf("%s: exit status %d, want %d", pattern, got, want.status)
		}
	}
}

func TestTheProfilesKnownFailuresCount(t *testing.T) {
	t.Parallel()
	subject := nethttp.Client()
	subject.About.KnownFailures = listed("attempts.test")
	if result := judge(t, subject, oneAttempt, suites.Options{}); result.Verdict != assertions.UnexpectedPass {
		t.Errorf("got %s: %s", result.Verdict, result.Reason)
	}
}

func TestAWrongListIsRefused(t *testing.T) {
	t.Parallel()
	all := contracts(t, fourContracts+`---
id: attempts.seen
title: A test
level: observe
basis: practice
why: A test.
calls: [{}]
script: [succeed]
observe: [attempts]
`)
	for want, list := range map[string]suites.KnownFailures{
		"": listed("attempts.t*"),
		`"attempts.twic" means no contract that can fail (did you mean "attempts.twice"?)`:          listed("attempts.twic"),
		`"attempts.seen" means no contract that can fail`:                                           listed("attempts.seen"),
		`two entries mean attempts.twice, "attempts.tw*" (it never retries) and "attempts.twice" (`: append(listed("attempts.tw*"), listed("attempts.twice")...),
		`known-failures[0].link: expected where more is said of it`:                                 {{Contract: "attempts.test", Reason: "x"}},
	} {
		err := suites.CheckKnownFailures(nethttp.Client(), list, all)
		switch {
		case want == "" && err != nil:
			t.Errorf("refused: %v", err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("want %q; got: %v", want, err)
		}
	}
	subject := nethttp.Client()
	subject.About.KnownFailures = listed("attempts.test")
	if err := suites.CheckKnownFailures(subject, listed("attempts.t*"), all); err == nil || !strings.Contains(err.Error(), "two entries mean attempts.test") {
		t.Errorf("an entry that is in the profile too: %v", err)
	}
}

func TestAPlanRefusesAWrongList(t *testing.T) {
	t.Parallel()
	if _, err := suites.NewPlan(nethttp.Client(), suites.KnownToFail(listed("attempts.gone")...)); err == nil || !strings.Contains(err.Error(), "attempts.gone") {
		t.Errorf("got: %v", err)
	}
	plan, err := suites.NewPlan(nethttp.Client(), suites.KnownToFail(listed("attempts.retries-503")...), suites.Contracts("attempts.*"))
	if err != nil || len(plan.Options.KnownFailures) != 1 {
		t.Errorf("got %+v: %v", plan.Options.KnownFailures, err)
	}
}

func TestReadKnownFailures(t *testing.T) {
	t.Parallel()
	got, err := suites.ReadKnownFailures("known.yaml", []byte("- {contract: body.*, reason: r, link: https://example.com}\n"))
	if err != nil || !slices.Equal(got, suites.KnownFailures{{Contract: "body.*", Reason: "r", Link: "https://example.com"}}) {
		t.Errorf("got %+v: %v", got, err)
	}
	_, err = suites.ReadKnownFailures("known.yaml", []byte("- contract: body.[\n  link: nowhere\n- reason: r\n  link: https://example.com\n"))
	for _, want := range []string{
		`known.yaml:1:13: [0].contract: expected an id or a glob such as body.*; got "body.["`,
		`known.yaml:1:3: [0].reason: expected why the contract fails; got nothing`,
		`known.yaml:2:9: [0].link: expected where more is said of it, such as https://example.com/issues/1; got "nowhere"`,
		`known.yaml:3:3: [1].contract: expected the id of a contract that is known to fail`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q; got: %v", want, err)
		}
	}
	if _, err = suites.ReadKnownFailures("known.yaml", []byte("- {contract: a.b, raeson: r}\n")); err == nil || !strings.Contains(err.Error(), `did you mean "reason"?`) {
		t.Errorf("got: %v", err)
	}
}
