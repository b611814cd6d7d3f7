package suites

import (
	"context"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/faultsrv/faultsrv/scenarios"
)

// errorClass recognises one kind of error of Go's standard library.
type errorClass struct {
	kind scenarios.ErrorKind
	is   func(error) bool
}

// errorClasses are in the order of what tells a caller most: why the call
// ended before what the wire did.
var errorClasses = []errorClass{
	{scenarios.ErrCanceled, func(err error) bool { return errors.Is(err, context.Canceled) }},
	{scenarios.ErrTimeout, isTimeout},
	{scenarios.ErrConnect, isConnect},
	{scenarios.ErrReset, func(err error) bool {
		return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || isAborted(err)
	}},
	{scenarios.ErrTruncated, func(err error) bool { return errors.Is(err, io.ErrUnexpectedEOF) }},
	// net/http says EOF, or its own words, when the peer ended the connection
	// before an answer: the connection was lost, as by a reset.
	{scenarios.ErrReset, func(err error) bool {
		return errors.Is(err, io.EOF) || says(err, "server closed idle connection")
	}},
	// net/http has no type for an answer that is not HTTP, only these words.
	{scenarios.ErrProtocol, func(err error) bool { return says(err, "malformed") }},
}

// says tells that there are words in an error's text, beside the URL that was asked,
// which may have any.
func says(err error, words string) bool {
	if asked := (*url.Error)(nil); errors.As(err, &asked) {
		err = asked.Err
	}
	return strings.Contains(err.Error(), words)
}

// ClassifyError tells the kind of an error of net/http: the first kind that it
// matches, and in Chain every further one that a caller can match in it.
func ClassifyError(err error) scenarios.OutcomeError {
	var kinds []scenarios.ErrorKind
	for _, class := range errorClasses {
		if class.is(err) && !slices.Contains(kinds, class.kind) {
			kinds = append(kinds, class.kind)
		}
	}
	if len(kinds) == 0 {
		kinds = []scenarios.ErrorKind{scenarios.ErrOther}
	}
	return scenarios.OutcomeError{Kind: kinds[0], Chain: kinds[1:], Message: err.Error()}
}

func isTimeout(err error) bool {
	if errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded) {
		return true
	}
	var timeout interface{ Timeout() bool }
	return errors.As(err, &timeout) && timeout.Timeout()
}

func isConnect(err error) bool {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return true
	}
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial"
}
