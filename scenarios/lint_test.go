package scenarios_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// sound is a contract that lint has nothing to say of.
const sound = `id: body.sound
title: A title
level: must
basis: safety
why: A reason.
calls: [{name: pay}]
script: [{respond: 503}, succeed]
premise: {attempts: {min: 2}}
expect: {attempts: 2}
`

// with is the sound contract with other values of some keys; an empty value
// leaves the key out.
func with(lines string) string {
	text := sound
	for line := range strings.SplitSeq(lines, "\n") {
		key, value, _ := strings.Cut(line, ":")
		var kept []string
		for old := range strings.Lines(text) {
			if !strings.HasPrefix(old, key+":") {
				kept = append(kept, old)
			}
		}
		text = strings.Join(kept, "")
		if value != "" {
			text += line + "\n"
		}
	}
	return text
}

// TestLint has for each rule a contract that breaks it and one that does not.
func TestLint(t *testing.T) {
	for _, test := range []struct{ rule, bad, good string }{
		{"title-given", "title:", "title: Said"},
		{"level-given", "level:", "level: should"},
		{"basis-given", "basis:", "basis: promise"},
		{"why-given", "why:", "why: Because."},
		{"cites-given", "level: should\nbasis: practice", "level: should\nbasis: practice\ncites: [{doc: AWS}]"},
		{"cites-given", "cites: [{section: 4}]", "level: should\nbasis: practice\ncases: [BR-01]"},
		{"must-needs-basis", "basis: practice\ncites: [{doc: AWS}]", "level: should\nbasis: practice\ncites: [{doc: AWS}]"},
		{"level-above-source", "basis: standard\ncites: [{doc: RFC 9110, strength: SHOULD}]", "basis: standard\ncites: [{doc: RFC 9110, strength: MUST NOT}]"},
		{"level-above-source", "level: should\nbasis: standard\ncites: [{doc: RFC 9110, strength: MAY}]", "level: should\nbasis: standard\ncites: [{doc: RFC 9110, strength: MAY}, {doc: RFC 9112, strength: RECOMMENDED}]"},
		{"level-above-source", "level: should\nbasis: standard\ncites: [{doc: RFC 9110}]", "basis: safety\ncites: [{doc: RFC 9110, strength: MAY}]"},
		{"draft-is-opt-in", "basis: standard\ncites: [{doc: draft-ietf-x-07, strength: MUST}]", "basis: standard\nopt-in: true\ncites: [{doc: draft-ietf-x-07, strength: MUST}]"},
		{"cases-well-formed", "cases: [br-1]", "cases: [BR-01]"},
		{"cases-well-formed", "cases: [BR-01, BR-01]", "cases: [BR-01, BR-02]"},
		{"id-well-formed", "id: body.Replay", "id: body.replay-2"},
		{"id-well-formed", "id: body.12", "id: body.after-12"},
		{"id-well-formed", "id: body." + strings.Repeat("a", 100), "id: body." + strings.Repeat("a", 90)},
		{"texts-are-printable", `title: "Said \e[2J"`, `title: "Said \u00e9"`},
		{"texts-are-printable", `title: "Said\nand done"`, "title: Said and done"},
		{"texts-are-printable", `why: "So\0"`, `why: "So\nit is"`},
		{"area-known", "id: bdy.replay", "id: retry-after.replay"},
		{"expect-or-observe", "expect:", "expect: {outcome: success}"},
		{"expect-or-observe", "observe: [attempts]", "level: observe\nexpect:\npremise:\nobserve: [attempts]"},
		{"expect-or-observe", "level: observe\nobserve: [attempts]", "level: observe\nexpect:\npremise:\nobserve: [gaps]"},
		{"expect-or-observe", "level: observe\nexpect:\npremise:", "level: observe\nexpect:\npremise:\nobserve: [header.X]"},
		{"observe-known", "level: observe\nexpect:\npremise:\nobserve: [attemps]", "level: observe\nexpect:\npremise:\nobserve: [attempts, header.X, method]"},
		{"evaluator-known", "expect: {evaluator: breaker.no-such}", "expect: {evaluator: breaker.single-probe}"},
		{"premise-before-comparison", "premise:\nexpect: {gaps: {min: policy}}", "premise: {pay: {attempts: {each: 2}}}\nexpect: {pay: {gaps: {min: policy}}}"},
		{"premise-before-comparison", "premise:\nexpect: {same: [method]}", "premise:\nexpect: {attempts: 2, same: [method]}"},
		{"premise-before-comparison", "premise:\nexpect: {body: source}", "premise:\nscript: [succeed]\nexpect: {body: source}"},
		{"premise-before-comparison", "premise: {attempts: {min: 1}}\nexpect: {body: source}", "premise:\ncalls: [{body: {size: 1, stream: true}}]\nexpect: {body: source}"},
		{"gap-ends-at-the-server", "script: [stall, succeed]\nexpect: {gaps: {min: policy}}", "script: [{stall: 50ms}, succeed]\nexpect: {gaps: {min: policy}}"},
		{"gap-ends-at-the-server", "connections: [accept-hang, pass]\npolicy: {timeouts: {attempt: 200ms}}\nexpect: {gaps: {min: 20ms}}", "connections: [{accept-hang: 100ms}, pass]\npolicy: {timeouts: {attempt: 200ms}}\nexpect: {gaps: {min: 20ms}}"},
		{"gap-ends-at-the-server", "script: [stall, {respond: 503}, succeed]\npolicy: {timeouts: {attempt: 200ms}}\nexpect: {gaps: {min: policy, of: [1]}}", "script: [stall, {respond: 503}, succeed]\npolicy: {timeouts: {attempt: 200ms}}\nexpect: {gaps: {min: policy, of: [2]}}"},
		{"gap-ends-at-the-server", "policy: {timeouts: {attempt: 200ms}}\nscript: [{respond: 503, delay: 300ms}, succeed]\nexpect: {gaps: {min: policy}}", "policy: {timeouts: {attempt: 200ms}}\nscript: [{respond: 503, delay: 300ms}, succeed]\nexpect: {gaps: {max: policy}}"},
		{"gap-ends-at-the-server", "policy: {timeouts: {attempt: 200ms}}\nscript: [{stall: 200ms}, succeed]\nexpect: {gaps: {min: policy}}", "policy: {timeouts: {attempt: 200ms}}\nscript: [{stall: 100ms}, succeed]\nexpect: {gaps: {min: policy}}"},
		{"retry-after-sent", "expect: {gaps: {min: retry-after}}", "script: [{respond: {status: 503, headers: {retry-after: 1}}}, succeed]\nexpect: {gaps: {min: retry-after}}"},
		{"retry-after-sent", "script: [{redirect: 307}, succeed]\nexpect: {gaps: {min: retry-after}}", "script: [{redirect: {retry-after: 1}}, succeed]\nexpect: {gaps: {min: retry-after}}"},
		{"connections-need-fresh", "client: shared\nexpect: {connections: 1}", "client: shared\nexpect: {connections: {max: 2}}"},
		{"connections-need-fresh", "client: shared\nexpect: {connections: {min: 2, max: 2}}", "expect: {connections: 1}"},
		{"effects-need-commit", "expect: {effects: 1}", "script: [{respond: 503, commit: true}, succeed]\nexpect: {effects: 1}"},
		{"cancel-needs-cancel", "expect: {returns: {after: cancel, max: 1s}}", "calls: [{cancel: {attempt: 1}}]\nexpect: {returns: {after: cancel, max: 1s}}"},
		{"policy-says-it", "expect: {amplification: policy}", "policy: {budget: {ratio: 0.1, reserve: 1}}\nexpect: {amplification: policy}"},
		{"policy-says-it", "policy: {backoff: {constant: 1s, jitter: none}}\nexpect: {spread: {like: policy}}", "policy: {backoff: {constant: 1s, jitter: full}}\nexpect: {spread: {like: policy}}"},
		{"policy-says-it", "expect: {outcomes: {circuit-open: 1}}", "policy: {breaker: {failures: 1, open: 1s, probes: 1}}\nexpect: {outcomes: {circuit-open: 1}}"},
		{"outcomes-add-up", "calls: [{repeat: 3}]\nscript: [{succeed: {}, times: forever}]\nexpect: {outcomes: {success: 2}}", "calls: [{repeat: 3}]\nscript: [{succeed: {}, times: forever}]\nexpect: {outcomes: {success: 2, reset: 1}}"},
		{"bounds-in-order", "expect: {attempts: {min: 3, max: 2}}", "expect: {attempts: {min: 2, max: 2}}"},
		{"bounds-in-order", "expect: {connections: {min: 3, max: 2}}", "expect: {connections: {min: 2, max: 3}}"},
		{"bounds-in-order", "expect: {returns: {min: 3s, max: 2s}}", "expect: {returns: {min: 1s}}"},
		{"bounds-in-order", "expect: {window: {from: {event: started}, for: 1s, attempts: {min: 3, max: 2}}}", "expect: {window: {from: {event: started}, for: 1s, attempts: {min: 2, max: 3}}}"},
		{"bounds-in-order", "premise: {attempts: 2}\nexpect: {gaps: {min: 2s, max: 1s}}", "premise: {attempts: 2}\nexpect: {gaps: {min: policy, max: 1s}}"},
		{"server-can", "script: [{respond: 503, times: forever}, succeed]", "script: [{respond: 503, times: forever, when: {connection: reused}}, succeed]"},
		{"server-can", "script: [{reset: accept}]", "connections: [{reset: accept}]"},
		{"server-can", "script: [{respond: 99}]", "script: [{respond: 299}]"},
		{"server-can", "calls: [{name: a, repeat: 3, script: [succeed, {truncate: {after: 9, answer: {body: short}}}]}]", "calls: [{name: a, repeat: 3, script: [{truncate: {after: 4, answer: {body: short}}}]}]"},
		{"server-can", "after-script: loop\nscript: []", "after-script: loop"},
		{"script-given", "script:", "script:\nconnections: [refuse]"},
		{"parallel-needs-own-script", "calls: [{repeat: 2, parallel: 2}]", "calls: [{repeat: 2, parallel: 2, script: [{respond: 503}, succeed]}]"},
		{"parallel-needs-own-script", "calls: [{repeat: 2, parallel: 2}]\nscript: [succeed, {respond: 503}]", "calls: [{repeat: 2, parallel: 2}]\nscript: [{respond: 503, times: 2}, {respond: 503, optional: true}]"},
		{"parallel-within-repeat", "calls: [{repeat: 2, parallel: 3, script: [succeed]}]", "calls: [{repeat: 3, parallel: 2, script: [succeed]}]"},
		{"connection-steps-alone", "client: shared\nconnections: [{reset: accept}]", "connections: [{reset: accept}]"},
		{"connection-steps-alone", "connections: [{reset: accept}]\ncalls: [{repeat: 2, parallel: 2, script: [succeed]}]", "connections: [{reset: accept}]\ncalls: [{repeat: 2, script: [succeed]}]"},
		{"ends-in-time", "policy: {backoff: {constant: 7s}}", "policy: {backoff: {constant: 3s}}"},
		{"ends-in-time", "watch: 7s", "watch: 5s"},
		{"ends-in-time", "level: observe\nexpect:\npremise:\nobserve: [gaps]\nwatch: 11s", "level: observe\nexpect:\npremise:\nobserve: [gaps]\nwatch: 9s"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if broken := rulesBrokenBy(t, with(test.bad)); !slices.Contains(broken, test.rule) {
				t.Errorf("want %s of\n%s\ngot %v", test.rule, test.bad, broken)
			}
			if broken := rulesBrokenBy(t, with(test.good)); len(broken) > 0 {
				t.Errorf("want nothing of\n%s\ngot %v", test.good, broken)
			}
		})
	}
}

