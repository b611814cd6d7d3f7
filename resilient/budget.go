package resilient

import (
	"fmt"
	"math"
	"sync/atomic"
)

// Budget bounds the retries of all the calls that share it, so that a server
// in trouble does not get several times its load. It must be safe for
// concurrent use. The first attempt of a call is always sent; a call whose
// retry is denied returns its failure at once, with [CauseBudget].
type Budget interface {
	// Call is told of each call, before its first attempt.
	Call()
	// Success is told of each response that asks for no retry and is no
	// server error.
	Success()
	// Failure is told of each result that asks for a retry. Failures that
	// are not retryable are not told.
	Failure()
	// Allow reports whether one retry may be made, and takes what it costs.
	Allow() bool
}

// WithBudget bounds the retries by a budget, which may be shared with other
// Transports. A Transport of New has one of its own by default: a
// [RateBudget] of [DefaultBudgetRatio], [DefaultBudgetReserve] and
// [DefaultBudgetWindow]. Nil sets none.
func WithBudget(budget Budget) Option {
	return optionFunc(func(p *policy) error {
		p.budget = budget
		return nil
	})
}

// TokenBudget is a bucket of tokens, after gRPC's retry throttling (A6): it
// starts full, a failure takes 1 token, a success adds the ratio, and no
// retry is allowed while half of the tokens or fewer are left.
//
// A nil TokenBudget never blocks.
type TokenBudget struct {
	tokens  atomic.Int64 // in units of 1/tokenUnit
	full    int64
	success int64
}

// tokenUnit divides a token, so that they are counted in whole numbers: sums
// of fractions would drift.
const tokenUnit = 1_000_000

// maxTokens keeps the arithmetic far from an overflow.
const maxTokens = math.MaxInt64 / tokenUnit / 4

// NewTokenBudget returns a budget of maxToken tokens, where a success adds
// ratio tokens. With 100 and 0.1, retries stop after 50 failures in a row,
// and ten successes make up for a failure.
func NewTokenBudget(maxToken int, ratio float64) (*TokenBudget, error) {
	if maxToken < 1 || maxToken > maxTokens {
		return nil, fmt.Errorf("a token budget of %d tokens: use 1 to %d", maxToken, int64(maxTokens))
	}
	if !(ratio >= 0 && ratio <= maxTokens) {
		return nil, fmt.Errorf("a token budget with a ratio of %v: a success adds 0 tokens or more, at most %d", ratio, int64(maxTokens))
	}
	// What the floor would take from a decimal such as 0.29, whose product
	// is a hair below a whole number, is given back.
	const hair = 1e-3
	b := &TokenBudget{full: int64(maxToken) * tokenUnit, success: int64(ratio*tokenUnit + hair)}
	b.Reset()
	return b, nil
}

// NewPercentBudget returns a token budget in other terms: retries go on until
// more than about percent of the attempts fail, and at least
// minFailureVolume failures in a row are borne. It has 2·minFailureVolume
// tokens, and a success adds percent/(100−percent) of one. With a percentage
// of 0 or less no success makes up for a failure; with 100 or more one success
// fills the budget.
func NewPercentBudget(minFailureVolume int, percent float64) (*TokenBudget, error) {
	if minFailureVolume < 1 || minFailureVolume > maxTokens/2 {
		return nil, fmt.Errorf("a budget with a minimum volume of %d failures: use 1 to %d", minFailureVolume, int64(maxTokens/2))
	}
	tokens := 2 * minFailureVolume
	switch {
	case math.IsNaN(percent):
		return nil, fmt.Errorf("a budget of %v percent: use 0 to 100", percent)
	case percent <= 0:
		return NewTokenBudget(tokens, 0)
	case percent >= 100:
		return NewTokenBudget(tokens, float64(tokens))
	}
	return NewTokenBudget(tokens, min(percent/(100-percent), float64(tokens)))
}

// Call does nothing: this kind counts results.
func (b *TokenBudget) Call() {}

// Success adds the ratio, up to a full budget.
func (b *TokenBudget) Success() {
	if b != nil && b.success > 0 {
		b.add(b.success)
	}
}

// Failure takes a token, down to none.
func (b *TokenBudget) Failure() {
	if b != nil {
		b.add(-tokenUnit)
	}
}

func (b *TokenBudget) add(change int64) {
	for {
		old := b.tokens.Load()
		next := min(max(old+change, 0), b.full)
		if next == old || b.tokens.CompareAndSwap(old, next) {
			return
		}
	}
}

// Allow reports whether more than half of the tokens are left. It takes none:
// the failures do.
func (b *TokenBudget) Allow() bool { return !b.IsOverBudget() }

// IsOverBudget reports whether half of the tokens or fewer are left.
func (b *TokenBudget) IsOverBudget() bool {
	return b != nil && b.tokens.Load() <= b.full/2
}

// Remaining is how many failures in a row it would bear.
func (b *TokenBudget) Remaining() float64 {
	if b == nil {
		return math.Inf(1)
	}
	return max(float64(b.tokens.Load()-b.full/2)/tokenUnit, 0)
}

// Reset fills the budget.
func (b *TokenBudget) Reset() {
	if b != nil {
		b.tokens.Store(b.full)
	}
}
