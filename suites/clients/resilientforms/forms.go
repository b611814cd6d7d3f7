// Package resilientforms is the other forms of the reference client as clients
// under test: resilient.Client, breaker.Client and resilient.APIClient, each
// opened as a program that uses it would. The engine below is that of the
// reference client. What a form retries is its own and is not told: the methods
// and, of an APIClient, the statuses. What it does differently by that is in its
// profile, as known failures. The rest of a policy is told.
package resilientforms

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	reference "github.com/faultsrv/faultsrv/suites/clients/resilient"
)

// A Form is a suites.Subject over one of the forms.
type Form struct {
	// About is one sentence for a list of clients.
	About string

	profile suites.Profile
	// open makes a client over a base of its own.
	open func(policy scenarios.Policy, base *http.Transport) (caller, error)
}

// A caller makes one call as a user of the form does, under a context with the
// call's deadline.
type caller func(ctx context.Context, request suites.Request) scenarios.Outcome

// All are the forms, sorted by name.
func All() []Form { return []Form{API(), Breaker(), Client()} }

// newForm is a form with the capabilities of a Go client, some more and some
// fewer.
func newForm(name, about string, also, cannot []scenarios.Capability, known suites.KnownFailures) Form {
	capabilities := slices.DeleteFunc(suites.GoCapabilities(), func(capability scenarios.Capability) bool {
		return slices.Contains(cannot, capability)
	})
	capabilities = append(capabilities, scenarios.CanTLS)
	return Form{About: about, profile: suites.Profile{
		Name: name, Kind: "in-process", Capabilities: append(capabilities, also...), KnownFailures: known,
		Rerun: []string{"faultsrv", "test", "--client", name},
	}}
}

// Profile implements suites.Subject.
func (f Form) Profile() suites.Profile { return f.profile }

// Open implements suites.Subject.
func (f Form) Open(policy scenarios.Policy) (suites.Client, error) {
	base, err := suites.NewTransport()
	if err != nil {
		return nil, err
	}
	call, err := f.open(policy, base)
	if err != nil {
		return nil, err
	}
	return &client{call: call, base: base}, nil
}

type client struct {
	call caller
	base *http.Transport
}

// Do implements suites.Client.
func (c *client) Do(ctx context.Context, request suites.Request) scenarios.Outcome {
	if request.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, request.Timeout)
		defer cancel()
	}
	started := time.Now()
	outcome := c.call(ctx, request)
	outcome.Elapsed = time.Since(started)
	return outcome
}

// Close implements suites.Client.
func (c *client) Close() error {
	c.base.CloseIdleConnections()
	return nil
}

// shared are the options for what the forms have no option of their own.
func shared(policy scenarios.Policy) ([]resilient.Option, error) {
	options, err := reference.Options(scenarios.Policy{
		RetryAfterCap: policy.RetryAfterCap, Budget: policy.Budget, Hedge: policy.Hedge,
	})
	if slices.ContainsFunc(policy.Methods, reference.NeedsKey) {
		options = append(options, resilient.WithIdempotencyKey(nil))
	}
	return options, err
}

// pause is the policy's backoff; nil where it says none.
func pause(policy scenarios.Policy) (resilient.Backoff, error) {
	if policy.Backoff == nil {
		return nil, nil //nolint:nilnil // a policy without a backoff is no error
	}
	return reference.Backoff(*policy.Backoff)
}

// attemptTimeout is the policy's bound on an attempt; 0 where it says none.
func attemptTimeout(policy scenarios.Policy) time.Duration {
	if policy.Timeouts == nil {
		return 0
	}
	return policy.Timeouts.Attempt
}

// causes are the errors that a form's error may hold beside those of the wire.
var causes = []struct {
	sentinel error
	kind     scenarios.ErrorKind
}{
	{resilient.ErrCircuitOpen, scenarios.ErrCircuitOpen},
	{resilient.ErrBudgetExhausted, scenarios.ErrBudget},
	{resilient.ErrBodyNotReplayable, scenarios.ErrNotReplayable},
	{resilient.ErrExhausted, scenarios.ErrExhausted},
	{resilient.ErrPermanent, scenarios.ErrPermanent},
}

// explain tells every kind of error that a caller can match, and the status
// that the error exposes.
func explain(err error) *scenarios.OutcomeError {
	explained := suites.ClassifyError(err)
	for _, cause := range causes {
		if errors.Is(err, cause.sentinel) {
			explained.Chain = append([]scenarios.ErrorKind{explained.Kind}, explained.Chain...)
			explained.Kind = cause.kind
			break
		}
	}
	var status *resilient.StatusError
	if errors.As(err, &status) {
		explained.LastStatus = status.StatusCode
	}
	return &explained
}

// failed is the outcome of a call that ended in an error.
func failed(err error) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: explain(err)}
}

// unsupported is the outcome of a call that the form has no method for.
func unsupported(why string) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.UnsupportedOutcome, Note: why}
}
