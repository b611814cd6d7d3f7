package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// invocation is what the command was called with.
type invocation struct {
	args []string
	// env reads an environment variable; empty where it is not set.
	env func(name string) string
}

// run is the whole command as a function of what it is given: it does what the
// arguments say and returns the exit status.
func run(args []string, env func(string) string, stdin io.Reader, stdout, stderr io.Writer) int {
	surviveBrokenPipes()
	ctx, release := untilSignal(context.Background(), stderr)
	defer release()

	root := newRoot(invocation{args, env})
	root.SetArgs(notNil(args)) // cobra takes nil for the arguments of the process
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	status, message := conclude(root.ExecuteContext(ctx))
	if message != "" {
		_, _ = fmt.Fprintf(stderr, "faultsrv: %s\n", harmless(message)) // the status says it too
	}
	return status
}

// surviveBrokenPipes has a write to an output that nobody reads any more fail, as
// others do, in the place of ending the process: a ready file would be left, and
// results half written. The signal is caught and not ignored, since the processes
// that we start would inherit that.
func surviveBrokenPipes() {
	unread := make(chan os.Signal, 1)
	signal.Notify(unread, syscall.SIGPIPE)
}

// untilSignal is a context that ends with the first SIGINT, SIGTERM or SIGHUP,
// which is then its cause: a terminal that is closed must not leave the processes
// of a command behind. One that is to be ignored, as under nohup, is. From there on the signals do what they do by default, so that
// a second one ends the process at once, whatever it is busy with.
func untilSignal(parent context.Context, stderr io.Writer) (ctx context.Context, release func()) {
	ctx, cancel := context.WithCancelCause(parent)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	go func() {
		select {
		case got := <-signals:
			signal.Stop(signals)
			cause := signalError{got}
			// On a line of its own: the cursor may stand behind a progress line.
			_, _ = fmt.Fprintf(stderr, "\nfaultsrv: %v: coming to an end; a second one ends it at once\n", cause)
			cancel(cause)
		case <-ctx.Done():
			signal.Stop(signals)
		}
	}()
	return ctx, func() { cancel(nil) }
}

// signalError is the signal that a context was ended by.
type signalError struct{ signal os.Signal }

func (e signalError) Error() string {
	switch e.signal {
	case os.Interrupt:
		return "got SIGINT"
	case syscall.SIGTERM:
		return "got SIGTERM"
	case syscall.SIGHUP:
		return "got SIGHUP"
	default:
		return fmt.Sprintf("got the signal %v", e.signal)
	}
}
