package faultserver

// Config is what a session is opened with. The zero value is a session that
// answers every attempt as unscripted.
type Config struct {
	// Script is consumed one step an attempt.
	Script []Step
	// Calls are the calls of the session. With none, paths are taken as they
	// are: nothing is read as a call's token.
	Calls []CallConfig
	// Connections is consumed one entry an accepted connection. It needs a
	// listener of the session's own.
	Connections []Step
	// AfterScript says what happens beyond the script's end.
	AfterScript AfterScript
	// Success is the answer that Succeed stands for; the zero value is a 200
	// with DefaultSuccessBody.
	Success Answer
	// Match says which requests are attempts; the others are answered with
	// Otherwise (the zero value: 404), take no step, and are listed as events.
	Match     Match
	Otherwise Answer
	// Seed is what every random draw comes from, together with the session's
	// id, the call and the attempt.
	Seed uint64
	// KeepBodies keeps the first 64 KiB of each request body in the journal.
	KeepBodies bool
	// MaxAttempts bounds the journal; 0 means DefaultMaxAttempts.
	MaxAttempts int
	// Observe, if not nil, is told of every attempt when it arrives and when it
	// ends. It is called by the connection's goroutine and must not block.
	Observe func(Attempt)
}

// DefaultSuccessBody is the body of the answer that Succeed stands for.
const DefaultSuccessBody = "ok\n"

// DefaultMaxAttempts bounds a journal whose session does not say otherwise.
const DefaultMaxAttempts = 100_000

// CallConfig declares a call by its token.
type CallConfig struct {
	// Token is the path segment after /c/.
	Token string
	// Name is the call's name, shared by its repeats; empty is the token.
	Name string
	// Script replaces the session's script for this call; nil uses the session's.
	Script []Step
}

// Match says which requests are attempts. The zero value matches all.
type Match struct {
	// Method must be equal, if set.
	Method string `yaml:"method"`
	// Path must be equal to the target's path (without /s/… and /c/…), if set.
	Path string `yaml:"path"`
	// Header must be there, with this value where one is given, if set.
	Header Header
}
