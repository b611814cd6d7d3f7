// Package mutants has deliberately broken clients: each is the reference
// client with one small defect, of the kind that people have reported of real
// ones. They prove that each contract can fail: a mutant names the contracts
// that must catch it, and every contract of the catalogue is named by one.
//
// A new mutant is a function in the file of its area, and an entry of that
// file's list.
package mutants

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	reference "github.com/faultsrv/faultsrv/suites/clients/resilient"
)

// A Mutant is a client with one defect.
type Mutant struct {
	// Name is what the defect is called; Defect says what is wrong.
	Name   string
	Defect string
	// Breaks are the ids of the contracts that must catch it.
	Breaks []string

	// The defect is in one of these; nil leaves the reference client as it is.

	// policy changes the policy before the client is opened.
	policy func(policy *scenarios.Policy)
	// options are further options of the reference client.
	options func(policy scenarios.Policy) []resilient.Option
	// inner stands between the retry layer and the wire: it sees each attempt.
	inner innerLayer
	// outer stands around the retry layer: it sees each call.
	outer outerLayer
	// wire replaces or changes net/http's transport below the retry layer.
	wire func(base *http.Transport) http.RoundTripper
	// flaw replaces the breaker by one with this flaw.
	flaw *breakerFlaw
}

type (
	innerLayer func(wire http.RoundTripper) http.RoundTripper
	outerLayer func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper
)

// All are the mutants, sorted by name.
func All() []Mutant {
	all := slices.Concat(attemptMutants, bodyMutants, backoffMutants, retryAfterMutants,
		cancellationMutants, errorMutants, connectionMutants, idempotencyMutants, responseMutants,
		breakerMutants, budgetMutants, hedgeMutants, tlsMutants, framingMutants, expectationMutants, patienceMutants,
		callMutants, hangMutants)
	slices.SortFunc(all, func(a, b Mutant) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Subject is the mutant as a client under test, named "mutant:NAME".
func (m Mutant) Subject() suites.Subject {
	subject := suites.FromRoundTripper("mutant:"+m.Name, m.open)
	subject.About.Capabilities = reference.Client().About.Capabilities
	subject.About.Rerun = []string{"faultsrv", "test", "--client", "mutant:" + m.Name}
	subject.Explain = reference.Explain
	subject.Attempts = reference.Attempts
	return subject
}

func (m Mutant) open(policy scenarios.Policy) (http.RoundTripper, error) {
	if m.policy != nil {
		m.policy(&policy)
	}
	base, err := suites.NewTransport()
	if err != nil {
		return nil, err
	}
	var wire http.RoundTripper = base
	if m.wire != nil {
		wire = m.wire(base)
	}
	if m.inner != nil {
		wire = m.inner(wire)
	}
	if m.flaw != nil && policy.Breaker != nil {
		wire = &naiveBreaker{next: wire, policy: *policy.Breaker, flaw: *m.flaw}
		policy.Breaker = nil
	}
	var further []resilient.Option
	if m.options != nil {
		further = m.options(policy)
	}
	client, err := reference.Transport(policy, wire, further...)
	if err != nil {
		return nil, err
	}
	client = countAttempts(client)
	if m.outer != nil {
		client = m.outer(client, policy)
	}
	return client, nil
}

// A roundTrip is a function as an http.RoundTripper.
type roundTrip func(req *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// attemptKey is the context key of a call's count of attempts.
type attemptKey struct{}

// countAttempts gives each call a counter, for attempt to count in.
func countAttempts(client http.RoundTripper) http.RoundTripper {
	return roundTrip(func(req *http.Request) (*http.Response, error) {
		return client.RoundTrip(req.WithContext(context.WithValue(req.Context(), attemptKey{}, new(int))))
	})
}

// attempt counts an attempt of the call and gives its number, from 1. An inner
// layer calls it once an attempt; the retry layer makes them one after another.
func attempt(req *http.Request) int {
	count, counted := req.Context().Value(attemptKey{}).(*int)
	if !counted {
		return 1
	}
	*count++
	return *count
}

// onAnswer is an inner layer that may change each answer before the retry
// layer sees it.
func onAnswer(change func(resp *http.Response)) innerLayer {
	return func(wire http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := wire.RoundTrip(req)
			if err == nil {
				change(resp)
			}
			return resp, err
		})
	}
}

// onResult is an outer layer that may change what the caller gets.
func onResult(change func(req *http.Request, resp *http.Response, err error) (*http.Response, error)) outerLayer {
	return func(client http.RoundTripper, _ scenarios.Policy) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := client.RoundTrip(req)
			return change(req, resp, err)
		})
	}
}

// onRetry is an inner layer that may change each request but the call's first.
func onRetry(change func(req *http.Request)) innerLayer {
	return func(wire http.RoundTripper) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			if attempt(req) > 1 {
				req = req.Clone(req.Context())
				change(req)
			}
			return wire.RoundTrip(req)
		})
	}
}

// stopsAt takes some results of an attempt for final, whatever the policy says.
func stopsAt(final func(resp *http.Response, err error) bool) func(scenarios.Policy) []resilient.Option {
	return func(scenarios.Policy) []resilient.Option {
		return []resilient.Option{resilient.WithClassifier(
			func(resp *http.Response, err error, ordinary resilient.Decision) resilient.Decision {
				if final(resp, err) {
					return resilient.Stop
				}
				return ordinary
			})}
	}
}
