package scenarios

import (
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// FormatVersion is the version of the contract format, the value of `format`
// at the head of a file.
const FormatVersion = 1

// A Contract is a scenario with a rule.
type Contract struct {
	// ID is meaningful, never positional, and never used again: "body.replay-after-503".
	// Its first part is the area, and the name of the file it stands in.
	ID string `yaml:"id"`
	// Title is the rule in a line.
	Title string `yaml:"title"`
	// Level is how strong the rule is: must, should, or observe for what is
	// reported and never judged.
	Level Level `yaml:"level"`
	// Basis is what the rule rests on: standard, safety, promise or practice.
	Basis Basis `yaml:"basis"`
	// Why says, for the reader of a failure, what the rule protects.
	Why string `yaml:"why"`
	// Cites are the rule's sources; a rule of basis standard needs one.
	Cites []Cite `yaml:"cites"`
	// Cases are the field reports that the contract stands for, such as "BR-01".
	Cases []string `yaml:"cases"`
	// OptIn contracts run only when they are asked for by name.
	OptIn bool `yaml:"opt-in"`

	// Server is what the server speaks; HTTP/1.1 over plain TCP unless said.
	Server ServerKind `yaml:"server"`
	// Client is whether all calls share one client.
	Client ClientScope `yaml:"client"`
	// Needs adds to the capabilities that are derived from what is used.
	Needs []Capability `yaml:"needs"`
	// Run is alone for a contract so heavy that nothing may run beside it.
	Run RunMode `yaml:"run"`

	// Policy is the retry settings that the client is opened with.
	Policy Policy `yaml:"policy"`
	// Calls are made in their order, each when the one before it has returned.
	Calls []Call `yaml:"calls"`
	// Connections is a script of its own, consumed one step an accepted
	// connection: what it strikes is an attempt and takes no step of the script.
	Connections []faultserver.Step `yaml:"connections"`
	// Script is consumed one step an attempt.
	Script []faultserver.Step `yaml:"script"`
	// AfterScript says what happens to attempts beyond the script's end; fail
	// unless said.
	AfterScript faultserver.AfterScript `yaml:"after-script"`
	// Match says which requests are attempts; all unless said.
	Match faultserver.Match `yaml:"match"`
	// Otherwise is the answer to requests that do not match; 404 unless said.
	Otherwise *faultserver.Answer `yaml:"otherwise"`
	// Watch is how long to look for late attempts after the last return; left
	// out (nil), it is twice the longest policy delay, at most 2 s.
	Watch *time.Duration `yaml:"watch"`

	// Premise is what must happen before the rule can be judged.
	Premise Expectations `yaml:"premise"`
	// Expect is the rule.
	Expect Expectations `yaml:"expect"`
	// Also counts when it fails, and may go unobserved.
	Also Expectations `yaml:"also"`
	// Observe lists what a contract of level observe reports.
	Observe []string `yaml:"observe"`

	// Source is where the contract was read, for messages; not part of the format.
	Source Source `yaml:"-"`
}

// Area is the part of the id before the first dot.
func (c *Contract) Area() string { return area(c.ID) }

// Level is how strong a rule is.
type Level string

// The levels.
const (
	// Must: who breaks it fails.
	Must Level = "must"
	// Should: who breaks it is weak.
	Should Level = "should"
	// Observe: reported and never judged.
	Observe Level = "observe"
)

// Basis is what a rule rests on.
type Basis string

// The bases. A must needs one of the first three; practice goes no higher than
// should.
const (
	// Standard: an RFC or a draft says so.
	Standard Basis = "standard"
	// Safety: otherwise data is lost, doubled or corrupted, or the caller hangs.
	Safety Basis = "safety"
	// Promise: the client declares it, or was told to by the policy.
	Promise Basis = "promise"
	// Practice: good practice with a named source.
	Practice Basis = "practice"
)

// Cite is a source of a rule.
type Cite struct {
	// Doc is the document, such as "RFC 9110".
	Doc string `yaml:"doc" json:"doc"`
	// Section is the place in it, such as "9.2.2".
	Section string `yaml:"section" json:"section,omitempty"`
	// Strength is the source's own word; empty where it describes rather than requires.
	Strength Strength `yaml:"strength" json:"strength,omitempty"`
	// URL is where to read it.
	URL string `yaml:"url" json:"url,omitempty"`
}

// Strength is a requirement word of RFC 2119.
type Strength string

// The requirement words.
const (
	StrengthMust        Strength = "MUST"
	StrengthMustNot     Strength = "MUST NOT"
	StrengthShould      Strength = "SHOULD"
	StrengthShouldNot   Strength = "SHOULD NOT"
	StrengthRecommended Strength = "RECOMMENDED"
	StrengthMay         Strength = "MAY"
)

// ServerKind is what the contract's server speaks.
type ServerKind struct {
	// Protocol is "plain" (the default), "tls", "h2" or "h2c".
	Protocol Protocol `yaml:"protocol"`
	// SecondHost adds a listener on another address.
	SecondHost bool `yaml:"second-host"`
}

// Protocol is a wire protocol.
type Protocol string

// The protocols; the zero value is Plain.
const (
	// Plain: HTTP/1.1 over TCP.
	Plain Protocol = "plain"
	// TLS: HTTP/1.1 over TLS.
	TLS Protocol = "tls"
	// H2: HTTP/2 over TLS.
	H2 Protocol = "h2"
	// H2C: HTTP/2 over TCP.
	H2C Protocol = "h2c"
)

// ClientScope is how long a client lives.
type ClientScope string

// The scopes; the zero value is FreshClient.
const (
	// FreshClient opens one client a call.
	FreshClient ClientScope = "fresh"
	// SharedClient opens one client for all calls.
	SharedClient ClientScope = "shared"
)

// RunMode is how a contract runs beside others.
type RunMode string

// The run modes; the zero value runs beside others.
const (
	RunBeside RunMode = ""
	// RunAlone: no other contract runs at the same time.
	RunAlone RunMode = "alone"
)

// A Capability is something that a client can do or be told.
type Capability string

// The capabilities: a closed list.
const (
	CanRetry Capability = "retry"
	// CanAttempts and CanBackoff: the client can be told how many attempts it
	// may make, and how long to pause.
	CanAttempts       Capability = "attempts"
	CanBackoff        Capability = "backoff"
	CanTimeout        Capability = "timeout"         // of a whole call
	CanAttemptTimeout Capability = "attempt-timeout" // of one attempt
	CanMethod         Capability = "method"
	CanHeaders        Capability = "headers"
	CanRequestBody    Capability = "request-body"
	CanStreamedBody   Capability = "streamed-body"
	CanCancel         Capability = "cancel"
	CanShared         Capability = "shared"
	CanParallel       Capability = "parallel"
	CanStatus         Capability = "status"
	CanErrorKind      Capability = "error-kind"
	CanResponseBody   Capability = "response-body"
	CanIdempotencyKey Capability = "idempotency-key"
	CanBreaker        Capability = "breaker"
	CanBudget         Capability = "budget"
	CanHedge          Capability = "hedge"
	CanTLS            Capability = "tls"
	CanHTTP2          Capability = "http2"
)

func area(id string) string {
	name, _, _ := strings.Cut(id, ".")
	return name
}
