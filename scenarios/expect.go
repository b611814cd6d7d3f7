package scenarios

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Expectations are for all calls, and for calls by name. A key that is no word
// of the vocabulary is the name of a call.
type Expectations struct {
	All   Expectation
	Calls []CallExpectation // in the order they were written
}

// CallExpectation is what is expected of one call, all its repeats included.
type CallExpectation struct {
	Call string
	Expectation
}

// Expectation is the closed vocabulary; a nil or empty field is not judged.
// Each word has one definition, in assertions/ and in the reference.
type Expectation struct {
	// Attempts is how many attempts were made.
	Attempts *Attempts `yaml:"attempts"`
	// Body is "source": each attempt's received bytes are the source's; of a
	// body that was cut, its prefix.
	Body BodyRule `yaml:"body"`
	// Same are fields that are equal in all attempts of a call: method, target,
	// proto, header.NAME. All absent is the same.
	Same []Field `yaml:"same"`
	// Distinct are fields whose values differ between calls; absence fails.
	Distinct []Field `yaml:"distinct"`
	// Absent are fields that no attempt has.
	Absent []Field `yaml:"absent"`
	// Present are fields that every attempt has.
	Present []Field `yaml:"present"`
	// Dropped are fields that a call's first attempt has, and none after it.
	Dropped []Field `yaml:"dropped"`
	// Gaps bounds the pause before each retry.
	Gaps *Gaps `yaml:"gaps"`
	// Returns is how soon the call returns after a moment.
	Returns *Returns `yaml:"returns"`
	// Outcome is what the caller gets.
	Outcome *OutcomeRule `yaml:"outcome"`
	// Outcomes counts the outcomes of the call's repeats by kind.
	Outcomes []OutcomeCount `yaml:"outcomes"`
	// Connections is how many connections carried the attempts.
	Connections *Range `yaml:"connections"`
	// Drained bounds the bytes that the client took of each answer it discarded.
	Drained *Drained `yaml:"drained"`
	// Effects is how often the side effect was performed.
	Effects *Range `yaml:"effects"`
	// Window bounds the attempts that arrive in a span of time.
	Window *WindowRule `yaml:"window"`
	// Overlap bounds the attempts in progress at the same time.
	Overlap *Range `yaml:"overlap"`
	// Spread judges the distribution of the gaps; it fails only at p < 1e-9.
	Spread *Spread `yaml:"spread"`
	// Amplification bounds all attempts by the policy's budget.
	Amplification *PolicyRef `yaml:"amplification"`
	// OpenAfter is how many connections the client holds open after the last return.
	OpenAfter *Range `yaml:"open-after"`
	// Evaluator names a registered Go evaluator, for what the words cannot say.
	Evaluator string `yaml:"evaluator"`
}

// PolicyRef is the word "policy": the value is read from the policy in force.
type PolicyRef struct{}

// Range is a whole number, or bounds of one.
type Range struct {
	// Min is the least number; none where it is left out (nil).
	Min *int `yaml:"min"`
	// Max is the largest number; none where it is left out (nil).
	Max *int `yaml:"max"`
}

// Attempts is a number of attempts: of each repeat (a plain number and Each
// mean the same), in all repeats (Total), bounds of each, or the policy's.
type Attempts struct {
	Policy bool
	// Each is the number of attempts of each repeat.
	Each *int `yaml:"each"`
	// Total is the number of attempts of all repeats together.
	Total *int `yaml:"total"`
	// Min is the least number of attempts of each repeat.
	Min *int `yaml:"min"`
	// Max is the largest number of attempts of each repeat.
	Max *int `yaml:"max"`
}

// BodyRule is a rule about request bodies.
type BodyRule string

// The rules about request bodies.
const (
	// BodySource: the received bytes are the source's.
	BodySource BodyRule = "source"
)

// Field is a field of an attempt: "method", "target", "proto", "header.NAME".
type Field string

// Gaps bounds the pause between an attempt's end and the next one's arrival.
type Gaps struct {
	// Min is a duration, "policy" or "retry-after".
	Min *GapBound `yaml:"min"`
	// Max is a duration or "policy".
	Max *GapBound `yaml:"max"`
	// Of restricts it to some gaps, by the number of the retry (from 1); empty
	// means all.
	Of []int `yaml:"of"`
}

// GapBound is a bound of a gap: one of the three.
type GapBound struct {
	Duration   time.Duration
	Policy     bool
	RetryAfter bool
}

// Returns bounds the time from a moment to the call's return.
type Returns struct {
	// After is cancel, or a moment; the call's start unless said.
	After ReturnsAfter `yaml:"after"`
	// Min is the least time until the return; none unless said (0).
	Min time.Duration `yaml:"min"`
	// Max is the longest time until the return; none unless said (0).
	Max time.Duration `yaml:"max"`
}

// ReturnsAfter is the moment a return is measured from.
type ReturnsAfter struct {
	Cancel bool
	Moment *faultserver.Moment
}

// OutcomeRule is what the caller must get. Exactly one of Success, Status,
// Error, AnyOf and Not is given.
type OutcomeRule struct {
	// Success is the success answer, complete.
	Success bool
	// Status is an answer with this status.
	Status int `yaml:"status" bounds:"100..599"`
	// Body of a Status outcome: "complete" asks that the caller could read the
	// whole body that the server sent.
	Body AnswerBody `yaml:"body"`
	// Error is an error of this kind (or, where several are given, one of them).
	// "any" is any error.
	Error []ErrorKind `yaml:"error"`
	// LastStatus is the status that the error must expose.
	LastStatus int `yaml:"last-status" bounds:"100..599"`
	// AnyOf are alternatives.
	AnyOf []OutcomeRule `yaml:"any-of"`
	// Not is what the caller must not get.
	Not *OutcomeRule `yaml:"not"`
}

// AnswerBody is a rule about the body of an answer.
type AnswerBody string

// The rules about the body of an answer.
const (
	// BodyComplete: the caller could read the whole body that the server sent.
	BodyComplete AnswerBody = "complete"
)

// AnyError in an OutcomeRule is an error of any kind; no outcome has it.
const AnyError ErrorKind = "any"

// OutcomeCount is an entry of outcomes: how many repeats ended so.
type OutcomeCount struct {
	// Kind is "success", an error kind, or "status-NNN".
	Kind  string
	Count int
}

// Drained bounds the bytes taken of a discarded answer.
type Drained struct {
	// Max is the largest number of bytes that the client may take.
	Max faultserver.Size `yaml:"max"`
}

// WindowRule bounds the attempts that arrive between a moment and a time after it.
type WindowRule struct {
	// From is the moment at which the span begins.
	From faultserver.Moment `yaml:"from"`
	// For is how long the span is.
	For time.Duration `yaml:"for"`
	// Attempts is how many may arrive in it.
	Attempts Range `yaml:"attempts"`
}

// Spread compares the gaps with the distribution that the policy asks for.
type Spread struct {
	// Like names the distribution: policy, the only one there is.
	Like PolicyRef `yaml:"like"`
}
