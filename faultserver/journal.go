package faultserver

import "time"

// A Journal is the server's record of a session, complete up to the moment it
// was taken. All times are on one monotonic clock that starts at Started.
type Journal struct {
	Session string `json:"session"`
	// Started is the wall-clock time at which the session's clock was zero.
	Started time.Time `json:"started"`
	Seed    uint64    `json:"seed"`
	// Attempts are in the order of their arrival.
	Attempts []Attempt `json:"attempts"`
	// Connections are all that were accepted, also those that never carried a
	// byte: they are listed here and never counted as attempts.
	Connections []Connection `json:"connections"`
	// Events are what came and is no attempt of a call: bytes that are not HTTP,
	// an unknown token, a request that does not match.
	Events []ProtocolEvent `json:"events,omitempty"`
	// Windows are the listener's receipts for Refuse and ConnectHang.
	Windows []Window `json:"windows,omitempty"`
	// Unmet are the required steps that no attempt met, such as "step 2: reset".
	Unmet []string `json:"unmet,omitempty"`
	// Effects is how many side effects were performed (see Commit).
	Effects int `json:"effects"`
	// Dropped is how many entries did not fit. A journal that dropped one proves
	// nothing.
	Dropped int `json:"dropped,omitempty"`
}

// An Attempt is a request whose head arrived, or a connection that a
// connection-level step struck.
type Attempt struct {
	Session string `json:"session"`
	// Call is the token of the call it belongs to; empty in a session without calls.
	Call string `json:"call"`
	// Number counts the call's attempts, from 1; Index the session's, from 1.
	Number int `json:"number"`
	Index  int `json:"index"`
	// Connection is the connection's id, from 1; Use counts the requests on it, from 1.
	Connection int `json:"connection"`
	Use        int `json:"use"`

	// Arrived is when the first byte of the head was read (for a struck
	// connection: its accept); HeadRead when the head was complete; BodyRead
	// when the last body byte that came was read. Zero where it did not happen.
	Arrived  time.Duration `json:"arrived_ns"`
	HeadRead time.Duration `json:"head_read_ns"`
	BodyRead time.Duration `json:"body_read_ns"`
	// Continued is when 100 Continue was about to be sent; 0 when none was.
	Continued time.Duration `json:"continued_ns,omitempty"`
	// Answered is when the first byte of the answer was about to be written; 0
	// when none was.
	Answered time.Duration `json:"answered_ns"`
	// End is when the answer's end, or the connection's, became visible.
	End Interval `json:"end"`
	// Open tells that the attempt is still in progress, and End not yet known. A
	// stale one is in progress until its idle connection has ended.
	Open bool `json:"open,omitempty"`

	Method string `json:"method"`
	// Target is the request target without /s/… and /c/…; RawTarget as it came.
	Target    string `json:"target"`
	RawTarget string `json:"raw_target"`
	Proto     string `json:"proto"`
	// Headers are the header lines as they came: order, case and duplicates kept.
	Headers Headers     `json:"headers"`
	Body    BodyReceipt `json:"body"`

	// Step is the script's step that it took.
	Step StepRef `json:"step"`
	// Intended is what the step asks for, Happened what was done.
	Intended Effect `json:"intended"`
	Happened Effect `json:"happened"`
	// Met tells that what happened is what was intended. A step that serves
	// several attempts is proven by each.
	Met bool `json:"met"`
	// Acked is how many answer bytes, head included, the peer has acknowledged;
	// -1 where the platform cannot tell.
	Acked int64 `json:"acked"`
	// Client is how and when the client left, if it left first.
	Client ClientEnd `json:"client"`
	// Committed tells that the side effect was performed for this attempt.
	Committed bool `json:"committed,omitempty"`
	// RetryAfter is the Retry-After that was sent, if one was.
	RetryAfter *SentRetryAfter `json:"retry_after,omitempty"`
	// Early is how much sooner it came than the Retry-After of the call's attempt
	// before it asked for; 0 if it did not. In a session without calls all
	// attempts are taken for one client's.
	Early time.Duration `json:"early_ns,omitempty"`
}

// Interval is a time known to lie between two stamps. Earliest is stamped
// before the system call that makes the answer's head, FIN or RST visible,
// Latest after the last one returned. Lower bounds use Earliest, upper bounds
// Latest.
type Interval struct {
	Earliest time.Duration `json:"earliest_ns"`
	Latest   time.Duration `json:"latest_ns"`
}

