package service

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// fitting compares a contract with what a service asks and declares.
type fitting struct {
	*Subject

	contract *scenarios.Contract
	// asked is the contract's policy, its defaults filled in.
	asked scenarios.Policy
}

// rules find what a service cannot do of what a contract asks, each in its own
// sentences: first those that say most of a contract.
var rules = []func(fitting) []string{
	fitting.settings,
	// What its request cannot be: fitrequest.go.
	fitting.caller, fitting.wire, fitting.bodies, fitting.headers, fitting.tellingApart,
	// What its policy does not say: fitpolicy.go.
	fitting.retryability, fitting.statuses, fitting.attempts, fitting.backoff, fitting.timeouts,
	// What its answers cannot tell.
	fitting.outcomes,
}

// Fit implements suites.Stager. A contract is judged by the service's own
// request and declared policy, and only where these let it mean what it says. The
// reasons are those of the first rule that has some.
func (s *Subject) Fit(contract *scenarios.Contract) (fitted *scenarios.Contract, reasons []string) {
	f := fitting{Subject: s, contract: contract, asked: contract.Policy.Defaulted(contract.Calls)}
	for _, rule := range rules {
		if reasons = rule(f); len(reasons) > 0 {
			slices.Sort(reasons)
			return contract, slices.Compact(reasons)
		}
	}
	cut := *contract
	cut.Client = scenarios.SharedClient
	cut.Policy = s.profile.Policy
	cut.Policy.Methods = s.retryable()
	cut.Calls = slices.Clone(contract.Calls)
	for i := range cut.Calls {
		call := &cut.Calls[i]
		call.Method, call.Path, call.Headers, call.Body = s.request.method, s.request.target, nil, nil
	}
	cut.Also = f.also()
	return &cut, nil
}

// outcomes: the service's answers tell success, and the kinds of error that its
// profile lists.
func (f fitting) outcomes() []string {
	var reasons []string
	for _, part := range []scenarios.Expectations{f.contract.Premise, f.contract.Expect} {
		for _, e := range expectations(part) {
			if e.Outcome != nil && !f.tells(*e.Outcome) {
				reasons = append(reasons, "it is about an outcome that the service's answers do not tell (its profile's outcome.error)")
			}
			for _, count := range e.Outcomes {
				if count.Kind != string(scenarios.SuccessOutcome) && !f.hasKind(scenarios.ErrorKind(count.Kind)) {
					reasons = append(reasons, fmt.Sprintf("it counts outcomes of %s, which the service's answers do not tell (its profile's outcome.error)", count.Kind))
				}
			}
		}
	}
	return reasons
}

// tells whether the service's answers can tell whether a rule holds.
func (f fitting) tells(rule scenarios.OutcomeRule) bool {
	switch {
	case rule.Not != nil:
		return f.tells(*rule.Not)
	case len(rule.AnyOf) > 0:
		return slices.ContainsFunc(rule.AnyOf, func(one scenarios.OutcomeRule) bool {
			return one.Success || slices.Contains(one.Error, scenarios.AnyError) && one.LastStatus == 0
		})
	case rule.Status != 0 || rule.LastStatus != 0:
		return false
	case rule.Error != nil:
		return slices.Contains(rule.Error, scenarios.AnyError) || slices.ContainsFunc(rule.Error, f.hasKind)
	default:
		return true
	}
}

func (f fitting) hasKind(kind scenarios.ErrorKind) bool {
	for _, told := range f.profile.Outcome.Error {
		if told == kind {
			return true
		}
	}
	return false
}

// also is what is expected besides, without the outcomes that the service's
// answers do not tell: they may go unobserved.
func (f fitting) also() scenarios.Expectations {
	also := f.contract.Also
	also.Calls = slices.Clone(also.Calls)
	leave := func(e *scenarios.Expectation) {
		if e.Outcome != nil && !f.tells(*e.Outcome) {
			e.Outcome = nil
		}
	}
	leave(&also.All)
	for i := range also.Calls {
		leave(&also.Calls[i].Expectation)
	}
	return also
}

// expectations are those of all calls and of each.
func expectations(of scenarios.Expectations) []scenarios.Expectation {
	all := []scenarios.Expectation{of.All}
	for _, call := range of.Calls {
		all = append(all, call.Expectation)
	}
	return all
}

// every are all expectations of the contract.
func (f fitting) every() []scenarios.Expectation {
	return slices.Concat(expectations(f.contract.Premise), expectations(f.contract.Expect), expectations(f.contract.Also))
}

// of are the expectations of a call: its own and those of all calls.
func (f fitting) of(call scenarios.Call) []scenarios.Expectation {
	var list []scenarios.Expectation
	for _, part := range []scenarios.Expectations{f.contract.Premise, f.contract.Expect} {
		list = append(list, part.All)
		for _, named := range part.Calls {
			if named.Call == call.Name {
				list = append(list, named.Expectation)
			}
		}
	}
	return list
}

// script is what a call's attempts meet.
func (f fitting) script(call scenarios.Call) []faultserver.Step {
	if call.Script != nil {
		return call.Script
	}
	return f.contract.Script
}

// steps are all steps of the contract.
func (f fitting) steps() []faultserver.Step {
	steps := slices.Clone(f.contract.Script)
	for _, call := range f.contract.Calls {
		steps = append(steps, call.Script...)
	}
	return steps
}

// safeMethods are those that anybody may retry (RFC 9110, section 9.2.1).
var safeMethods = []string{"GET", "HEAD", "OPTIONS", "TRACE"}

// retryable are the methods that the service may retry.
func (s *Subject) retryable() []string {
	methods := slices.Clone(safeMethods)
	for _, method := range s.profile.Policy.Methods {
		if method = strings.ToUpper(method); !slices.Contains(methods, method) {
			methods = append(methods, method)
		}
	}
	return methods
}

func (s *Subject) mayRetry(method string) bool { return slices.Contains(s.retryable(), method) }
