package client

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A NewSession is what a client asks for. Of Contract, Scenario and Script at
// most one is given; none, with an Upstream, passes every attempt on.
type NewSession struct {
	// ID is part of the session's URL; empty means a random one. A server with a
	// name puts that in front of it, and the session that is made says how.
	ID string `json:"id,omitempty"`
	// Contract is the id of a contract that the server knows.
	Contract string `json:"contract,omitempty"`
	// Scenario is a contract: an object, or its YAML as a string.
	Scenario json.RawMessage `json:"scenario,omitempty"`
	// Script is a one-line script, such as "503x2,reset,200".
	Script string `json:"script,omitempty"`
	// AfterScript is "fail" (the default), "repeat" or "loop"; of a script only.
	AfterScript string `json:"after_script,omitempty"`
	// OwnListener opens the session on a port of its own, as connection-level steps
	// need it; else it is found under /s/ID of the data listener.
	OwnListener bool `json:"own_listener,omitempty"`
	// Upstream is the real server that the step pass hands attempts to, one of
	// those that the server was started with.
	Upstream string `json:"upstream,omitempty"`
	// TTL is how long the session lives after its last use, such as "10m"; empty
	// means the server's default.
	TTL string `json:"ttl,omitempty"`
	// Seed is what random draws come from; nil means the server's own.
	Seed *uint64 `json:"seed,omitempty"`
	// MaxAttempts bounds the journal; 0 means the server's default.
	MaxAttempts int `json:"max_attempts,omitempty"`
	// KeepBodies keeps the first 64 KiB of each request body in the journal.
	KeepBodies bool `json:"keep_bodies,omitempty"`
}

// A Session is a session as the API shows it.
type Session struct {
	ID string `json:"id"`
	// URL is the base URL for the client under test, without a slash at its end.
	URL         string `json:"url"`
	Contract    string `json:"contract,omitempty"`
	Title       string `json:"title,omitempty"`
	OwnListener bool   `json:"own_listener"`
	// Judged tells that there is a rule to judge by.
	Judged  bool      `json:"judged"`
	Created time.Time `json:"created"`
	// Expires is when the session ends unless it is used before; nil for never.
	Expires  *time.Time `json:"expires,omitempty"`
	Attempts int        `json:"attempts"`
	// JournalBytes is what the journal takes of the server's memory, estimated.
	JournalBytes int64 `json:"journal_bytes"`
	// Calls are what the client is to ask for, in this order.
	Calls []Call `json:"calls,omitempty"`
	// Policy is what the client is to be told.
	Policy any `json:"policy,omitempty"`
	// Links are the session's resources, by what they are.
	Links map[string]string `json:"links"`
}

// Sessions is the list of sessions, by id.
type Sessions struct {
	Sessions []Session `json:"sessions"`
}

// A Call is a call that the client is to make.
type Call struct {
	Token   string              `json:"token"`
	Name    string              `json:"name"`
	Method  string              `json:"method"`
	URL     string              `json:"url"`
	Headers faultserver.Headers `json:"headers,omitempty"`
	// BodyURL is where the body that is to be sent can be read; empty for none.
	BodyURL    string `json:"body_url,omitempty"`
	BodyLength int64  `json:"body_length,omitempty"`
	// Reported tells that an outcome was posted.
	Reported bool `json:"reported"`
}

// Steps is a change of a script: one line, or a list of steps as a contract's
// script has them.
type Steps struct {
	Script string          `json:"script,omitempty"`
	Steps  json.RawMessage `json:"steps,omitempty"`
}

// A Script is a session's script as it is now.
type Script struct {
	Steps []Step `json:"steps"`
}

// A Step is a step, in the notation of one-line scripts, and how many
// attempts have taken it. A text that ends in ":…" says less than the step does.
type Step struct {
	Text   string `json:"text"`
	Served int    `json:"served"`
}

// A Report is what a client reports of a call.
type Report struct {
	Outcome json.RawMessage `json:"outcome"`
}

// A Problem is an error of the API (RFC 9457).
type Problem struct {
	// Type is the address of what it means; its fragment is the problem's code.
	Type   string `json:"type"`
	Title  string `json:"title"`
	Status int    `json:"status"`
	// Detail is what was expected, what came, and what to do.
	Detail string `json:"detail"`
	// Owner is the name of the server whose session it is; of other-owner problems
	// alone.
	Owner string `json:"owner,omitempty"`
}

// Error is the problem as a sentence.
func (p *Problem) Error() string {
	return fmt.Sprintf("%s (%d): %s", p.Title, p.Status, p.Detail)
}
