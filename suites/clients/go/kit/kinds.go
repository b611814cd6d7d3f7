package kit

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"syscall"
)

// failure is an error as a result tells it.
type failure struct {
	Kind       string   `json:"kind"`
	Message    string   `json:"message"`
	Chain      []string `json:"chain,omitempty"`
	LastStatus int      `json:"last_status,omitempty"`
}

// explain tells an error by what a caller can find in it: the library's own kinds,
// which say why the call ended, and then those of the standard library.
func explain(err error, status int, own func(error) []string) *failure {
	var kinds []string
	if own != nil {
		kinds = own(err)
	}
	for _, known := range standard {
		if known.is(err) && !slices.Contains(kinds, known.kind) {
			kinds = append(kinds, known.kind)
		}
	}
	if len(kinds) == 0 {
		kinds = []string{"other"}
	}
	return &failure{Kind: kinds[0], Chain: kinds[1:], Message: err.Error(), LastStatus: status}
}

// standard are the kinds of the errors of net/http and of what it is made of: why
// the call ended before what happened to its connection.
var standard = []struct {
	kind string
	is   func(error) bool
}{
	{"canceled", func(err error) bool { return errors.Is(err, context.Canceled) }},
	{"timeout", func(err error) bool {
		timeout := net.Error(nil)
		return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) ||
			errors.As(err, &timeout) && timeout.Timeout()
	}},
	{"connect", func(err error) bool {
		op := (*net.OpError)(nil)
		return errors.As(err, &op) && op.Op == "dial"
	}},
	{"reset", func(err error) bool { return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) }},
	{"truncated", func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	// net/http has no more than EOF, or these words, for a connection that ended
	// before the answer.
	{"reset", func(err error) bool {
		return errors.Is(err, io.EOF) || strings.Contains(err.Error(), "server closed idle connection")
	}},
	// For what is no HTTP it has only these words.
	{"protocol", func(err error) bool { return strings.Contains(err.Error(), "malformed") }},
}
