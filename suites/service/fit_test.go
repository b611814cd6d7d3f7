package service

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A change makes a service that differs from the plain one.
type change func(*Subject)

// plain is a service that asks by GET and declares what is usual.
func plain(changes ...change) *Subject {
	s := &Subject{
		profile: Profile{
			Policy:  scenarios.Policy{Attempts: ptr(3), Backoff: &scenarios.Backoff{Constant: ptr(20 * time.Millisecond)}},
			Outcome: Outcome{Error: map[int]scenarios.ErrorKind{502: scenarios.ErrExhausted}},
		},
		options:   Options{CallTimeout: 10 * time.Second},
		upstreams: &upstreams{},
		request:   request{method: "GET", target: "/stock?item=1"},
	}
	for _, change := range changes {
		change(s)
	}
	return s
}

// posts makes the service ask by POST with a small body, and its policy list methods.
func posts(methods ...string) change {
	return func(s *Subject) {
		s.request = request{method: "POST", target: "/charge", body: 40}
		s.profile.Policy.Methods = methods
	}
}

func asks(method string) change { return func(s *Subject) { s.request.method = method } }

func carries(body int64) change { return func(s *Subject) { s.request.body = body } }

func keyed(s *Subject) {
	s.request.headers = faultserver.Headers{{Name: "idempotency-key", Value: "k"}}
}

func sideBySideService(s *Subject) { s.profile.Baggage = true }

func declares(set func(*scenarios.Policy)) change {
	return func(s *Subject) { set(&s.profile.Policy) }
}

func attemptsOf(n int) change { return declares(func(p *scenarios.Policy) { p.Attempts = ptr(n) }) }

func timesOut(attempt time.Duration) change {
	return declares(func(p *scenarios.Policy) { p.Timeouts = &scenarios.Timeouts{Attempt: attempt} })
}

func pausing(constant time.Duration) change {
	return declares(func(p *scenarios.Policy) { p.Backoff = &scenarios.Backoff{Constant: &constant} })
}

