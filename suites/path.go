package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// errOwnAddresses is what a Host for a service comes to.
var errOwnAddresses = errors.New("a service asks its upstreams where its own configuration says, and cannot be told another URL: " +
	"judge it without, by upstreams that its profile has listen where it asks")

// examinePath finds out what the way to the Host, if there is one, changes. Where
// it changes anything, or where that cannot be known, nothing is judged by it.
func (r *Running) examinePath(ctx context.Context) {
	host := r.options.Host
	if host == nil {
		return
	}
	report, err := doctor.Examine(ctx, doctor.OnHost(host), host.URL(), doctor.Options{})
	if ctx.Err() != nil {
		return // the run is partial
	}
	if r.options.Examined != nil {
		r.options.Examined(report, err)
	}
	const advice = "; `faultsrv doctor` says what that means and what to do"
	if err != nil {
		r.refusal = fmt.Sprintf("the path %s could not be examined: %v%s", host.URL(), err, advice)
	} else if summary := report.Summary(); summary != "" {
		r.refusal = summary + advice
	}
}

// open opens a contract's session: on the Host, or on a listener of its own.
func (r *Running) open(id string, config faultserver.Config) (*faultserver.Session, error) {
	if host := r.options.Host; host != nil {
		return host.Open(id, config)
	}
	return faultserver.Open(config)
}

// sharedUnfit says why a contract cannot be judged on a listener that all contracts
// share, and by a path whose end takes the answers; empty where it can. Which
// connections are a client's own is not certain there: one that keeps its
// connections by host and port reuses in a contract what it opened in another.
func sharedUnfit(contract *scenarios.Contract) string {
	const shared = ", and all contracts share the listener behind --advertise-url"
	var reasons []string
	unless := func(fits bool, what string) {
		if !fits && !slices.Contains(reasons, what) {
			reasons = append(reasons, what)
		}
	}
	unless(len(contract.Connections) == 0, "it strikes at connections before their first request"+shared)
	unless(contract.Server.Protocol == "" || contract.Server.Protocol == scenarios.Plain,
		"it needs a server that speaks "+string(contract.Server.Protocol)+", and the path is one for plain HTTP/1.1")
	unless(!contract.Server.SecondHost, "it needs a second host, which the path does not lead to")
	for _, step := range stepsOf(contract) {
		_, stale := step.Act.(faultserver.Stale)
		unless(!stale && step.When == (faultserver.When{}), "it tells a fresh connection from a reused one"+shared)
	}
	for _, part := range []scenarios.Expectations{contract.Premise, contract.Expect, contract.Also} {
		for _, expected := range append([]scenarios.CallExpectation{{Expectation: part.All}}, part.Calls...) {
			unless(expected.Connections == nil && expected.OpenAfter == nil, "it counts the client's connections"+shared)
			unless(expected.Drained == nil, "it measures how much of an answer the client takes, and by a path it is the path that takes it")
		}
	}
	return strings.Join(reasons, "; ")
}

// stepsOf are the steps that requests meet.
func stepsOf(contract *scenarios.Contract) []faultserver.Step {
	steps := slices.Clone(contract.Script)
	for _, call := range contract.Calls {
		steps = append(steps, call.Script...)
	}
	return steps
}