// BodyReceipt is what came of a request's body.
type BodyReceipt struct {
	// Declared is the Content-Length, -1 when none was declared.
	Declared int64 `json:"declared"`
	// Chunked tells that the body came in chunks.
	Chunked bool `json:"chunked,omitempty"`
	// Received is how many content bytes came.
	Received int64 `json:"received"`
	// SHA256 is the hash, in hexadecimal, of the bytes that came.
	SHA256 string `json:"sha256"`
	// Complete tells that the body's end came as declared. A request without a
	// body is complete.
	Complete bool `json:"complete"`
	// Kept are the first bytes, where the session was asked to keep them.
	Kept []byte `json:"kept,omitempty"`
	// Trailers are the trailer lines of a chunked body.
	Trailers Headers `json:"trailers,omitempty"`
}

// StepRef says which step an attempt took.
type StepRef struct {
	// Index is the step's place in its script, from 1; 0 when it took none.
	Index int `json:"index"`
	// Script is "script", "connections", or "call" for a call's own script.
	Script string `json:"script,omitempty"`
	// Text is the step in the notation of one-line scripts, such as "reset@request-end".
	Text string `json:"text"`
	// Unscripted tells that the attempt came after the script's end.
	Unscripted bool `json:"unscripted,omitempty"`
	// Unmatched tells that no step's condition held, so that it was answered as
	// Succeed.
	Unmatched bool `json:"unmatched,omitempty"`
}

// Effect is an effect on the wire.
type Effect struct {
	// Kind is "answer", "reset", "close", "stall", "truncate", "stale", "pass",
	// "accept-hang", "dribble", "bandwidth", "slow-read", "expect-continue", "raw",
	// "malformed" or "tls"; in Attempt.Happened also "client-left" (the client left
	// before the act could strike), "bad-body" (its request broke its own
	// framing) and "failed" (the server could not do its part).
	Kind string `json:"kind"`
	// At is the point, as text.
	At string `json:"at,omitempty"`
	// Status is the status that was sent; 0 when none was.
	Status int `json:"status,omitempty"`
	// Body is how many body bytes of the answer were (to be) sent.
	Body int64 `json:"body,omitempty"`
	// End is how the connection was ended: "", "fin" or "rst".
	End string `json:"end,omitempty"`
	// Detail tells what went otherwise than intended.
	Detail string `json:"detail,omitempty"`
}

// Lasts tells an effect during which a client loses its patience: one that
// leaves then has met it, and has ended the attempt itself.
func (e Effect) Lasts() bool {
	switch e.Kind {
	case "stall", "accept-hang", "dribble", "bandwidth", "slow-read", "expect-continue":
		return true
	}
	return e.End == string(EndStall)
}

// ClientEnd is how a client left.
type ClientEnd struct {
	// How is "client-fin" or "client-rst"; empty when the server ended the
	// exchange or the connection lives on.
	How string        `json:"how,omitempty"`
	At  time.Duration `json:"at_ns,omitempty"`
}

// SentRetryAfter is a Retry-After header as it was sent.
type SentRetryAfter struct {
	Value string `json:"value"`
	// Wait is the least wait it asks for, from the moment it was sent; nil when
	// the value is not valid.
	Wait *time.Duration `json:"wait_ns,omitempty"`
	// Until is the moment on the session's clock before which no retry should
	// arrive, for a date; nil for any other value.
	Until *time.Duration `json:"until_ns,omitempty"`
}

// A Connection is a connection that was accepted.
type Connection struct {
	ID       int           `json:"id"`
	Accepted time.Duration `json:"accepted_ns"`
	// Closed is when the server's side was closed; 0 while it is open.
	Closed   time.Duration `json:"closed_ns,omitempty"`
	Requests int           `json:"requests"`
	// Silent tells that it never carried a byte.
	Silent bool      `json:"silent,omitempty"`
	Client ClientEnd `json:"client"`
}

// A ProtocolEvent is something that came and is no attempt of a call.
type ProtocolEvent struct {
	// Kind is "not-http", "bad-head", "head-too-large", "unknown-call",
	// "unmatched" (see Config.Match), "pass-failed" (see Config.Pass), "bad-body",
	// "unanswered" (bytes came on a connection that the server had ended),
	// "handshake-failed", "refused" (see Config.MaxConnections and Room), "crashed" (the script's own code) or
	// "accept-failed".
	Kind string `json:"kind"`
	// Connection is 0 for an event of the listener.
	Connection int           `json:"connection"`
	At         time.Duration `json:"at_ns"`
	Detail     string        `json:"detail"`
}

// A Window is a time in which the listener took no connections.
type Window struct {
	Act  string        `json:"act"`
	From time.Duration `json:"from_ns"`
	// Until is 0 while the window is open.
	Until time.Duration `json:"until_ns,omitempty"`
}
