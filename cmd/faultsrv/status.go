package main

import (
	"errors"
	"fmt"
)

// The exit statuses that are not a verdict; those of a run's verdict are in
// reports, and mean the same.
const (
	statusDone = 0
	// statusUsage: the arguments, a contract or a list is wrong, and nothing was
	// judged.
	statusUsage = 2
	// statusCouldNotRun: what was asked for is right, and could not be done.
	statusCouldNotRun = 3
)

// statusError ends the command with a status. Any other error is about what
// was asked for and ends it with statusUsage.
type statusError struct {
	status int
	// cause is what to say; nil where everything has been said.
	cause error
}

func (e statusError) Error() string {
	if e.cause == nil {
		return fmt.Sprintf("exit status %d", e.status)
	}
	return e.cause.Error()
}

func (e statusError) Unwrap() error { return e.cause }

// couldNotRun is an error that the user's words are not to blame for.
func couldNotRun(cause error) error { return statusError{statusCouldNotRun, cause} }

// endWith ends the command with a status without a further word.
func endWith(status int) error {
	if status == statusDone {
		return nil
	}
	return statusError{status: status}
}

// conclude is the exit status that a command's error means, and what is left to
// say; empty for nothing.
func conclude(err error) (status int, message string) {
	if err == nil {
		return statusDone, ""
	}
	var ended statusError
	if !errors.As(err, &ended) {
		return statusUsage, err.Error()
	}
	if ended.cause == nil {
		return ended.status, ""
	}
	return ended.status, err.Error()
}
