package scenarios

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// An Outcome is what the client reports of a call.
type Outcome struct {
	Kind OutcomeKind `json:"kind"`
	// Status is the answer's status; 0 where the client does not tell.
	Status  int                 `json:"status,omitempty"`
	Headers faultserver.Headers `json:"headers,omitempty"`
	// BodySHA256 and BodyLength are of the answer's body as the caller read it;
	// an empty hash means that the client does not tell.
	BodySHA256 string `json:"body_sha256,omitempty"`
	BodyLength int64  `json:"body_length,omitempty"`
	// Error is set for ErrorOutcome.
	Error *OutcomeError `json:"error,omitempty"`
	// Attempts is how many attempts the client says it made; 0 where it does
	// not tell. The server's count wins.
	Attempts int `json:"attempts,omitempty"`
	// Elapsed is the client's own measurement; 0 where it does not tell.
	Elapsed time.Duration `json:"elapsed_ns,omitempty"`
	// Starved is how long the client could have run and waited for a CPU; 0 where
	// nobody measures it. It is the machine's doing, and no result shows it.
	Starved time.Duration `json:"-"`
	// Note is what the runner has to say, such as why the client was ended.
	Note string `json:"note,omitempty"`
}

// OutcomeKind tells an answer from an error.
type OutcomeKind string

// The kinds of outcome.
const (
	// ResponseOutcome: the caller got an answer, whatever its status.
	ResponseOutcome OutcomeKind = "response"
	// ErrorOutcome: the caller got an error.
	ErrorOutcome OutcomeKind = "error"
	// SuccessOutcome: the client says that it succeeded and cannot tell more (a
	// command that ended 0).
	SuccessOutcome OutcomeKind = "success"
	// UnsupportedOutcome: the client cannot make this call.
	UnsupportedOutcome OutcomeKind = "unsupported"
	// ClientErrorOutcome: the client could not be run, or broke; Note says how.
	ClientErrorOutcome OutcomeKind = "client-error"
	// UnknownOutcome: what the client reports does not say how the call ended.
	UnknownOutcome OutcomeKind = "unknown"
)

// OutcomeError is the error that the caller got.
type OutcomeError struct {
	Kind    ErrorKind `json:"kind"`
	Message string    `json:"message,omitempty"`
	// Chain are further kinds that the caller can match in the same error, such
	// as the last failure inside a cancellation. Nil where the client cannot tell.
	Chain []ErrorKind `json:"chain,omitempty"`
	// LastStatus is the status of the last failed attempt where the error exposes it.
	LastStatus int `json:"last_status,omitempty"`
}

// ErrorKind is the class of an error.
type ErrorKind string

// The kinds of error: a closed list.
const (
	// ErrTimeout: a deadline of an attempt or of the call passed.
	ErrTimeout ErrorKind = "timeout"
	// ErrCanceled: the caller cancelled the call.
	ErrCanceled ErrorKind = "canceled"
	// ErrConnect: no connection was made.
	ErrConnect ErrorKind = "connect"
	// ErrReset: the connection was lost before an answer's head was complete.
	ErrReset ErrorKind = "reset"
	// ErrTruncated: the answer's body ended before its declared end.
	ErrTruncated ErrorKind = "truncated"
	// ErrProtocol: what came is not HTTP as the client understands it.
	ErrProtocol ErrorKind = "protocol"
	// ErrExhausted: the attempts are used up; the client says no more.
	ErrExhausted ErrorKind = "exhausted"
	// ErrCircuitOpen: a breaker is open, and nothing was sent.
	ErrCircuitOpen ErrorKind = "circuit-open"
	// ErrBudget: the retry budget allows no other attempt.
	ErrBudget ErrorKind = "budget"
	// ErrNotReplayable: the body cannot be sent again.
	ErrNotReplayable ErrorKind = "not-replayable"
	// ErrPermanent: the failure is of a kind that is never retried.
	ErrPermanent ErrorKind = "permanent"
	// ErrOther: any other error.
	ErrOther ErrorKind = "other"
)
