package faultserver

import "time"

// An Act is what a step does on the wire. The acts are the types of this
// package that implement it; each is in a file of its own.
type Act interface {
	// ActName is the act's name in scripts and reports, such as "reset".
	ActName() string
}

// Respond answers with a status, headers and a body. At request-head or
// request-body@N the answer is an early one: it is sent before the request has
// been read, and the connection is then closed with care, so that a client
// that is still sending can read it.
type Respond struct {
	Answer `yaml:",inline"`
}

// Succeed gives the answer that the client under test takes as success: the
// session's Config.Success.
type Succeed struct{}

// Reset ends the connection with RST at the step's point. At response-head and
// response-body@N it first sends that part of Answer, and waits until the peer
// has acknowledged it.
type Reset struct {
	// Answer is what is being sent when the reset strikes at a response point;
	// the zero value is a 200 with a body longer than the point asks for.
	Answer Answer `yaml:"answer"`
}

// Close ends the connection with FIN at the step's point, unread request bytes
// being read first, so that it is a FIN and not a RST.
type Close struct {
	// Answer is as in Reset.
	Answer Answer `yaml:"answer"`
	// Half closes only the server's sending side and goes on reading until the
	// client closes, for 10 s at most.
	Half bool `yaml:"half"`
}

// Stall is silent at the step's point.
type Stall struct {
	// For is how long; 0 means until the client leaves (60 s at most). After it
	// the attempt is answered as Succeed where nothing was sent yet, and the
	// answer is completed where a part was.
	For time.Duration `yaml:"for"`
	// Answer is as in Reset.
	Answer Answer `yaml:"answer"`
}

// Truncate declares a whole answer and sends only a part of its body.
type Truncate struct {
	// After is how many body bytes are sent.
	After Size `yaml:"after"`
	// Answer is the answer that is declared. Without a body it gets one of
	// twice After (at least 1,000 bytes).
	Answer Answer `yaml:"answer"`
	// End is how it ends after those bytes: "fin" (the default), "rst" or "stall".
	End EndKind `yaml:"end"`
	// Cut is where a chunked answer is cut: "inside-chunk" (the default),
	// "between-chunks" or "before-last-crlf". It needs chunked framing.
	Cut CutKind `yaml:"cut"`
}

// EndKind is how a connection is ended.
type EndKind string

// The ways to end a connection.
const (
	EndFIN   EndKind = "fin"
	EndRST   EndKind = "rst"
	EndStall EndKind = "stall"
)

// CutKind is where in chunked framing an answer is cut.
type CutKind string

// The cuts of a chunked answer.
const (
	CutInsideChunk    CutKind = "inside-chunk"
	CutBetweenChunks  CutKind = "between-chunks"
	CutBeforeLastCRLF CutKind = "before-last-crlf"
)

// Redirect answers with a Location that keeps the call's token.
type Redirect struct {
	// Status is 301, 302, 303, 307 or 308; 0 means 302.
	Status int `yaml:"status"`
	// To is the path of the target; empty is the request's own path.
	To string `yaml:"to"`
	// RetryAfter is sent with it where set.
	RetryAfter *RetryAfter `yaml:"retry-after"`
}

// Stale answers, promises keep-alive, and then ends the idle connection.
type Stale struct {
	// Answer is the answer; a zero status is the session's success answer.
	Answer Answer `yaml:"answer"`
	// After is how long the connection idles before it is ended; 0 means at once
	// after the answer has been acknowledged.
	After time.Duration `yaml:"after"`
	// End is "fin" (the default) or "rst".
	End EndKind `yaml:"end"`
}

// Refuse is an entry of a connection script: a window in which the listener is
// closed, so that a SYN is answered by RST. It counts no attempt: its proof is
// the listener's receipt (a [Window] in the journal) and what the client says.
type Refuse struct {
	// For is the window's length; 0 means until the session's end.
	For time.Duration `yaml:"for"`
}

// AcceptHang is an entry of a connection script: the connection is accepted
// and never read, until the client leaves or For has passed.
type AcceptHang struct {
	// For is how long; 0 means until the client leaves (60 s at most). Then the
	// connection is closed.
	For time.Duration `yaml:"for"`
}

// Untouched is the entry "pass" of a connection script: this connection is
// served like any other.
type Untouched struct{}

// Unbuilt is an act of the vocabulary that this version can parse and not
// perform. A script with one is refused when it is opened, by name.
type Unbuilt struct {
	Name string
}

// ActName implements Act.
func (Respond) ActName() string    { return "respond" }
func (Succeed) ActName() string    { return "succeed" }
func (Reset) ActName() string      { return "reset" }
func (Close) ActName() string      { return "close" }
func (Stall) ActName() string      { return "stall" }
func (Truncate) ActName() string   { return "truncate" }
func (Redirect) ActName() string   { return "redirect" }
func (Stale) ActName() string      { return "stale" }
func (Refuse) ActName() string     { return "refuse" }
func (AcceptHang) ActName() string { return "accept-hang" }
func (Untouched) ActName() string  { return "pass" }
func (u Unbuilt) ActName() string  { return u.Name }

// UnbuiltActs are the names of the vocabulary that parse and are not built yet.
var UnbuiltActs = []string{
	"bandwidth", "capacity", "connect-hang", "dribble", "expect-continue", "flap",
	"h2-data", "h2-goaway", "h2-ping", "h2-reset", "h2-settings", "h2-window",
	"malformed", "outage", "ramp", "raw", "slow-read", "throttle", "tls",
}
