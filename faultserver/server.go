package faultserver

import (
	"fmt"
	"strings"
)

// TB is what New needs of a test: *testing.T, *testing.B and GinkgoT() have it.
type TB interface {
	Helper()
	Cleanup(func())
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A Server is a session for the length of a test.
type Server struct {
	// URL is the base URL, without a slash at its end.
	URL string

	session *Session
	tb      TB
	options options
}

// New starts a server with a script, given as one line ("503x2,reset,200") or
// as steps, on a free port of 127.0.0.1. It fails the test at once for a script
// that cannot be performed.
//
// When the test ends the server is closed, and the test fails for a step that
// was not met and for an attempt beyond the script. Options turn either off.
func New[S string | []Step](tb TB, script S, opts ...Option) *Server {
	tb.Helper()
	var steps []Step
	switch script := any(script).(type) {
	case []Step:
		steps = script
	case string:
		var err error
		if steps, err = ParseScript(script); err != nil {
			tb.Fatalf("faultserver: %v", err)
			return nil
		}
	}
	server := &Server{tb: tb, options: options{config: Config{Script: steps}}}
	for _, option := range opts {
		option.apply(&server.options)
	}
	session, err := Open(server.options.config)
	if err != nil {
		tb.Fatalf("faultserver: %v", err)
		return nil
	}
	server.session, server.URL = session, session.URL()
	tb.Cleanup(server.check)
	return server
}

// Journal is the record up to now; see [Session.Journal].
func (s *Server) Journal() Journal { return s.session.Journal() }

// Session is the session behind the server.
func (s *Server) Session() *Session { return s.session }

// Close ends the server before the test does; see [Session.Close]. The test
// still fails at its end for what is missing or too much.
func (s *Server) Close() {
	if err := s.session.Close(); err != nil {
		s.tb.Errorf("faultserver: close: %v", err)
	}
}

// check closes the server and fails the test for what the script did not see.
func (s *Server) check() {
	s.tb.Helper()
	s.Close()
	journal := s.Journal()
	saw := "the server saw " + summary(journal)
	if !s.options.unmet {
		for _, step := range journal.Unmet {
			s.tb.Errorf("faultserver: not met: %s; %s (WithUnmetSteps allows it)", step, saw)
		}
	}
	if !s.options.extra {
		s.checkExtra(journal, saw)
	}
	if journal.Dropped > 0 {
		s.tb.Errorf("faultserver: %d journal entries were dropped; raise Config.MaxAttempts", journal.Dropped)
	}
}

// mostListed is how many attempts a failure lists: a client that retries without
// end made 10,000 lines of them.
const mostListed = 10

// checkExtra fails the test for attempts beyond the script.
func (s *Server) checkExtra(journal Journal, saw string) {
	s.tb.Helper()
	extra := 0
	for _, attempt := range journal.Attempts {
		if !attempt.Step.Unscripted {
			continue
		}
		if extra++; extra <= mostListed {
			s.tb.Errorf("faultserver: attempt %d, %s %s, came after the script's end; %s (WithExtraAttempts allows it)", attempt.Index, attempt.Method, clip(attempt.Target), saw)
		}
	}
	if more := extra - mostListed; more > 0 {
		s.tb.Errorf("faultserver: %d more attempts came after the script's end", more)
	}
}

// summary is one line about a journal's attempts.
func summary(j Journal) string {
	var steps []string
	for _, attempt := range j.Attempts[:min(mostListed, len(j.Attempts))] {
		steps = append(steps, attempt.Step.Text)
	}
	if len(j.Attempts) > mostListed {
		steps = append(steps, "…")
	}
	switch len(j.Attempts) {
	case 0:
		return "no attempt"
	case 1:
		return "1 attempt: " + steps[0]
	}
	return fmt.Sprintf("%d attempts: %s", len(j.Attempts), strings.Join(steps, ", "))
}

// An Option changes what New starts.
type Option interface{ apply(*options) }

type options struct {
	config       Config
	unmet, extra bool
}

type optionFunc func(*options)

func (f optionFunc) apply(o *options) { f(o) }

// WithUnmetSteps lets the test end without every step having been met. By
// default a required step that no attempt met fails it.
func WithUnmetSteps() Option { return optionFunc(func(o *options) { o.unmet = true }) }

// WithExtraAttempts lets attempts come after the script's end; they are
// answered 500. By default they fail the test. It does nothing where
// Config.AfterScript repeats or loops the script.
func WithExtraAttempts() Option { return optionFunc(func(o *options) { o.extra = true }) }

// WithConnections gives the server a connection script, consumed one entry an
// accepted connection. By default every connection is served.
func WithConnections(script ...Step) Option {
	return optionFunc(func(o *options) { o.config.Connections = script })
}

// WithConfig changes the session's config, which by default has the script
// alone. Options are applied in the order they are given.
func WithConfig(change func(*Config)) Option {
	return optionFunc(func(o *options) { change(&o.config) })
}
