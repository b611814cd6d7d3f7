package scenarios

import "slices"

// Clone is a copy that shares nothing with the policy: whoever is handed one
// may change it.
func (p Policy) Clone() Policy {
	p.Attempts = clone(p.Attempts)
	if p.Backoff = clone(p.Backoff); p.Backoff != nil {
		p.Backoff.Constant = clone(p.Backoff.Constant)
		p.Backoff.Linear = clone(p.Backoff.Linear)
		p.Backoff.Exponential = clone(p.Backoff.Exponential)
	}
	p.Timeouts = clone(p.Timeouts)
	p.Methods = slices.Clone(p.Methods)
	p.Statuses = slices.Clone(p.Statuses)
	p.RetryAfterCap = clone(p.RetryAfterCap)
	p.Breaker = clone(p.Breaker)
	p.Budget = clone(p.Budget)
	p.Hedge = clone(p.Hedge)
	return p
}

func clone[T any](value *T) *T {
	if value == nil {
		return nil
	}
	copied := *value
	return &copied
}
