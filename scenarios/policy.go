package scenarios

import "time"

// Policy is the retry settings that a client is opened with. A nil field was
// not said by the contract; Defaulted fills it in.
type Policy struct {
	// Attempts is how many requests a call may make in all, the first included; 3 is the default.
	Attempts *int `yaml:"attempts" json:"attempts,omitempty" bounds:"1..1000"`
	// Backoff is the pause before a retry; constant 20 ms is the default.
	Backoff *Backoff `yaml:"backoff" json:"backoff,omitempty"`
	// Timeouts bound an attempt and a whole call.
	Timeouts *Timeouts `yaml:"timeouts" json:"timeouts,omitempty"`
	// Methods are those that may be retried; they replace the default, which is
	// the methods of the contract's calls.
	Methods []string `yaml:"methods" json:"methods,omitempty"`
	// Statuses are those that are retried; they replace the default, which is
	// 429, 502, 503 and 504.
	Statuses []int `yaml:"statuses" json:"statuses,omitempty" bounds:"100..599"`
	// RetryAfterCap is the longest Retry-After that is waited for.
	RetryAfterCap *time.Duration `yaml:"retry-after-cap" json:"retry_after_cap,omitempty"`
	// Breaker is a circuit breaker; none is the default, and so for the next two.
	Breaker *Breaker `yaml:"breaker" json:"breaker,omitempty"`
	// Budget bounds the retries by the calls.
	Budget *Budget `yaml:"budget" json:"budget,omitempty"`
	// Hedge sends a second attempt beside a slow first one.
	Hedge *Hedge `yaml:"hedge" json:"hedge,omitempty"`
}

// Backoff is the pause before a retry. Exactly one of Constant, Linear and
// Exponential is set.
type Backoff struct {
	// Constant is the same pause each time.
	Constant *time.Duration `yaml:"constant" json:"constant,omitempty"`
	// Linear is the base: the n-th retry waits base × n.
	Linear *time.Duration `yaml:"linear" json:"linear,omitempty"`
	// Exponential is the base: the n-th retry waits base × factor^(n-1).
	Exponential *time.Duration `yaml:"exponential" json:"exponential,omitempty"`
	// Factor is the growth of Exponential; 2 unless said (0).
	Factor float64 `yaml:"factor" json:"factor,omitempty" bounds:"1..100"`
	// Max is the longest pause, jitter included; 0 means no limit.
	Max time.Duration `yaml:"max" json:"max,omitempty"`
	// Jitter is how the pause is spread; none unless said.
	Jitter Jitter `yaml:"jitter" json:"jitter,omitempty"`
}

// Jitter is how a pause is spread.
type Jitter string

// The jitters; the zero value is none. With v the pause without jitter: full
// is drawn from [0, v], equal from [v/2, v], decorrelated from [base, 3 ×
// previous].
const (
	NoJitter           Jitter = "none"
	FullJitter         Jitter = "full"
	EqualJitter        Jitter = "equal"
	DecorrelatedJitter Jitter = "decorrelated"
)

// Timeouts bound an attempt and a whole call; 0 means no bound.
type Timeouts struct {
	// Attempt bounds each attempt.
	Attempt time.Duration `yaml:"attempt" json:"attempt,omitempty"`
	// Total bounds the whole call, pauses included.
	Total time.Duration `yaml:"total" json:"total,omitempty"`
}

// Breaker is a circuit breaker's settings.
type Breaker struct {
	// Failures is how many in a row open it.
	Failures int `yaml:"failures" json:"failures" bounds:"1..1000"`
	// Open is how long it stays open.
	Open time.Duration `yaml:"open" json:"open"`
	// Probes is how many requests it lets through at a time when half-open.
	Probes int `yaml:"probes" json:"probes" bounds:"1..1000"`
}

// Budget is a retry budget: never more retries than Ratio × calls + Reserve.
type Budget struct {
	// Ratio is how many retries each call adds; 0.1 is one for ten calls.
	Ratio float64 `yaml:"ratio" json:"ratio" bounds:"0..1000"`
	// Reserve is how many retries there are without any call.
	Reserve int `yaml:"reserve" json:"reserve" bounds:"0..100000"`
}

// Hedge sends a second attempt when the first has not answered after Delay.
type Hedge struct {
	// Delay is how long the first attempt is waited for.
	Delay time.Duration `yaml:"delay" json:"delay"`
	// Max is how many hedged attempts there may be; 1 unless said (0).
	Max int `yaml:"max" json:"max,omitempty" bounds:"1..1000"`
}