func rulesBrokenBy(t *testing.T, text string) []string {
	t.Helper()
	contracts, err := scenarios.Parse("own.yaml", []byte("format: 1\n---\n"+text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return rulesOf(scenarios.Lint(contracts, "breaker.single-probe"))
}

func rulesOf(problems []scenarios.Problem) []string {
	var rules []string
	for _, p := range problems {
		rules = append(rules, p.Rule)
	}
	return rules
}

func TestLintOfSeveralContracts(t *testing.T) {
	contracts, err := scenarios.Parse("body.yaml", []byte("format: 1\n---\n"+sound+"---\n"+sound+"---\n"+with("id: errors.elsewhere")))
	if err != nil {
		t.Fatal(err)
	}
	problems := scenarios.Lint(contracts)
	if got := rulesOf(problems); !slices.Equal(got, []string{"id-unique", "area-is-the-file"}) {
		t.Errorf("got %v", got)
	}
	if want := `body.yaml:13:5: id: the id "body.sound" is there twice; it was first given at body.yaml:3 [id-unique]` + "\n    id: body.sound\n        ^"; problems[0].Error() != want {
		t.Errorf("got  %s\nwant %s", problems[0].Error(), want)
	}
}

// What the server says of a step is told at the step.
func TestLintShowsTheStepThatTheServerCannotPerform(t *testing.T) {
	contracts, err := scenarios.Parse("own.yaml", []byte("format: 1\n---\n"+with("calls: [{name: pay, repeat: 3, script: [succeed, {reset: accept}]}]")))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range scenarios.Lint(contracts) {
		got = append(got, p.Path+" "+p.Message)
	}
	if want := "calls[0].script[1] reset: at accept: "; len(got) != 1 || !strings.HasPrefix(got[0], want) {
		t.Errorf("got %q, want one that begins with %q", got, want)
	}
}

// A contract that was made in Go never met the loader, so lint checks its
// structure too.
func TestLintOfAContractMadeInGo(t *testing.T) {
	made := func(calls ...scenarios.Call) *scenarios.Contract {
		one := 1
		return &scenarios.Contract{
			ID: "body.made", Title: "A title", Level: scenarios.Must, Basis: scenarios.Safety, Why: "A reason.",
			Calls: calls, Script: []faultserver.Step{{Act: faultserver.Succeed{}}},
			Expect: scenarios.Expectations{All: scenarios.Expectation{Attempts: &scenarios.Attempts{Each: &one}}},
		}
	}
	for rule, contract := range map[string]*scenarios.Contract{
		"calls-given":       made(),
		"call-names":        made(scenarios.Call{Name: "a"}, scenarios.Call{Name: "a"}),
		"call-is-a-request": made(scenarios.Call{Path: "no slash"}),
		"calls-exist":       made(scenarios.Call{After: &faultserver.Moment{Call: "nobody"}}),
		"requests-bounded":  made(scenarios.Call{Repeat: 50_000}),
	} {
		if got := rulesOf(scenarios.Lint([]*scenarios.Contract{contract})); !slices.Contains(got, rule) {
			t.Errorf("want %s, got %v", rule, got)
		}
	}
	if got := scenarios.Lint([]*scenarios.Contract{made(scenarios.Call{})}); len(got) > 0 {
		t.Errorf("a sound one: %v", got)
	}
}

// Every rule that lint can name is shown to bite.
func TestEveryRuleHasATest(t *testing.T) {
	source := readFile(t, "lint_test.go")
	for _, rule := range scenarios.Rules() {
		if !strings.Contains(source, `"`+rule.Name+`"`) {
			t.Errorf("no test breaks the rule %s", rule.Name)
		}
		if rule.Says == "" {
			t.Errorf("the rule %s says nothing", rule.Name)
		}
	}
}
