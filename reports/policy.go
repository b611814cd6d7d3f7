package reports

import (
	"fmt"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// PolicyFacts are the settings of a policy that are known, each as a phrase such
// as "attempts 3"; for a reader.
func PolicyFacts(p scenarios.Policy) []string {
	var facts []string
	add := func(format string, values ...any) { facts = append(facts, fmt.Sprintf(format, values...)) }
	if p.Attempts != nil {
		add("attempts %d", *p.Attempts)
	}
	if p.Backoff != nil {
		add("%s", backoffText(*p.Backoff))
	}
	if p.Timeouts != nil && p.Timeouts.Attempt > 0 {
		add("timeout of an attempt %v", p.Timeouts.Attempt)
	}
	if p.Timeouts != nil && p.Timeouts.Total > 0 {
		add("timeout of a call %v", p.Timeouts.Total)
	}
	if len(p.Methods) > 0 {
		add("methods %s", strings.Join(p.Methods, ", "))
	}
	if len(p.Statuses) > 0 {
		add("statuses %s", strings.Trim(strings.ReplaceAll(fmt.Sprint(p.Statuses), " ", ", "), "[]"))
	}
	if p.RetryAfterCap != nil {
		add("Retry-After up to %v", *p.RetryAfterCap)
	}
	if b := p.Breaker; b != nil {
		add("breaker opens after %d failures for %v, probes %d", b.Failures, b.Open, b.Probes)
	}
	if b := p.Budget; b != nil {
		add("budget %v × calls + %d retries", b.Ratio, b.Reserve)
	}
	if h := p.Hedge; h != nil {
		add("hedge after %v, at most %d", h.Delay, max(h.Max, 1))
	}
	return facts
}

func backoffText(b scenarios.Backoff) string {
	text := "backoff"
	for _, kind := range []struct {
		name string
		base *time.Duration
	}{{"constant", b.Constant}, {"linear", b.Linear}, {"exponential", b.Exponential}} {
		if kind.base != nil {
			text += fmt.Sprintf(" %s %v", kind.name, *kind.base)
		}
	}
	if b.Factor != 0 {
		text += fmt.Sprintf(" × %v", b.Factor)
	}
	if b.Max > 0 {
		text += fmt.Sprintf(", at most %v", b.Max)
	}
	if b.Jitter != "" && b.Jitter != scenarios.NoJitter {
		text += fmt.Sprintf(", %s jitter", b.Jitter)
	}
	return text
}
