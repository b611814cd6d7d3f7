package reports

import (
	"slices"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

func TestPolicyFacts(t *testing.T) {
	attempts, pause, longest := 3, ms(100), 2*time.Second
	for _, test := range []struct {
		policy scenarios.Policy
		want   []string
	}{
		{scenarios.Policy{}, nil},
		{scenarios.Policy{Attempts: &attempts, Backoff: &scenarios.Backoff{Constant: &pause}, Methods: []string{"GET", "PUT"}, Statuses: []int{429, 503}},
			[]string{"attempts 3", "backoff constant 100ms", "methods GET, PUT", "statuses 429, 503"}},
		{scenarios.Policy{Backoff: &scenarios.Backoff{Exponential: &pause, Factor: 3, Max: longest, Jitter: scenarios.FullJitter}},
			[]string{"backoff exponential 100ms × 3, at most 2s, full jitter"}},
		{scenarios.Policy{Backoff: &scenarios.Backoff{Linear: &pause, Jitter: scenarios.NoJitter}}, []string{"backoff linear 100ms"}},
		{scenarios.Policy{Timeouts: &scenarios.Timeouts{Attempt: ms(50), Total: time.Second}, RetryAfterCap: &longest},
			[]string{"timeout of an attempt 50ms", "timeout of a call 1s", "Retry-After up to 2s"}},
		{scenarios.Policy{
			Breaker: &scenarios.Breaker{Failures: 5, Open: time.Second, Probes: 1}, Budget: &scenarios.Budget{Ratio: 0.1, Reserve: 3}, Hedge: &scenarios.Hedge{Delay: ms(50)},
		}, []string{"breaker opens after 5 failures for 1s, probes 1", "budget 0.1 × calls + 3 retries", "hedge after 50ms, at most 1"}},
	} {
		if got := PolicyFacts(test.policy); !slices.Equal(got, test.want) {
			t.Errorf("expected %q, got %q", test.want, got)
		}
	}
}