// contractOf parses what a contract asks.
func contractOf(t *testing.T, asks string) *scenarios.Contract {
	t.Helper()
	const rule = "format: 1\n---\nid: a.b\ntitle: A rule\nlevel: must\nbasis: safety\nwhy: A test.\n"
	list, err := scenarios.Parse("test.yaml", []byte(rule+asks+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return list[0].Defaulted()
}

func TestFit(t *testing.T) {
	t.Parallel()
	const (
		once      = "calls: [{}]\nscript: [succeed]\nexpect: {attempts: 1}"
		retried   = "calls: [{}]\nscript: [{respond: 503}, succeed]\nexpect: {attempts: 2}"
		exact     = "policy: {attempts: 3}\ncalls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {attempts: policy}"
		last      = "policy: {attempts: 4}\ncalls: [{}]\nscript: [{respond: 503, times: 3}, succeed]\nexpect: {attempts: policy}"
		only      = "policy: {attempts: 1}\ncalls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {attempts: policy}"
		final     = "policy: {methods: [GET]}\ncalls: [{method: POST}]\nscript: [{reset: request-end}]\nexpect: {attempts: 1}"
		replayed  = "policy: {methods: [PUT]}\ncalls: [{method: PUT, body: {size: 64KiB}}]\nscript: [{respond: 503}, succeed]\npremise: {attempts: {min: 2}}\nexpect: {body: source}"
		large     = "calls: [{method: PUT, body: {size: 1MiB}}]\nscript: [{respond: 503}, succeed]\npremise: {attempts: {min: 2}}\nexpect: {body: source}"
		key       = "policy: {methods: [POST]}\ncalls: [{method: POST, headers: {Idempotency-Key: a}}]\nscript: [{respond: 503}, succeed]\nexpect: {same: [header.Idempotency-Key]}"
		silent    = "policy: {attempts: 2, timeouts: {attempt: 400ms}}\ncalls: [{}]\nscript: [stall, succeed]\nexpect: {attempts: 2}"
		paused    = "policy: {backoff: {constant: 150ms}}\ncalls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {gaps: {min: policy}}"
		growing   = "policy: {backoff: {exponential: 100ms, max: 1s}}\ncalls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {gaps: {min: policy}}"
		jittered  = "policy: {backoff: {constant: 2s, jitter: full}}\ncalls: [{repeat: 50}]\nscript: [{respond: 503, times: forever}]\nexpect: {spread: {like: policy}}"
		soon      = "calls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {returns: {max: 1s}}"
		capped    = "policy: {retry-after-cap: 1s}\ncalls: [{}]\nscript: [{respond: {status: 429, retry-after: 3600}}, {succeed: {}, optional: true}]\nexpect: {attempts: {max: 2}}"
		resetOnly = "calls: [{}]\nscript: [{reset: request-end}]\nexpect: {outcome: {error: any}}"
		staleOne  = "client: shared\ncalls: [{name: warm}, {name: next}]\nscript: [stale, succeed]\nexpect: {next: {outcome: success}}"
		reused    = "client: shared\ncalls: [{name: warm}, {name: next}]\nscript: [succeed, {respond: 200, when: {connection: reused}}]\nexpect: {attempts: 1}"
		failing   = "calls: [{}]\nscript: [{reset: request-end, times: forever}]\nexpect: {outcome: {error: any}}"
		status    = "calls: [{}]\nscript: [{respond: 404}]\nexpect: {attempts: 1, outcome: {status: 404}}"
		kinds     = "calls: [{}]\nscript: [{reset: request-end, times: forever}]\nexpect: {outcome: {error: [reset, connect]}}"
	)
	for name, test := range map[string]struct {
		service  *Subject
		contract string
		// want is part of the only reason; empty where the contract fits.
		want string
	}{
		"one attempt":                                    {plain(), once, ""},
		"one attempt of what may not be retried":         {plain(posts()), once, ""},
		"two calls of one script":                        {plain(posts()), "calls: [{name: one}, {name: two}]\nscript: [{respond: 404}, succeed]\nexpect: {attempts: 1}", ""},
		"a retry":                                        {plain(), retried, ""},
		"a retry of what may not be retried":             {plain(posts()), retried, "the service's POST may not"},
		"a retry of what is declared":                    {plain(posts("POST")), retried, ""},
		"a retry of what is idempotent and not declared": {plain(asks("PUT")), retried, "the service's PUT may not"},
		"no retry":                                       {plain(posts()), final, ""},
		"no retry of what may be retried":                {plain(), final, "must not be retried, and the service's GET may be"},
		"no retry of what is declared":                   {plain(posts("POST")), final, "must not be retried, and the service's POST may be"},
		"no retry of what is idempotent":                 {plain(asks("DELETE")), final, "a DELETE is idempotent"},
		"a status that is not declared":                  {plain(declares(func(p *scenarios.Policy) { p.Statuses = []int{429} })), retried, "policy.statuses does not list it"},
		"a status that is declared and final":            {plain(declares(func(p *scenarios.Policy) { p.Statuses = []int{404} })), status, "takes a 404 for final"},
		"any number of attempts":                         {plain(attemptsOf(5)), exact, ""},
		"any number of attempts, and one is declared":    {plain(attemptsOf(1)), exact, "it needs 2 attempts, and the service's policy.attempts is 1"},
		"the last of four":                               {plain(attemptsOf(4)), last, ""},
		"the last of four, and three are declared":       {plain(), last, "it needs 4 attempts, and the service's policy.attempts is 3"},
		"the last of four, and five are declared":        {plain(attemptsOf(5)), last, "about the last of 4 attempts"},
		"a policy of one":                                {plain(attemptsOf(1)), only, ""},
		"a policy of one, and three are declared":        {plain(), only, "about a policy of 1 attempt"},
		"a script that ends early":                       {plain(), resetOnly, "its script has a part for 1 attempt, and the service's policy.attempts is 3"},
		"a script that ends early, and no retry":         {plain(posts()), resetOnly, ""},
		"a body":                                         {plain(posts("POST")), replayed, ""},
		"a body, and none":                               {plain(), replayed, "the service's request has none"},
		"a large body":                                   {plain(asks("PUT"), carries(1<<20), declares(func(p *scenarios.Policy) { p.Methods = []string{"put"} })), large, ""},
		"a large body, and a small one":                  {plain(posts("POST")), large, "about a body of 1MiB, and the service's has 40 bytes"},
		"a stream":                                       {plain(posts("POST")), strings.Replace(replayed, "64KiB", "64KiB, stream: true", 1), "read only once"},
		"a strike in the body":                           {plain(posts("POST")), strings.Replace(replayed, "respond: 503", "reset: request-body@39", 1), ""},
		"a strike behind the body":                       {plain(posts("POST")), strings.Replace(replayed, "respond: 503", "reset: request-body@40", 1), "strikes at request-body@40"},
		"a header that it has":                           {plain(posts("POST"), keyed), key, ""},
		"a header that it has not":                       {plain(posts("POST")), key, "a request with Idempotency-Key, which the service's has not"},
		"a cancellation":                                 {plain(), strings.Replace(once, "[{}]", "[{cancel: {attempt: 1, event: arrived}}]", 1), "cancels a call"},
		"a deadline":                                     {plain(), strings.Replace(once, "[{}]", "[{timeout: 1s}]", 1), "deadline of 1s"},
		"connections":                                    {plain(), "connections: [{reset: accept}]\n" + once, "as they are accepted"},
		"a match of its own":                             {plain(), "match: {path: /}\n" + once, "which requests match"},
		"a redirect":                                     {plain(), strings.Replace(retried, "respond: 503", "redirect: {status: 307, to: /x}", 1), "redirects"},
		"a count of connections":                         {plain(), once + "\nalso: {connections: 1}", "counts the connections"},
		"silence":                                        {plain(timesOut(time.Second)), silent, ""},
		"silence without a timeout":                      {plain(), silent, "declares no policy.timeouts.attempt"},
		"silence without any timeout":                    {plain(), strings.Replace(silent, ", timeouts: {attempt: 400ms}", "", 1), "it never answers"},
		"silence for too long":                           {plain(timesOut(3 * time.Second)), silent, "let a call take 9.04s, and the run lets it take 10s"},
		"pauses":                                         {plain(), paused, ""},
		"growing pauses": {plain(declares(func(p *scenarios.Policy) {
			p.Backoff = &scenarios.Backoff{Exponential: ptr(time.Second), Max: time.Second}
		})), growing, ""},
		"jitter":                      {plain(declares(func(p *scenarios.Policy) { p.Backoff.Jitter = scenarios.FullJitter })), jittered, ""},
		"jitter that is not declared": {plain(), jittered, "about full jitter"},
		"a time to return in":         {plain(), soon, ""},
		"a time to return in, and pauses that fill it": {plain(pausing(300 * time.Millisecond)), soon, "shorter pauses than the service's, which are up to 300ms"},
		"a time to return in, and unknown pauses":      {plain(declares(func(p *scenarios.Policy) { p.Backoff = nil })), soon, "declares no policy.backoff"},
		"a longest pause":                                   {plain(pausing(time.Second)), strings.Replace(soon, "returns: {max: 1s}", "gaps: {max: 1s}", 1), ""},
		"a longest pause, and a longer one":                 {plain(pausing(1001 * time.Millisecond)), strings.Replace(soon, "returns: {max: 1s}", "gaps: {max: 1s}", 1), "shorter pauses"},
		"a shortest pause":                                  {plain(), strings.Replace(soon, "returns: {max: 1s}", "gaps: {min: 20ms}", 1), ""},
		"a shortest pause, and a shorter one":               {plain(), strings.Replace(soon, "returns: {max: 1s}", "gaps: {min: 21ms}", 1), "at least 21ms, and the service's are from 20ms"},
		"a window":                                          {plain(), strings.Replace(soon, "returns: {max: 1s}", "window: {from: {attempt: 1, event: answered}, for: 10ms, attempts: {max: 0}}", 1), ""},
		"a window, and other pauses":                        {plain(pausing(time.Second)), strings.Replace(soon, "returns: {max: 1s}", "window: {from: {attempt: 1, event: answered}, for: 10ms, attempts: {max: 0}}", 1), "for pauses of 20ms, and the service's are up to 1s"},
		"a pause of its own":                                {plain(), "needs: [backoff]\n" + paused, "about a pause of its own"},
		"a number of its own":                               {plain(), "needs: [attempts]\npolicy: {attempts: 5}\n" + failing, "about a policy of 5 attempts"},
		"a cap":                                             {plain(declares(func(p *scenarios.Policy) { p.RetryAfterCap = ptr(time.Second) })), capped, ""},
		"a cap that is longer":                              {plain(declares(func(p *scenarios.Policy) { p.RetryAfterCap = ptr(time.Minute) })), capped, "no longer than 1s"},
		"a cap that is not declared":                        {plain(), capped, "policy.retry-after-cap does not say so"},
		"a breaker":                                         {plain(), "policy: {breaker: {failures: 3, open: 1s, probes: 1}}\n" + once, "about a breaker, which the service's policy does not declare"},
		"another breaker":                                   {plain(declares(func(p *scenarios.Policy) { p.Breaker = &scenarios.Breaker{Failures: 4} })), "policy: {breaker: {failures: 3, open: 1s, probes: 1}}\n" + once, "a breaker with other settings"},
		"its breaker":                                       {plain(declares(func(p *scenarios.Policy) { p.Breaker = &scenarios.Breaker{Failures: 3, Open: time.Second, Probes: 1} })), "policy: {breaker: {failures: 3, open: 1s, probes: 1}}\n" + once, ""},
		"an idle end":                                       {plain(), staleOne, ""},
		"an idle end of what may not be retried":            {plain(posts()), staleOne, "the service's POST may not"},
		"an idle end, side by side":                         {plain(sideBySideService), staleOne, "ends an idle connection"},
		"a reused connection, side by side":                 {plain(sideBySideService), reused, "tells fresh connections from reused ones"},
		"open connections, side by side":                    {plain(sideBySideService), once + "\nalso: {open-after: {max: 1}}", "counts open connections"},
		"any error":                                         {plain(), failing, ""},
		"a status that nobody tells":                        {plain(), status, "do not tell"},
		"kinds that nobody tells":                           {plain(), kinds, "do not tell"},
		"a kind that is told":                               {plain(func(s *Subject) { s.profile.Outcome.Error[503] = scenarios.ErrReset }), kinds, ""},
		"one of several that is told":                       {plain(), strings.Replace(kinds, "{error: [reset, connect]}", "{any-of: [{status: 503}, {error: any}]}", 1), ""},
		"counts of kinds":                                   {plain(), strings.Replace(once, "attempts: 1", "outcomes: {success: 1, timeout: 0}", 1), "counts outcomes of timeout"},
		"what is only observed, of what may not be retried": {plain(posts()), strings.Replace(retried, "expect: {attempts: 2}", "", 1), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract := contractOf(t, test.contract)
			if !strings.Contains(test.contract, "expect:") {
				contract.Level = scenarios.Observe
			}
			_, reasons := test.service.Fit(contract)
			switch {
			case test.want == "" && len(reasons) > 0:
				t.Errorf("does not fit: %q", reasons)
			case test.want != "" && (len(reasons) != 1 || !strings.Contains(reasons[0], test.want)):
				t.Errorf("want one reason with %q, got %q", test.want, reasons)
			}
		})
	}
}

func TestAContractIsCutToTheService(t *testing.T) {
	t.Parallel()
	contract := contractOf(t, `policy: {attempts: 9, backoff: {constant: 1s}, methods: [PUT]}
calls: [{method: PUT, path: /x, headers: {Idempotency-Key: a}, body: abc, repeat: 2}]
script: [{respond: 503}, succeed]
premise: {attempts: {min: 2}}
expect: {body: source}
also: {outcome: {error: timeout}}`)
	before := *contract
	before.Calls = slices.Clone(contract.Calls)
	service := plain(posts("POST"), keyed)
	fitted, reasons := service.Fit(contract)
	if len(reasons) > 0 {
		t.Fatal(reasons)
	}
	call := fitted.Calls[0]
	if call.Method != "POST" || call.Path != "/charge" || call.Headers != nil || call.Body != nil || call.Repeat != 2 {
		t.Errorf("the call is %+v; want the service's own request, twice", call)
	}
	if *fitted.Policy.Attempts != 3 || fitted.Policy.Backoff != service.profile.Policy.Backoff || !slices.Contains(fitted.Policy.Methods, "POST") {
		t.Errorf("the policy is %+v; want the declared one", fitted.Policy)
	}
	if fitted.Client != scenarios.SharedClient || fitted.Also.All.Outcome != nil {
		t.Errorf("client %q, also %+v; want shared, and no outcome that the answers do not tell", fitted.Client, fitted.Also.All.Outcome)
	}
	if diff := cmp.Diff(before, *contract, cmpopts.IgnoreFields(scenarios.Contract{}, "Source")); diff != "" {
		t.Errorf("the given contract was changed:\n%s", diff)
	}
	if lacking := slices.DeleteFunc(fitted.Capabilities(), service.Profile().Can); len(lacking) > 0 {
		t.Errorf("the service lacks %q of what its own contract needs", lacking)
	}
}
