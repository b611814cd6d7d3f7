package reports

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Attempt is an attempt as the server saw it.
type Attempt struct {
	// Index counts the attempts of the contract, Number those of the call, both
	// from 1 and in the order of arrival.
	Index  int    `json:"index"`
	Number int    `json:"number"`
	Call   string `json:"call"`
	// Connection is the connection's number, from 1; Use counts the requests on
	// it, from 1.
	Connection int `json:"connection"`
	Use        int `json:"use"`

	Method string `json:"method"`
	// Target is the request target without the prefix that finds the call.
	Target string `json:"target"`
	Proto  string `json:"proto"`
	// Headers are the header lines as they came, secrets hashed.
	Headers faultserver.Headers `json:"headers"`
	Body    Body                `json:"body"`

	// Step is the script's step that it took, as text.
	Step string `json:"step"`
	// Unscripted tells that it came after the script's end, Unmatched that no
	// step's condition held, so that it was answered as a success.
	Unscripted bool `json:"unscripted,omitempty"`
	Unmatched  bool `json:"unmatched,omitempty"`
	// Intended is what the step asks for, Happened what was done, Met whether
	// the two are the same.
	Intended faultserver.Effect `json:"intended"`
	Happened faultserver.Effect `json:"happened"`
	Met      bool               `json:"met"`
	// Status is the status that was sent; 0 when none was.
	Status int `json:"status"`
	// ClientEnd is "client-fin" or "client-rst" where the client left first.
	ClientEnd string `json:"client_end,omitempty"`
	// Committed tells that the side effect was performed for it.
	Committed bool `json:"committed,omitempty"`
	// Open tells that it was still in progress when the journal was taken.
	Open bool        `json:"open,omitempty"`
	Meta AttemptMeta `json:"meta"`
}

// Body is what came of a request's body.
type Body struct {
	// Declared is the Content-Length; -1 when none was declared.
	Declared int64 `json:"declared"`
	Chunked  bool  `json:"chunked,omitempty"`
	Received int64 `json:"received"`
	// SHA256 is the hash, in hexadecimal, of the bytes that came.
	SHA256   string `json:"sha256"`
	Complete bool   `json:"complete"`
	// Kept are the first bytes, base64 in JSON; only where bodies were asked for.
	Kept []byte `json:"kept,omitempty"`
	// Trailers are the trailer lines of a chunked body, secrets hashed.
	Trailers faultserver.Headers `json:"trailers,omitempty"`
}

// AttemptMeta is what varies in an attempt: its times, in nanoseconds since the
// session's start (0 where it did not happen), what the client took of the
// answer before it left, and the Retry-After that was sent.
type AttemptMeta struct {
	Arrived  time.Duration `json:"arrived_ns"`
	HeadRead time.Duration `json:"head_read_ns"`
	BodyRead time.Duration `json:"body_read_ns"`
	Answered time.Duration `json:"answered_ns"`
	// EndEarliest is stamped before the answer's end becomes visible, EndLatest
	// after: lower bounds use the one, upper bounds the other.
	EndEarliest time.Duration `json:"end_earliest_ns"`
	EndLatest   time.Duration `json:"end_latest_ns"`
	// Gap is from the end (earliest) of the call's previous attempt to this
	// one's arrival; null for a first attempt, and where the previous one had
	// not ended.
	Gap *time.Duration `json:"gap_ns"`
	// Acked is how many answer bytes, head included, the client had acknowledged;
	// -1 where the platform cannot tell.
	Acked int64 `json:"acked"`
	// ClientEnd is when the client left; 0 where it did not leave first.
	ClientEnd  time.Duration               `json:"client_end_ns,omitempty"`
	RetryAfter *faultserver.SentRetryAfter `json:"retry_after,omitempty"`
}

// Connection is a connection that was accepted.
type Connection struct {
	ID       int `json:"id"`
	Requests int `json:"requests"`
	// Silent tells that it never carried a byte.
	Silent bool `json:"silent,omitempty"`
	// ClientEnd is as in Attempt.
	ClientEnd string `json:"client_end,omitempty"`
	Meta      Span   `json:"meta"`
}

