package faultserver

// Config is what a session is opened with. The zero value is a session that
// answers every attempt as unscripted.
type Config struct {
	// ID is the session's id in its journal, and part of what random draws come
	// from; empty is "session". Under a [Host] the id is that of Host.Open.
	ID string
	// Script is consumed one step an attempt.
	Script []Step
	// Choose, if not nil, is asked for each attempt's step, by its request, in the
	// place of a script. It is called one attempt at a time and must not block.
	Choose func(Request) Step
	// Calls are the calls of the session. With none, paths are taken as they
	// are: nothing is read as a call's token.
	Calls []CallConfig
	// Connections is consumed one entry an accepted connection. It needs a
	// listener of the session's own.
	Connections []Step
	// TLS has a session with a listener of its own speak TLS, certified by
	// SharedAuthority; its URL is then https://…. Its connection script is taken when
	// a client says hello, except for entries at accept. Under a Host it is the
	// Host's to say, and a Host that does not speak TLS refuses it.
	TLS bool
	// AdvertiseHost is the host, without a port, by which clients reach a session
	// with a listener of its own: its URL has it in the place of the address that
	// is listened on. Empty means that address.
	AdvertiseHost string
	// AfterScript says what happens beyond the script's end. Beyond the end of
	// Connections, connections are served untouched.
	AfterScript AfterScript
	// Success is the answer that Succeed stands for; the zero value is a 200
	// with DefaultSuccessBody.
	Success Answer
	// Match says which requests are attempts; the others are answered with
	// Otherwise (the zero value: 404), take no step, and are listed as events.
	Match     Match
	Otherwise Answer
	// NoAttempts says that no request is an attempt, whatever Match says.
	NoAttempts bool
	// Stubs answer requests that are no attempts before Otherwise does: the first
	// that matches.
	Stubs []Stub
	// Pass is the base URL, http://host:port, of a real server to which the step
	// [Untouched] hands its attempts, and to which requests that are no attempts,
	// and that match no stub, are handed as they came, byte for byte, and its
	// answers back; empty gives the latter Otherwise. A server that cannot be
	// reached is answered for with 502 and listed as an event.
	Pass string
	// Seed is what every random draw comes from, together with the session's
	// id, the call and the attempt.
	Seed uint64
	// KeepBodies keeps the first 64 KiB of each request body in the journal.
	KeepBodies bool
	// MaxAttempts bounds the journal: its attempts, and as many connections and
	// events; 0 means DefaultMaxAttempts.
	MaxAttempts int
	// MaxConnections bounds the open connections of a session with a listener of
	// its own; more are closed when they are accepted, and listed as events. 0
	// means no bound.
	MaxConnections int
	// Room, if not nil, bounds the open connections of all sessions with listeners
	// of their own that share it, as MaxConnections does those of one.
	Room *Room
	// Admit, if not nil, is asked before the journal keeps an entry (of an attempt,
	// its trailers, a connection, an event) of about so many bytes; one that it
	// refuses is counted as dropped. It must not block.
	Admit func(bytes int64) bool
	// Observe, if not nil, is told of every attempt when it arrives and when it
	// ends (a stale one: when its connection has ended). It is called by the
	// connection's goroutine and must not block. What the attempt points to is the
	// journal's own, and not to be changed.
	Observe func(Attempt)
}

// DefaultSuccessBody is the body of the answer that Succeed stands for.
const DefaultSuccessBody = "ok\n"

// DefaultMaxAttempts bounds a journal whose session does not say otherwise.
const DefaultMaxAttempts = 100_000

// CallConfig declares a call by its token.
type CallConfig struct {
	// Token is the path segment after /c/: letters, digits, "-", "_" and ".".
	Token string
	// Name is the call's name, shared by its repeats; empty is the token.
	Name string
	// Script replaces the session's script for this call; nil uses the session's.
	Script []Step
}

func (c CallConfig) name() string {
	if c.Name == "" {
		return c.Token
	}
	return c.Name
}

// Match says which requests are attempts. The zero value matches all.
type Match struct {
	// Method must be equal, if set.
	Method string `yaml:"method"`
	// Path must be equal to the target's path (without /s/… and /c/…, and
	// without the query), if set.
	Path string `yaml:"path"`
	// Header must be there, with this value where one is given, if set.
	Header Header `yaml:"header"`
}

// A Stub is an answer to the requests of one kind that are no attempts.
type Stub struct {
	Match  Match  `yaml:"match"`
	Answer Answer `yaml:"respond"`
}

// success is the answer that Succeed stands for.
func (s *Session) success() Answer {
	if s.config.Success.isZero() {
		return Answer{Status: 200, Body: Body{Text: DefaultSuccessBody}}
	}
	return s.config.Success
}

// orSuccess is the answer, or where it has nothing the one that Succeed stands for.
func (s *Session) orSuccess(a Answer) Answer {
	if a.isZero() {
		return s.success()
	}
	return a
}

// otherwise is the answer to a request that is no attempt.
func (s *Session) otherwise() Answer {
	if s.config.Otherwise.isZero() {
		return Answer{Status: 404, Body: Body{Text: "faultsrv: no attempt: the request does not match\n"}}
	}
	return s.config.Otherwise
}
