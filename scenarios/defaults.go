package scenarios

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// What a policy says where a contract does not: few attempts and a short pause,
// so that a contract is judged quickly, and the statuses that say "later".
const (
	DefaultAttempts = 3
	DefaultBackoff  = 20 * time.Millisecond
)

// DefaultStatuses are the statuses that are retried where a contract does not
// list them.
func DefaultStatuses() []int {
	return []int{
		http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout,
	}
}

// Defaulted is a copy of the contract with everything filled in that has a
// fixed default: the protocol, the client's scope, what comes after the script,
// and the calls' names, methods, paths, repeats and parallels. The policy stays
// as it was written: what it does not say, the client's profile may (see
// [Policy.Defaulted]).
func (c *Contract) Defaulted() *Contract {
	filled := *c
	fill(&filled.Server.Protocol, Plain)
	fill(&filled.Client, FreshClient)
	fill(&filled.AfterScript, faultserver.FailAfterScript)
	filled.Calls = slices.Clone(c.Calls)
	for i := range filled.Calls {
		call := &filled.Calls[i]
		fill(&call.Name, fmt.Sprintf("call-%d", i+1))
		fill(&call.Method, http.MethodGet)
		fill(&call.Path, "/")
		fill(&call.Repeat, 1)
		fill(&call.Parallel, 1)
	}
	return &filled
}

// Defaulted is the policy with its missing fields filled in: 3 attempts, a
// constant backoff of 20 ms, the methods of the calls, and the statuses 429,
// 502, 503 and 504. What has no default stays nil.
func (p Policy) Defaulted(calls []Call) Policy {
	if p.Attempts == nil {
		p.Attempts = ptr(DefaultAttempts)
	}
	if p.Backoff == nil {
		p.Backoff = &Backoff{Constant: ptr(DefaultBackoff)}
	}
	if p.Methods == nil {
		for _, call := range calls {
			method := call.Method
			fill(&method, http.MethodGet)
			if !slices.Contains(p.Methods, method) {
				p.Methods = append(p.Methods, method)
			}
		}
	}
	if p.Statuses == nil {
		p.Statuses = DefaultStatuses()
	}
	return p
}

// Tokens are the path segments by which the call's attempts find it, one for
// each repeat: the name of a call that is made once, "pay-1", "pay-2", … for
// one that is repeated.
func (c Call) Tokens() []string {
	if c.Repeat <= 1 {
		return []string{c.Name}
	}
	tokens := make([]string, c.Repeat)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("%s-%d", c.Name, i+1)
	}
	return tokens
}

// Config is the contract's server: what a session is opened with. The seed, the
// client's success answer and what is observed are the runner's to add.
func (c *Contract) Config() faultserver.Config {
	filled := c.Defaulted()
	config := faultserver.Config{
		Script:      filled.Script,
		Connections: filled.Connections,
		TLS:         filled.Server.Protocol == TLS,
		AfterScript: filled.AfterScript,
		Match:       filled.Match,
	}
	if filled.Otherwise != nil {
		config.Otherwise = *filled.Otherwise
	}
	for _, call := range filled.Calls {
		for _, token := range call.Tokens() {
			config.Calls = append(config.Calls, faultserver.CallConfig{Token: token, Name: call.Name, Script: call.Script})
		}
	}
	return config
}

func fill[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

func ptr[T any](value T) *T { return &value }
