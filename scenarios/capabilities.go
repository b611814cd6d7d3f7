package scenarios

import (
	"net/http"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A Derivation says which use in a contract needs a capability.
type Derivation struct {
	Capability Capability
	// Use is what the contract uses, as the reference says it.
	Use string
	// used finds it in a contract whose defaults are filled in.
	used func(*Contract) bool
}

// Derivations is the table of what needs which capability. What is not in it
// (attempts, most of backoff) a contract asks for in `needs`: a policy field that a
// client cannot be told matters only if a check reads it, and that is then not
// observed.
func Derivations() []Derivation {
	return []Derivation{
		{CanRetry, "a premise or a rule that more attempts are made than the script has redirects", needsRetry},
		{CanBackoff, "a cap on Retry-After in the policy: how long the client waits is then what it is told", func(c *Contract) bool {
			return c.Policy.RetryAfterCap != nil
		}},
		{CanTimeout, "a call's timeout, or a total timeout in the policy", func(c *Contract) bool {
			return c.Policy.Timeouts != nil && c.Policy.Timeouts.Total > 0 ||
				c.anyCall(func(call Call) bool { return call.Timeout > 0 })
		}},
		{CanAttemptTimeout, "a timeout of an attempt in the policy", func(c *Contract) bool {
			return c.Policy.Timeouts != nil && c.Policy.Timeouts.Attempt > 0
		}},
		{CanMethod, "a call with another method than GET", func(c *Contract) bool {
			return c.anyCall(func(call Call) bool { return call.Method != http.MethodGet })
		}},
		{CanHeaders, "a call with headers", func(c *Contract) bool {
			return c.anyCall(func(call Call) bool { return len(call.Headers) > 0 })
		}},
		{CanRequestBody, "a call with a body", func(c *Contract) bool {
			return c.anyCall(func(call Call) bool { return call.Body != nil })
		}},
		{CanStreamedBody, "a body that is a stream", func(c *Contract) bool {
			return c.anyCall(func(call Call) bool { return call.Body != nil && call.Body.Stream })
		}},
		{CanCancel, "a call that is cancelled", func(c *Contract) bool {
			return c.anyCall(func(call Call) bool { return call.Cancel != nil })
		}},
		{CanShared, "client: shared", func(c *Contract) bool { return c.Client == SharedClient }},
		{CanParallel, "repeats of a call at the same time", func(c *Contract) bool {
			return c.anyCall(func(call Call) bool { return call.Parallel > 1 })
		}},
		{CanStatus, "a premise or a rule about the status that the caller gets", func(c *Contract) bool {
			return c.anyOutcome(func(r OutcomeRule) bool { return r.Status != 0 || r.LastStatus != 0 }) ||
				c.anyCount(func(kind string) bool { return statusKind.MatchString(kind) })
		}},
		{CanErrorKind, "a premise or a rule about the kind of error that the caller gets", func(c *Contract) bool {
			return c.anyOutcome(func(r OutcomeRule) bool {
				return slices.ContainsFunc(r.Error, func(kind ErrorKind) bool { return kind != AnyError })
			}) || c.anyCount(func(kind string) bool { return known(ErrorKind(kind)) && ErrorKind(kind) != AnyError })
		}},
		{CanResponseBody, "a premise or a rule that the caller gets a complete body", func(c *Contract) bool {
			return c.anyOutcome(func(r OutcomeRule) bool { return r.Body == BodyComplete })
		}},
		{CanIdempotencyKey, "a rule that an Idempotency-Key is there, where no call has one of its own", needsKey},
		{CanBreaker, "a breaker in the policy", func(c *Contract) bool { return c.Policy.Breaker != nil }},
		{CanBudget, "a budget in the policy", func(c *Contract) bool { return c.Policy.Budget != nil }},
		{CanHedge, "hedging in the policy", func(c *Contract) bool { return c.Policy.Hedge != nil }},
		{CanTLS, "server: tls or h2", func(c *Contract) bool {
			return c.Server.Protocol == TLS || c.Server.Protocol == H2
		}},
		{CanHTTP2, "server: h2 or h2c", func(c *Contract) bool {
			return c.Server.Protocol == H2 || c.Server.Protocol == H2C
		}},
	}
}

// Capabilities are what a client must be able to do or be told for the contract
// to be run with it: derived from what the contract uses, in the order of the
// closed list; `needs` only adds.
func (c *Contract) Capabilities() []Capability {
	filled := c.Defaulted()
	needed := slices.Clone(c.Needs)
	for _, d := range Derivations() {
		if d.used(filled) {
			needed = append(needed, d.Capability)
		}
	}
	var inOrder []Capability
	for _, word := range AllCapabilities() {
		if slices.Contains(needed, word) {
			inOrder = append(inOrder, word)
		}
	}
	return inOrder
}

// AllCapabilities is the closed list.
func AllCapabilities() []Capability { return wordsOf[Capability]() }

// needsRetry tells whether the contract can be judged only of a client that
// retries: it asks for more attempts than there are redirects to follow.
func needsRetry(c *Contract) bool {
	for _, e := range c.judged() {
		attempts := e.Attempts
		if attempts == nil {
			continue
		}
		hops := c.redirects(e.Call)
		switch {
		case attempts.Policy && *c.Policy.Defaulted(nil).Attempts > 1,
			attempts.Each != nil && *attempts.Each > 1+hops,
			attempts.Min != nil && *attempts.Min > 1+hops,
			attempts.Total != nil && *attempts.Total > c.requests(e.Call)*(1+hops):
			return true
		}
	}
	return false
}

func needsKey(c *Contract) bool {
	const key = "header.idempotency-key"
	own := c.anyCall(func(call Call) bool {
		return slices.ContainsFunc(call.Headers, func(h faultserver.Header) bool { return strings.EqualFold("header."+h.Name, key) })
	})
	return !own && slices.ContainsFunc(c.judged(), func(e CallExpectation) bool {
		return slices.ContainsFunc(slices.Concat(e.Distinct, e.Present), func(f Field) bool { return strings.EqualFold(string(f), key) })
	})
}

// redirects is how many redirects the script of a call holds; of all calls for
// an empty name.
func (c *Contract) redirects(name string) int {
	hops := 0
	for _, step := range c.stepsOf(name) {
		if _, redirects := step.Act.(faultserver.Redirect); redirects {
			hops += max(step.Times, 1)
		}
	}
	return hops
}

// requests is how many requests a call makes without a retry; all calls for an
// empty name.
func (c *Contract) requests(name string) int {
	n := 0
	for _, call := range c.Calls {
		if name == "" || call.Name == name {
			n += max(call.Repeat, 1)
		}
	}
	return n
}

// stepsOf is every step that an attempt of the call may take; of all calls for
// an empty name.
func (c *Contract) stepsOf(name string) []faultserver.Step {
	shared, steps := false, slices.Clone(c.Connections)
	for _, call := range c.Calls {
		if name != "" && call.Name != name {
			continue
		}
		shared = shared || call.Script == nil
		steps = append(steps, call.Script...)
	}
	if shared {
		steps = append(steps, c.Script...)
	}
	return steps
}

// list is the expectations with the name of the call they are of; those of all
// calls come first and have none.
func (e Expectations) list() []CallExpectation {
	return append([]CallExpectation{{Expectation: e.All}}, e.Calls...)
}

// judged is what a verdict needs: the premise and the rule.
func (c *Contract) judged() []CallExpectation {
	return append(c.Premise.list(), c.Expect.list()...)
}

func (c *Contract) anyCall(has func(Call) bool) bool { return slices.ContainsFunc(c.Calls, has) }

func (c *Contract) anyOutcome(has func(OutcomeRule) bool) bool {
	return slices.ContainsFunc(c.judged(), func(e CallExpectation) bool {
		return e.Outcome != nil && e.Outcome.any(has)
	})
}

func (c *Contract) anyCount(has func(kind string) bool) bool {
	return slices.ContainsFunc(c.judged(), func(e CallExpectation) bool {
		return slices.ContainsFunc(e.Outcomes, func(o OutcomeCount) bool { return has(o.Kind) })
	})
}

// any tells whether the rule, or a rule inside it, is one of these.
func (r OutcomeRule) any(has func(OutcomeRule) bool) bool {
	return has(r) || r.Not != nil && r.Not.any(has) ||
		slices.ContainsFunc(r.AnyOf, func(alternative OutcomeRule) bool { return alternative.any(has) })
}