// Window is a time in which the listener refused connections.
type Window struct {
	Act  string `json:"act"`
	Meta Span   `json:"meta"`
}

// Event is something that came and is no attempt of a call.
type Event struct {
	Kind       string `json:"kind"`
	Connection int    `json:"connection"`
	Detail     string `json:"detail"`
	Meta       Span   `json:"meta"`
}

// Span is a time, in nanoseconds since the session's start. Until is 0 where
// the end was not seen, and for an event.
type Span struct {
	From  time.Duration `json:"from_ns"`
	Until time.Duration `json:"until_ns,omitempty"`
}

func (a Attempt) mapTexts(text func(string) string) Attempt {
	a.Method, a.Target, a.Step = text(a.Method), text(a.Target), text(a.Step)
	a.Headers = mapHeaders(a.Headers, text)
	a.Intended.Detail, a.Happened.Detail = text(a.Intended.Detail), text(a.Happened.Detail)
	a.Body.Trailers = mapHeaders(a.Body.Trailers, text)
	if a.Body.Kept != nil {
		a.Body.Kept = []byte(text(string(a.Body.Kept)))
	}
	return a
}

// attempts are the journal's, with the gap to the call's previous attempt.
func attempts(journal faultserver.Journal) []Attempt {
	previous := map[string]faultserver.Attempt{}
	return mapped(journal.Attempts, func(a faultserver.Attempt) Attempt {
		made := attempt(a)
		if before, ok := previous[a.Call]; ok && !before.Open {
			made.Meta.Gap = new(time.Duration)
			*made.Meta.Gap = a.Arrived - before.End.Earliest
		}
		previous[a.Call] = a
		return made
	})
}

func attempt(a faultserver.Attempt) Attempt {
	return Attempt{
		Index: a.Index, Number: a.Number, Call: a.Call, Connection: a.Connection, Use: a.Use,
		Method: a.Method, Target: a.Target, Proto: a.Proto, Headers: notNil(a.Headers),
		Body: Body{
			Declared: a.Body.Declared, Chunked: a.Body.Chunked, Received: a.Body.Received,
			SHA256: a.Body.SHA256, Complete: a.Body.Complete, Kept: a.Body.Kept, Trailers: a.Body.Trailers,
		},
		Step: a.Step.Text, Unscripted: a.Step.Unscripted, Unmatched: a.Step.Unmatched,
		Intended: a.Intended, Happened: a.Happened, Met: a.Met,
		Status: a.Happened.Status, ClientEnd: a.Client.How,
		Committed: a.Committed, Open: a.Open,
		Meta: AttemptMeta{
			Arrived: a.Arrived, HeadRead: a.HeadRead, BodyRead: a.BodyRead, Answered: a.Answered,
			EndEarliest: a.End.Earliest, EndLatest: a.End.Latest, Acked: a.Acked, ClientEnd: a.Client.At, RetryAfter: a.RetryAfter,
		},
	}
}

func connections(journal faultserver.Journal) []Connection {
	return mapped(journal.Connections, func(c faultserver.Connection) Connection {
		return Connection{
			ID: c.ID, Requests: c.Requests, Silent: c.Silent, ClientEnd: c.Client.How,
			Meta: Span{From: c.Accepted, Until: c.Closed},
		}
	})
}

func windows(journal faultserver.Journal) []Window {
	return mapped(journal.Windows, func(w faultserver.Window) Window {
		return Window{Act: w.Act, Meta: Span{From: w.From, Until: w.Until}}
	})
}

func events(journal faultserver.Journal) []Event {
	return mapped(journal.Events, func(e faultserver.ProtocolEvent) Event {
		return Event{Kind: e.Kind, Connection: e.Connection, Detail: e.Detail, Meta: Span{From: e.At}}
	})
}
