package driver

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// ProtocolVersion is the version of the protocol that is spoken here; docs/protocol.md
// is its reference.
const ProtocolVersion = 1

// MaxLine is how long a message may be, in bytes, its line's end included. A
// result names a body by hash and length, so that the longest message is one
// with many header lines; net/http takes 1 MiB of them by default.
const MaxLine = 1 << 20

// The types of the messages.
const (
	typeHello  = "hello"
	typeOpen   = "open"
	typeOpened = "opened"
	typeRun    = "run"
	typeResult = "result"
	typeCancel = "cancel"
	typeClose  = "close"
	typeClosed = "closed"
)

// fromDriver are the types of the messages that a driver sends.
var fromDriver = []string{typeHello, typeOpened, typeResult, typeClosed}

// hello is a driver's first message: who it is and what it can do.
type hello struct {
	Protocol int `json:"protocol"`
	Client   struct {
		Name     string `json:"name"`
		Version  string `json:"version"`
		Language string `json:"language"`
	} `json:"client"`
	Capabilities []string    `json:"capabilities"`
	Promises     *wirePolicy `json:"promises"`
	// MaxParallel is how many calls the driver makes at the same time; 0 means
	// as many as it is asked for.
	MaxParallel int `json:"max_parallel"`
}

// openMessage asks for a client with a policy.
type openMessage struct {
	Type   string     `json:"type"`
	Client int64      `json:"client"`
	Policy wirePolicy `json:"policy"`
	// CAFile is a PEM file with the authorities that the client is to trust; it is
	// there where the calls are made over TLS.
	CAFile string `json:"ca_file,omitempty"`
}

// opened answers open. With neither text the client is there.
type opened struct {
	Client int64 `json:"client"`
	// Unsupported is why the client cannot follow this policy, and Error why it
	// could not be opened.
	Unsupported string `json:"unsupported"`
	Error       string `json:"error"`
}

// closeMessage asks for the end of a client.
type closeMessage struct {
	Type   string `json:"type"`
	Client int64  `json:"client"`
}

// closed answers close.
type closed struct {
	Client int64 `json:"client"`
	// Error is why the client could not be closed.
	Error string `json:"error"`
}

// runMessage asks for a call.
type runMessage struct {
	Type    string      `json:"type"`
	Seq     int64       `json:"seq"`
	Client  int64       `json:"client"`
	URL     string      `json:"url"`
	Method  string      `json:"method"`
	Headers [][2]string `json:"headers"`
	Body    *wireBody   `json:"body,omitempty"`
	// DeadlineMS is the caller's deadline for the whole call; none where it is
	// missing (0).
	DeadlineMS milliseconds `json:"deadline_ms,omitempty"`
}

// wireBody is a request's body: in a file, which every language can read.
type wireBody struct {
	File   string `json:"file"`
	Length int64  `json:"length"`
	SHA256 string `json:"sha256"`
	// Stream asks that the client is given a source that can be read only once.
	Stream bool `json:"stream"`
}

// cancelMessage cancels a call as its caller would; its result still comes.
type cancelMessage struct {
	Type string `json:"type"`
	Seq  int64  `json:"seq"`
}

// result is what became of a call.
type result struct {
	Seq        int64      `json:"seq"`
	Outcome    string     `json:"outcome"`
	Status     int        `json:"status"`
	Headers    [][]string `json:"headers"`
	BodySHA256 string     `json:"body_sha256"`
	BodyLength int64      `json:"body_length"`
	Error      *wireError `json:"error"`
	// Reason is why a call is unsupported.
	Reason    string       `json:"reason"`
	Attempts  int          `json:"attempts"`
	ElapsedMS milliseconds `json:"elapsed_ms"`
}

// wireError is the error that the caller got.
type wireError struct {
	Kind       string   `json:"kind"`
	Message    string   `json:"message"`
	Chain      []string `json:"chain"`
	LastStatus int      `json:"last_status"`
}

// milliseconds is a duration as the messages have it: a number with a fraction.
type milliseconds float64

func inMilliseconds(d time.Duration) milliseconds {
	return milliseconds(float64(d) / float64(time.Millisecond))
}

// duration saturates, so that the longest durations stay positive.
func (ms milliseconds) duration() time.Duration {
	nanoseconds := float64(ms) * float64(time.Millisecond)
	if nanoseconds >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(math.Round(nanoseconds))
}

// encode is a message as a line.
func encode(message any) ([]byte, error) {
	line, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", message, err)
	}
	return append(line, '\n'), nil
}
