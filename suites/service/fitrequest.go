package service

import (
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// caller: nobody but the service itself calls.
func (f fitting) caller() []string {
	var reasons []string
	for _, call := range f.contract.Calls {
		if call.Cancel != nil {
			reasons = append(reasons, "it cancels a call, and the service's caller cannot")
		}
		if call.Timeout > 0 {
			reasons = append(reasons, fmt.Sprintf("its caller has a deadline of %v, and the service's has none to give", call.Timeout))
		}
	}
	return reasons
}

// headers: those that a contract's caller sets have to be the service's own.
func (f fitting) headers() []string {
	var missing []string
	for _, call := range f.contract.Calls {
		for _, header := range call.Headers {
			if f.request.headers.Get(header.Name) == "" {
				missing = append(missing, header.Name)
			}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("it is about a request with %s, which the service's has not", strings.Join(missing, ", "))}
}

// largeBody is the length from which on a contract is about a large body: what
// clients hold in memory to send again they bound below it.
const largeBody = 1 << 20

// bodies: a contract about a body needs one, about a large one a large one, and
// a stream is for its caller to give.
func (f fitting) bodies() []string {
	var reasons []string
	for _, call := range f.contract.Calls {
		switch {
		case call.Body == nil:
		case call.Body.Stream:
			reasons = append(reasons, "it is about a body that can be read only once, which nobody can give to the service")
		case f.request.body == 0:
			reasons = append(reasons, "it is about a body, and the service's request has none")
		case call.Body.Len() >= largeBody && f.request.body < call.Body.Len():
			reasons = append(reasons, fmt.Sprintf("it is about a body of %s, and the service's has %d bytes", faultserver.Size(call.Body.Len()), f.request.body))
		}
	}
	for _, step := range f.steps() {
		if step.At.Phase == faultserver.RequestBody && int64(step.At.N) >= f.request.body {
			reasons = append(reasons, fmt.Sprintf("it strikes at %s, and the service's body has %d bytes", step.At, f.request.body))
		}
	}
	return reasons
}

// wire: the upstream's address is fixed and shared by all that the service asks.
func (f fitting) wire() []string {
	var reasons []string
	if len(f.contract.Connections) > 0 {
		reasons = append(reasons, "it strikes at connections as they are accepted, and which of the service's carries the call is not known before its request")
	}
	if f.contract.Server.SecondHost {
		reasons = append(reasons, "it has a second host, which the service does not know")
	}
	if f.contract.Match != (faultserver.Match{}) || f.contract.Otherwise != nil {
		reasons = append(reasons, "it says itself which requests match, as the service's profile does")
	}
	for _, step := range f.steps() {
		if _, redirects := step.Act.(faultserver.Redirect); redirects {
			reasons = append(reasons, "it redirects to a path that is no judged call of the service's")
		}
	}
	for _, e := range f.every() {
		if e.Connections != nil {
			reasons = append(reasons, "it counts the connections of a client that opens none before, and the service has a pool of its own")
		}
	}
	return reasons
}

// tellingApart: a connection that carries several contracts' requests belongs to
// none of them.
func (f fitting) tellingApart() []string {
	if !f.profile.Baggage {
		return nil
	}
	const shares = "and the service's connections are shared by contracts that run side by side (baggage)"
	var reasons []string
	for _, step := range f.steps() {
		if _, stale := step.Act.(faultserver.Stale); stale {
			reasons = append(reasons, "it ends an idle connection, "+shares)
		}
		if step.When != (faultserver.When{}) {
			reasons = append(reasons, "it tells fresh connections from reused ones, "+shares)
		}
	}
	for _, e := range f.every() {
		if e.OpenAfter != nil {
			reasons = append(reasons, "it counts open connections, "+shares)
		}
	}
	return reasons
}

// asksFor tells whether the contract names a capability in its needs.
func (f fitting) asksFor(capability scenarios.Capability) bool {
	return slices.Contains(f.contract.Needs, capability)
}
