// Package kit speaks the driver protocol for Go programs, so that a driver has
// only what is its library's own: which settings a policy becomes, and how a
// call is made.
//
//	func main() {
//		kit.Main(kit.Library{
//			Name:         "my-client",
//			Module:       "example.com/my-client",
//			Capabilities: kit.Capabilities("retry", "attempts"),
//			Open:         open, // func(kit.Setup) (kit.Client, error)
//		})
//	}
//
// The protocol is docs/protocol.md of faultsrv; of faultsrv itself nothing is
// imported, so that the folder can be copied. The files are the protocol's parts:
// driver.go the conversation, setup.go what a client is opened with, call.go what
// is asked of it, answer.go what came of it, and kinds.go what Go's errors are.
package kit

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// Library is what is judged.
type Library struct {
	// Name is how reports call the client.
	Name string
	// Module is the path of the library's module, such as "example.com/lib/v2",
	// whose version the program was built with is the client's version.
	Module string
	// Version finds the version of a client that is no Go module but a program, which
	// has no language; nil where Module has it.
	Version func() (string, error)
	// Capabilities are the protocol's words for what the client can do or be told.
	Capabilities []string
	// Open makes a client with connections of its own. An error of [Unsupported]
	// says that the library has no setting for the policy; any other, that the
	// client could not be made.
	Open func(Setup) (Client, error)
	// Kinds are the protocol's words for what a caller can tell from the library's
	// own errors, the most telling first; those of the standard library's errors
	// follow them. Nil where the library has none.
	Kinds func(error) []string
}

// Client is a client that was opened with a policy. Its calls are made side by
// side.
type Client interface {
	// Do makes a call as a program would that uses the library, retries included.
	// The context ends at the caller's deadline, or with its cancellation. An error
	// of [Unsupported] says that the library cannot make such a call.
	Do(context.Context, Call) (Answer, error)
	// Close ends its connections; it does not wait for calls.
	Close()
}

// A Preparer is a Client that needs something before it can call a server, such as a
// program. Prepare is called with the URL of each call, before the caller's time begins;
// calls that are made side by side call it so.
type Preparer interface{ Prepare(url string) error }

// prepare prepares a client for a call where that needs to be.
func prepare(client Client, url string) error {
	if preparer, ok := client.(Preparer); ok {
		return preparer.Prepare(url)
	}
	return nil
}

// Capabilities are those of every client that sends requests of net/http with the
// context that it is given, and can be told whom to trust; and some more, which
// the library has settings for.
func Capabilities(more ...string) []string {
	return append([]string{
		"timeout", "cancel", "method", "headers", "request-body", "shared", "parallel", "status",
		"error-kind", "response-body", "tls",
	}, more...)
}

// Without are the capabilities but for some.
func Without(capabilities []string, lacking ...string) []string {
	return slices.DeleteFunc(slices.Clone(capabilities), func(capability string) bool {
		return slices.Contains(lacking, capability)
	})
}

// errUnsupported is found in every error of Unsupported.
var errUnsupported = errors.New("the library has no setting for it")

// Unsupported is the error of a policy, or of a call, that the library cannot be
// told. It says what it lacks.
func Unsupported(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnsupported, fmt.Sprintf(format, args...))
}

// Main is the driver's main: it answers on standard output what comes on
// standard input, and ends the program with status 1 where that is no message.
func Main(library Library) {
	if err := Run(library, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintf(os.Stderr, "the driver of %s: %v\n", library.Name, err)
		os.Exit(1) //nolint:forbidigo // it is called by main and by nothing else
	}
}

// identity is who the client is, as the driver's first message tells it.
func (l Library) identity() (map[string]string, error) {
	if l.Version != nil {
		version, err := l.Version()
		return map[string]string{"name": l.Name, "version": version}, err
	}
	language := "Go " + strings.TrimPrefix(runtime.Version(), "go")
	return map[string]string{"name": l.Name, "version": l.moduleVersion(), "language": language}, nil
}

// moduleVersion is the version of the library's module, without its v. The driver may
// be a part of that module, too.
func (l Library) moduleVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, module := range append(info.Deps, &info.Main) {
		if module.Path == l.Module {
			return strings.TrimPrefix(module.Version, "v")
		}
	}
	return ""
}
