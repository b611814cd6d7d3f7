package main

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"
	"syscall"

	"github.com/faultsrv/faultsrv/resilient"
)

// failure is an error as a result tells it.
type failure struct {
	Kind       string   `json:"kind"`
	Message    string   `json:"message"`
	Chain      []string `json:"chain,omitempty"`
	LastStatus int      `json:"last_status,omitempty"`
}

// causes are the kinds of resilient's reasons to end a call.
var causes = map[resilient.Cause]string{
	resilient.CauseExhausted:     "exhausted",
	resilient.CauseNotReplayable: "not-replayable",
	resilient.CausePermanent:     "permanent",
	resilient.CauseCanceled:      "canceled",
	resilient.CauseDeadline:      "timeout",
	resilient.CauseBudget:        "budget",
}

// failed is the result of a call that got no response.
func failed(err error) result {
	got := result{Outcome: "error", Error: explain(err)}
	if gaveUp := (*resilient.Error)(nil); errors.As(err, &gaveUp) {
		got.Attempts = gaveUp.Attempts
	}
	return got
}

// explain tells why the call ended and, in the chain, what else a caller can
// match in the error.
func explain(err error) *failure {
	f := &failure{Message: err.Error()}
	if gaveUp := (*resilient.Error)(nil); errors.As(err, &gaveUp) {
		f.Kind = causes[gaveUp.Cause]
	}
	if status := (*resilient.StatusError)(nil); errors.As(err, &status) {
		f.LastStatus = status.StatusCode
	}
	for _, kind := range kindsOf(err) {
		if f.Kind == "" {
			f.Kind = kind
		} else if kind != f.Kind {
			f.Chain = append(f.Chain, kind)
		}
	}
	if f.Kind == "" {
		f.Kind = "other"
	}
	return f
}

// kindsOf are the kinds that errors.Is and errors.As find in the error.
func kindsOf(err error) []string {
	var kinds []string
	if errors.Is(err, context.Canceled) {
		kinds = append(kinds, "canceled")
	}
	if timeout := net.Error(nil); errors.Is(err, context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		kinds = append(kinds, "timeout")
	}
	if op := (*net.OpError)(nil); errors.As(err, &op) && op.Op == "dial" {
		kinds = append(kinds, "connect")
	}
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF):
		kinds = append(kinds, "reset")
	case errors.Is(err, io.ErrUnexpectedEOF):
		kinds = append(kinds, "truncated")
	case strings.Contains(err.Error(), "malformed HTTP"):
		kinds = append(kinds, "protocol")
	}
	return kinds
}
