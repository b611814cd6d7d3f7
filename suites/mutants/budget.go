package mutants

import (
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

var budgetMutants = []Mutant{
	{
		Name:   "budget-is-missing",
		Defect: "retries every call as often as its attempts allow",
		Breaks: []string{"budget.bounds-amplification", "budget.holds-under-concurrency", "budget.overload-is-not-multiplied", "hedge.draws-on-the-budget"},
		policy: func(policy *scenarios.Policy) {
			if policy.Budget != nil {
				policy.Budget = &scenarios.Budget{Ratio: 100, Reserve: 1_000_000}
			}
		},
	},
	{
		Name:    "budget-is-raced-for",
		Defect:  "looks at its budget and takes from it in two steps",
		Breaks:  []string{"budget.holds-under-concurrency"},
		options: withBudget(func(policy scenarios.Budget) resilient.Budget { return &racyBudget{left: int64(policy.Reserve)} }),
	},
	{
		Name:   "a-spent-budget-sends-nothing",
		Defect: "refuses whole calls, first attempts too, once the budget is spent",
		Breaks: []string{"budget.never-denies-a-first-attempt"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			var failed atomic.Int64
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if policy.Budget != nil && failed.Load() > int64(policy.Budget.Reserve) {
					if req.Body != nil {
						_ = req.Body.Close()
					}
					return nil, errors.New("the retry budget is spent")
				}
				resp, err := client.RoundTrip(req)
				if err != nil || resp.StatusCode >= 500 {
					failed.Add(1)
				}
				return resp, err
			})
		},
	},
	{
		Name:   "a-denied-retry-sleeps",
		Defect: "pauses before a retry that it will not make",
		Breaks: []string{"budget.a-denied-retry-returns-at-once"},
		outer: onResultOf(func(resp *http.Response, policy scenarios.Policy) {
			if resilient.Info(resp).Cause == resilient.CauseBudget && policy.Backoff.Constant != nil {
				time.Sleep(*policy.Backoff.Constant)
			}
		}),
	},
	{
		Name:   "a-denied-retry-loses-the-failure",
		Defect: "says that its budget is spent, and not what failed",
		Breaks: []string{"budget.a-denied-retry-keeps-the-failure"},
		outer: onResult(func(_ *http.Request, resp *http.Response, err error) (*http.Response, error) {
			if err == nil && resilient.Info(resp).Cause == resilient.CauseBudget {
				discard(resp)
				return nil, errors.New("the retry budget is spent")
			}
			return resp, err
		}),
	},
	{
		Name:   "final-answers-draw-on-the-budget",
		Defect: "takes from its budget for failures that it does not retry",
		Breaks: []string{"budget.final-answers-do-not-draw-on-it"},
		outer: func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
			var wrong atomic.Int64
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if policy.Budget != nil && wrong.Load() > int64(policy.Budget.Reserve) {
					ctx, err := resilient.WithPolicy(req.Context(), resilient.WithAttempts(1))
					if err != nil {
						return nil, err
					}
					req = req.WithContext(ctx)
				}
				resp, err := client.RoundTrip(req)
				if err == nil && resp.StatusCode >= 400 {
					wrong.Add(1)
				}
				return resp, err
			})
		},
	},
	{
		Name:    "budget-is-never-filled",
		Defect:  "has a number of retries for its whole life",
		Breaks:  []string{"budget.successes-earn-retries"},
		options: withBudget(func(policy scenarios.Budget) resilient.Budget { return newFixedBudget(policy.Reserve) }),
	},
	{
		Name:   "budget-without-a-reserve",
		Defect: "has no retry until enough calls have been made",
		Breaks: []string{"budget.keeps-a-reserve-for-the-idle"},
		policy: func(policy *scenarios.Policy) {
			if policy.Budget != nil {
				policy.Budget.Reserve = 0
			}
		},
	},
}

// withBudget replaces the budget of a policy that has one.
func withBudget(budget func(scenarios.Budget) resilient.Budget) func(scenarios.Policy) []resilient.Option {
	return func(policy scenarios.Policy) []resilient.Option {
		if policy.Budget == nil {
			return nil
		}
		return []resilient.Option{resilient.WithBudget(budget(*policy.Budget))}
	}
}

// onResultOf is an outer layer that does something about each answer.
func onResultOf(do func(resp *http.Response, policy scenarios.Policy)) outerLayer {
	return func(client http.RoundTripper, policy scenarios.Policy) http.RoundTripper {
		return roundTrip(func(req *http.Request) (*http.Response, error) {
			resp, err := client.RoundTrip(req)
			if err == nil {
				do(resp, policy)
			}
			return resp, err
		})
	}
}

// fixedBudget has a fixed number of retries.
type fixedBudget struct{ left atomic.Int64 }

func newFixedBudget(retries int) *fixedBudget {
	b := &fixedBudget{}
	b.left.Store(int64(retries))
	return b
}

func (b *fixedBudget) Call()    {}
func (b *fixedBudget) Success() {}
func (b *fixedBudget) Failure() {}

// Allow implements resilient.Budget.
func (b *fixedBudget) Allow() bool { return b.left.Add(-1) >= 0 }

// racyBudget has a fixed number of retries and lets go of its lock between the
// look and the withdrawal.
type racyBudget struct {
	mu   sync.Mutex
	left int64
}

// raceWindow is how long it looks away: longer than 30 calls at a time need to
// look.
const raceWindow = 20 * time.Millisecond

func (b *racyBudget) Call()    {}
func (b *racyBudget) Success() {}
func (b *racyBudget) Failure() {}

// Allow implements resilient.Budget: what was taken meanwhile is forgotten.
func (b *racyBudget) Allow() bool {
	b.mu.Lock()
	left := b.left
	b.mu.Unlock()
	if left <= 0 {
		return false
	}
	time.Sleep(raceWindow)
	b.mu.Lock()
	b.left = left - 1
	b.mu.Unlock()
	return true
}
