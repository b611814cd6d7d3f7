package faultserver

import "time"

// A Step is what the script does to one attempt.
//
// Every field but Act has a default that says nothing
// special: struck at the act's own point, on any connection, at once, exactly
// once, and required.
type Step struct {
	// Act is what is done. A step without an act is refused.
	Act Act
	// At is where on the wire the act strikes; the zero point is the act's own
	// default (request-end for most).
	At Point
	// When restricts the step to attempts it applies to. An attempt takes the
	// next step whose condition holds; if none does, it is answered as Succeed,
	// counted and marked.
	When When
	// Delay is how long the act waits once its point is reached.
	Delay Delay
	// Commit says whether the server performs the request's side effect.
	Commit Commit
	// Times is how many attempts the step serves: 0 and 1 mean one, Forever
	// means every attempt from here on. For an act that decides which attempts
	// fail, such as an outage, 0 means Forever.
	Times int
	// Probability is the share of attempts, in [0, 1], that the act strikes; the
	// others are answered as Succeed. Nil means always.
	Probability *float64
	// Optional steps need not be met; they count as met at the end.
	Optional bool
	// Note is a remark for the reader of a report.
	Note string
}

// Forever as Step.Times serves every further attempt.
const Forever = -1

// When restricts a step to some attempts.
type When struct {
	// Connection is the kind of connection the attempt must arrive on.
	Connection ConnectionKind `yaml:"connection"`
}

// ConnectionKind tells a connection's first request from its later ones.
type ConnectionKind string

// The kinds of connection; the zero value means either.
const (
	AnyConnection    ConnectionKind = ""
	FreshConnection  ConnectionKind = "fresh"
	ReusedConnection ConnectionKind = "reused"
)

// Commit says whether a step performs the request's side effect. The server
// has no real one: it counts, so that a contract can ask how often a card
// would have been charged.
type Commit string

// The ways to commit. CommitByKey performs the effect only if no attempt with
// the same Idempotency-Key has performed it in this session; an attempt
// without a key always performs it.
const (
	NoCommit     Commit = ""
	CommitAlways Commit = "true"
	CommitByKey  Commit = "by-key"
)

// AfterScript says what happens to an attempt beyond the script's end.
type AfterScript string

// The ways to go on after the script's last step.
const (
	// FailAfterScript records the attempt as unscripted and answers 500. It is
	// the default (also the zero value).
	FailAfterScript AfterScript = "fail"
	// RepeatAfterScript repeats the last step.
	RepeatAfterScript AfterScript = "repeat"
	// LoopAfterScript starts the script again.
	LoopAfterScript AfterScript = "loop"
)

// Delay is how long an act waits at its point before it strikes. At most one
// of the fields Fixed, Uniform, Normal, LogNormal and Until is set; with
// none it waits not at all. Random delays are drawn from the session's seed, the
// call and the attempt, so that the same seed gives the same delays.
type Delay struct {
	Fixed     time.Duration   `yaml:"fixed"`
	Uniform   *UniformDelay   `yaml:"uniform"`
	Normal    *NormalDelay    `yaml:"normal"`
	LogNormal *LogNormalDelay `yaml:"lognormal"`
	Until     *Moment         `yaml:"until"`
	// Max bounds Until and the random delays; 0 means 10 s.
	Max time.Duration `yaml:"max"`
}

// UniformDelay is drawn evenly from [Min, Max].
type UniformDelay struct {
	Min time.Duration `yaml:"min"`
	Max time.Duration `yaml:"max"`
}

// NormalDelay is drawn from a normal distribution; a draw below zero is zero.
type NormalDelay struct {
	// Mean is the distribution's middle.
	Mean time.Duration `yaml:"mean"`
	// StdDev is its standard deviation.
	StdDev time.Duration `yaml:"stddev"`
}

// LogNormalDelay is drawn from a lognormal distribution with the given median;
// Sigma is the standard deviation of the logarithm.
type LogNormalDelay struct {
	// Median is the delay that half of the draws stay below.
	Median time.Duration `yaml:"median"`
	// Sigma is the standard deviation of the logarithm of the delay.
	Sigma float64 `yaml:"sigma"`
}
