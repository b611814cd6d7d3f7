package assertions

// Verdict is what is said of a contract.
type Verdict string

// The verdicts. In order of precedence when a contract is judged:
// harness-error and client-error (nothing can be said), not-exercised (the
// premise failed), fail or weak (a check failed), not-exercised (a step was
// never met), unsupported (a check under expect could not be observed), pass.
// A run turns fail into known-fail, and pass into unexpected-pass, where the
// client's profile lists the contract as a known failure.
const (
	Pass           Verdict = "pass"
	Fail           Verdict = "fail"
	Weak           Verdict = "weak"
	Observed       Verdict = "observed"
	Unsupported    Verdict = "unsupported"
	NotExercised   Verdict = "not-exercised"
	KnownFail      Verdict = "known-fail"
	UnexpectedPass Verdict = "unexpected-pass"
	ClientError    Verdict = "client-error"
	HarnessError   Verdict = "harness-error"
)

// A Judgement is a verdict and the checks that led to it.
type Judgement struct {
	Verdict Verdict `json:"verdict"`
	// Reason is one sentence: why this verdict.
	Reason string  `json:"reason,omitempty"`
	Checks []Check `json:"checks"`
}

// A Check is one comparison.
type Check struct {
	// Name is the word of the vocabulary, such as "attempts" or "gaps.min".
	Name string `json:"name"`
	// Part is where it stands: "premise", "expect", "also", "observe", or
	// "script" for what every contract asks (no attempt beyond the script).
	Part Part `json:"part"`
	// Call is the call it is about; empty for all.
	Call string `json:"call,omitempty"`
	// OK is nil when it could not be observed with this client.
	OK *bool `json:"ok"`
	// Expected and Observed are short; Explanation is a sentence for the reader
	// of a failure, or says why it was not observed.
	Expected    string `json:"expected"`
	Observed    string `json:"observed"`
	Explanation string `json:"explanation,omitempty"`
	// Attempts are the journal indexes of the attempts that it turns on.
	Attempts []int `json:"attempts,omitempty"`
	// Limits are the moments that it judged by, where it judged by any.
	Limits []Limit `json:"limits,omitempty"`
	// Noise tells that the check failed by less than the machine's measured
	// timer lateness allows to judge: it makes a harness-error, never a fail.
	Noise bool `json:"noise,omitempty"`
}

// Part is the part of a contract that a check stands in.
type Part string

// The parts.
const (
	PartPremise Part = "premise"
	PartExpect  Part = "expect"
	PartAlso    Part = "also"
	PartObserve Part = "observe"
	PartScript  Part = "script"
)
