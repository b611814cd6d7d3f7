package suites

import (
	"context"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A Subject is a client under test, before it is opened.
type Subject interface {
	// Profile says what the subject is and what it can do. It does not change
	// while a run lasts.
	Profile() Profile
	// Open makes a client that follows the policy as far as it can be told, and
	// shares nothing with any other, connections included. The runner fills in
	// Attempts, Backoff, Methods and Statuses where the contract leaves them out.
	// What the client cannot be told it ignores; its profile says so by the
	// capabilities it lacks. Open may be called concurrently. An error makes the
	// contract's verdict client-error.
	Open(policy scenarios.Policy) (Client, error)
}

// A Client makes calls.
type Client interface {
	// Do makes one call, retries included, and reports what its caller gets. It
	// ends soon after the context does. It may be called concurrently only where
	// the profile has the capability "parallel".
	Do(ctx context.Context, request Request) scenarios.Outcome
	// Close ends the client and frees what it holds.
	Close() error
}

// A Request is the call that a client is asked to make.
type Request struct {
	// Call is the token by which its attempts find the call, which URL has too.
	Call    string
	Method  string
	URL     string
	Headers faultserver.Headers
	// Body is nil for none. A Body with Stream set is to be sent from a source
	// that can be read only once.
	Body *faultserver.Body
	// Timeout is the caller's deadline for the whole call, retries and pauses
	// included; 0 means none. The context has it too, for clients that take one.
	Timeout time.Duration
}

// A Profile is what is known of a client before it is judged.
type Profile struct {
	// Name is how it is called in reports; Version may be empty.
	Name    string
	Version string
	// Language is what the client is written for and its version, such as "Java
	// 17.0.15"; empty where it does not tell.
	Language string
	// Kind is how the client is reached: "in-process", "exec", "driver" or
	// "service".
	Kind string
	// Capabilities are what the client can do or be told.
	Capabilities []scenarios.Capability
	// Promises are what the client declares of its retrying where it cannot be
	// told: nil, and a nil field, promises nothing.
	Promises *scenarios.Policy
	// Success is the answer that the client takes as success; the zero value is
	// a 200 with a small body.
	Success faultserver.Answer
	// KnownFailures are the contracts that the client is known to break.
	KnownFailures KnownFailures
	// Rerun is the command that judges this client again, as arguments and
	// without a selection of contracts; nil where there is none.
	Rerun []string
	// Parallel is how many of its calls the machine bears at the same time; 0
	// means the runner's default.
	Parallel int
	// MaxCalls is how many calls the client can make at the same time, over all
	// its contracts; 0 means no limit. A contract that makes more is unsupported.
	MaxCalls int
}

// Can tells whether the client has a capability.
func (p Profile) Can(capability scenarios.Capability) bool {
	return slices.Contains(p.Capabilities, capability)
}

// InForce is the policy by which a contract is judged with this client: a
// field of what it is told where it can be told it, else what the client promises,
// and so where it can be and is not. A nil field is not known.
func (p Profile) InForce(told scenarios.Policy) scenarios.Policy {
	force := told
	var promises scenarios.Policy
	if p.Promises != nil {
		promises = *p.Promises
	}
	if !p.Can(scenarios.CanAttempts) {
		force.Attempts = promises.Attempts
	}
	if !p.Can(scenarios.CanBackoff) {
		force.Backoff = promises.Backoff
	}
	if !p.Can(scenarios.CanBackoff) || told.RetryAfterCap == nil {
		force.RetryAfterCap = promises.RetryAfterCap
	}
	force.Timeouts = p.timeouts(told.Timeouts, promises.Timeouts)
	if !p.Can(scenarios.CanBreaker) || told.Breaker == nil {
		force.Breaker = promises.Breaker
	}
	if !p.Can(scenarios.CanBudget) || told.Budget == nil {
		force.Budget = promises.Budget
	}
	if !p.Can(scenarios.CanHedge) || told.Hedge == nil {
		force.Hedge = promises.Hedge
	}
	return force
}

// timeouts are those in force: of the two, each that the client can be told and is.
func (p Profile) timeouts(told, promised *scenarios.Timeouts) *scenarios.Timeouts {
	var force scenarios.Timeouts
	if promised != nil {
		force = *promised
	}
	if told != nil && told.Total > 0 && p.Can(scenarios.CanTimeout) {
		force.Total = told.Total
	}
	if told != nil && told.Attempt > 0 && p.Can(scenarios.CanAttemptTimeout) {
		force.Attempt = told.Attempt
	}
	if force == (scenarios.Timeouts{}) {
		return nil
	}
	return &force
}

// missing are the needed capabilities that the client lacks.
func (p Profile) missing(needed []scenarios.Capability) []scenarios.Capability {
	var lacking []scenarios.Capability
	for _, capability := range needed {
		if !p.Can(capability) {
			lacking = append(lacking, capability)
		}
	}
	return lacking
}
