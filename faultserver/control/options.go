package control

import (
	"context"
	"encoding/json"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Options are what the API is served with. Host is needed; every other field has
// a zero value that works.
type Options struct {
	// Host is the data side: sessions are opened there, under /s/ID. Its owner
	// closes it, after the Server.
	Host *faultserver.Host
	// Name is this server's among several, which then is in front of every id: see
	// [CheckName]. A request for an id of another one is answered 421. Empty means
	// that there is one server. Host should have [StrayAnswer] for the same.
	Name string
	// OwnHost is where sessions with a listener of their own listen, a host of this
	// machine without a port, and OwnPorts which ports they may take; empty means
	// 127.0.0.1, and the zero value any free one.
	OwnHost  string
	OwnPorts Ports
	// OwnTLS has sessions with a listener of their own speak TLS, whatever their
	// scenarios say; without it, only those whose scenarios say so do.
	OwnTLS bool
	// AdvertiseHost is the host, without a port, by which clients reach those;
	// empty means the one that is listened on. For the others it is Host's to say.
	AdvertiseHost string

	// Resolve finds the scenario of a contract's id; nil knows none.
	Resolve func(id string) (Scenario, error)
	// Parse reads a scenario from a document, YAML or JSON; nil reads none.
	Parse func(document []byte) (Scenario, error)
	// Steps reads a list of steps from a document, YAML or JSON; nil reads
	// one-line scripts only.
	Steps func(document []byte) ([]faultserver.Step, error)
	// CheckOutcome says what is wrong with an outcome that a client posts; nil
	// takes any JSON.
	CheckOutcome func(outcome json.RawMessage) error

	// Upstreams are the real servers, http://host:port, that sessions may pass
	// attempts on to; nil allows none.
	Upstreams []string
	// Token is what a request needs as its bearer token; empty asks for none, and
	// is refused for an address that other machines can reach.
	Token string
	// Hosts are names by which the API may be called beside the loopback ones and
	// the address that it listens on.
	Hosts []string
	// Limits bound what clients can take; the zero value has good ones.
	Limits Limits
	// Seed is what the random draws of sessions come from that name none.
	Seed uint64

	// Observe, if not nil, is told of every attempt of a session that was created
	// here, as Config.Observe is.
	Observe func(faultserver.Attempt)
	// RedactAttempt and RedactText hide secrets in what is told of an attempt, and
	// in other text from the wire; nil hides nothing.
	RedactAttempt func(faultserver.Attempt) faultserver.Attempt
	RedactText    func(string) string
}

// A Scenario is what a session is made from: the server's side, and the calls
// that a client is to make.
type Scenario struct {
	// ID and Title are the contract's; empty for a script.
	ID, Title string
	// Config is what the session is opened with. The API adds the id, the limits
	// and the seed.
	Config faultserver.Config
	Calls  []Call
	// Policy is what the client is to be told, as JSON; nil for nothing.
	Policy any
	// Judge makes the verdict, as JSON; nil where there is no rule to judge by. It
	// may wait for late attempts.
	Judge func(ctx context.Context, c Case) (verdict any, err error)
}

// A Call is one call that a client is to make.
type Call struct {
	Token, Name, Method, Path string
	Headers                   faultserver.Headers
	// Body is what the client is to send; the zero value for nothing.
	Body faultserver.Body
}

// A Case is what a verdict is made from.
type Case struct {
	Session *faultserver.Session
	// Reports are what clients told of the calls, in the order of the scenario's
	// calls, those of which nothing was told left out.
	Reports []Report
}

// A Report is what a client told of a call. The times are on the session's
// clock, 0 where nothing was told.
type Report struct {
	Token                        string
	Started, Cancelled, Returned time.Duration
	// Outcome is as it was posted; nil while none was.
	Outcome json.RawMessage
}

// Limits bound what clients of the API, and the clients under test, can take of
// the machine. Zero fields have the defaults that are named.
type Limits struct {
	// Sessions is how many there may be at the same time; 1,000.
	Sessions int
	// Attempts is how many a session's journal holds where its creator says
	// nothing, 10,000; MostAttempts is what it may ask for, 100,000.
	Attempts, MostAttempts int
	// SessionBytes is how much memory one journal may take, heads and kept bodies
	// included, 64 MiB; TotalBytes all of them together, 512 MiB. What does not
	// fit is counted as dropped.
	SessionBytes, TotalBytes int64
	// Steps is how many steps the scripts of a session may have, its calls' own
	// included, where a repeated call has a copy for each repeat; 10,000. TotalSteps
	// is how many all sessions together may have; 200,000. A step takes about 600
	// bytes, and a call counts as one.
	Steps, TotalSteps int
	// TTL is how long a session lives after its last use, where its creator says
	// nothing, 1 h; MostTTL is what it may ask for, 24 h.
	TTL, MostTTL time.Duration
	// RequestBytes is how long the body of a request to the API may be; 1 MiB.
	RequestBytes int64
	// Waiting is how many requests may wait for attempts, or read them live, at the
	// same time; 256.
	Waiting int
	// Connections is how many there may be to the API, 512; SessionConnections is
	// how many there may be to a session with a listener of its own, 4,096;
	// OwnConnections to all such sessions together, 16,384.
	Connections, SessionConnections, OwnConnections int
	// ListenerFiles is how many of the process's files the listeners of such sessions
	// may take together: each takes one, and one that strikes at connections up to
	// six; 6,000.
	ListenerFiles int
}

// The bounds of connections that Limits has where it says nothing.
const (
	DefaultConnections        = 512
	DefaultSessionConnections = 4_096
	DefaultOwnConnections     = 16_384
)

func (l Limits) orDefault() Limits {
	fill(&l.Sessions, 1_000)
	fill(&l.Attempts, 10_000)
	fill(&l.MostAttempts, 100_000)
	fill(&l.SessionBytes, 64<<20)
	fill(&l.TotalBytes, 512<<20)
	fill(&l.Steps, 10_000)
	fill(&l.TotalSteps, 200_000)
	fill(&l.TTL, time.Hour)
	fill(&l.MostTTL, 24*time.Hour)
	fill(&l.RequestBytes, 1<<20)
	fill(&l.Waiting, 256)
	fill(&l.Connections, DefaultConnections)
	fill(&l.SessionConnections, DefaultSessionConnections)
	fill(&l.OwnConnections, DefaultOwnConnections)
	fill(&l.ListenerFiles, 6_000)
	return l
}

func fill[N int | int64 | time.Duration](field *N, value N) {
	if *field == 0 {
		*field = value
	}
}
