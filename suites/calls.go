package suites

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// endGrace is how long a client may take to return once its context has ended,
// before it is left behind. A client that only has to unwind returns in
// microseconds; a process that ignores SIGTERM is killed after 500 ms.
const endGrace = 3 * time.Second

// startPatience is how long a call waits for the moment it starts after. The
// longest that the catalogue waits for is 2 s after a call's return.
const startPatience = 5 * time.Second

// schedule makes the calls of one contract.
type schedule struct {
	session     *faultserver.Session
	clients     *clientPool
	contract    *scenarios.Contract
	callTimeout time.Duration
	policy      scenarios.Policy
	// ownRequests tells that the client chooses its requests itself.
	ownRequests bool
	// kind is the client's (Profile.Kind).
	kind string

	mu      sync.Mutex
	records []assertions.CallRecord
	// fault is why the client could not be run; late why the harness could not
	// keep a moment.
	fault, late string
}

// run makes the calls in order, and the repeats of one side by side where it
// says so. It gives the calls as they were made, and why the harness or the
// client could not do its part, empty when it could.
func (s *schedule) run(ctx context.Context) (records []assertions.CallRecord, harness, client string) {
	for _, call := range s.contract.Calls {
		tokens := call.Tokens()
		if call.After != nil {
			s.awaitStart(ctx, tokens[0], *call.After)
		}
		queue := make(chan string)
		var working sync.WaitGroup
		for range min(call.Parallel, len(tokens)) {
			working.Go(func() {
				for token := range queue {
					s.make(ctx, call, token)
				}
			})
		}
		for _, token := range tokens {
			queue <- token
		}
		close(queue)
		working.Wait()
		if ctx.Err() != nil || s.failed() {
			break
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.records, s.late, s.fault
}

// awaitStart waits for the moment after which a call is made. A moment that
// does not come, since the client did not make the attempt that it hangs on,
// leaves its step unmet; the call is made all the same.
func (s *schedule) awaitStart(ctx context.Context, token string, moment faultserver.Moment) {
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	_, _ = s.session.Await(ctx, token, moment)
}

// failed tells whether going on would prove nothing.
func (s *schedule) failed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.late != "" || s.fault != ""
}

// make makes one call with its client and records it.
func (s *schedule) make(ctx context.Context, call scenarios.Call, token string) {
	if ctx.Err() != nil {
		return
	}
	record := assertions.CallRecord{Token: token, Name: call.Name, Method: call.Method, Path: call.Path, BodyFromFirst: s.ownRequests}
	if call.Body != nil {
		record.Body = *call.Body
	}
	client, err := s.clients.take()
	if err != nil {
		s.noteFault(fmt.Sprintf("call %s: open the client: %v", token, err))
		return
	}

	callCtx, cancel := context.WithCancel(ctx)
	defer cancel()
	cancelled := s.cancelAt(callCtx, call, token, cancel)
	request := Request{
		Call: token, Method: call.Method, URL: s.session.CallURL(token, call.Path),
		Headers: call.Headers, Body: call.Body, Timeout: call.Timeout,
	}
	record.Started = s.session.Elapsed()
	s.session.Start(token)
	record.Outcome, record.EndedAt = s.do(callCtx, cancel, client, request, token)
	record.Returned = s.session.Elapsed()
	s.session.Return(token)
	cancel()
	if at := <-cancelled; at <= record.Returned {
		record.Cancelled = at // one that was given later has interrupted nothing
	}
	if ctx.Err() == nil && s.neverRan(record) { // else it was killed with its contract
		record.Outcome = scenarios.Outcome{
			Kind: scenarios.ClientErrorOutcome, Starved: record.Outcome.Starved, Error: record.Outcome.Error,
			Note: "it ended in an error before it had sent anything: " + record.Outcome.Error.Message,
		}
	}
	if record.Outcome.Kind == scenarios.ClientErrorOutcome {
		s.noteFault(fmt.Sprintf("call %s: %s", token, record.Outcome.Note))
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.records = append(s.records, record)
}

// cancelAt cancels the call at the moment it asks for. The channel gives the
// time at which it did, 0 when it did not.
func (s *schedule) cancelAt(ctx context.Context, call scenarios.Call, token string, cancel context.CancelFunc) <-chan time.Duration {
	at := make(chan time.Duration, 1)
	if call.Cancel == nil {
		at <- 0
		return at
	}
	go func() {
		due, err := s.session.Await(ctx, token, *call.Cancel)
		if err != nil {
			at <- 0
			return
		}
		now := s.session.Elapsed()
		cancel()
		if late, bearable := now-due, s.bearableLateness(*call.Cancel); late > bearable {
			s.noteLate(fmt.Sprintf("call %s: its cancellation was due at %v and given %v late (at most %v is tolerated): the machine is too busy to judge",
				token, due, late, bearable))
		}
		at <- now
	}()
	return at
}

// bearableLateness is how late a cancellation may be given, so that it still
// comes where it was meant to: half of what is left of the pause that it shall
// interrupt, or, while an attempt is in flight, of the time that the client
// gives an attempt. With less than 100 ms nothing could be judged on a machine
// that does anything else.
func (s *schedule) bearableLateness(cancel faultserver.Moment) time.Duration {
	room := s.policy.LongestDelay()
	if cancel.Event == faultserver.Arrived {
		room = s.callTimeout
		if timeouts := s.policy.Timeouts; timeouts != nil && timeouts.Attempt > 0 {
			room = timeouts.Attempt
		}
	}
	return max((room-cancel.Plus)/2, 100*time.Millisecond)
}

// do asks the client, and ends it after its deadline; endedAt is when it did, or 0.
func (s *schedule) do(ctx context.Context, cancel context.CancelFunc, client Client, request Request, token string) (result scenarios.Outcome, endedAt time.Duration) {
	returned := make(chan scenarios.Outcome, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				returned <- scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: fmt.Sprintf("the client panicked: %v", fault)}
			}
		}()
		returned <- client.Do(ctx, request)
	}()
	deadline := time.NewTimer(s.callTimeout)
	defer deadline.Stop()
	select {
	case outcome := <-returned:
		return outcome, 0
	case <-deadline.C:
	case <-ctx.Done():
		// Cancelled by the contract, or the run is cut short: the client has its
		// whole deadline to return, and is judged by when it does.
		select {
		case outcome := <-returned:
			return outcome, 0
		case <-deadline.C:
		}
	}
	endedAt = s.session.Elapsed()
	cancel()
	grace := time.NewTimer(endGrace)
	defer grace.Stop()
	ended := fmt.Sprintf("the call did not return within %v and was ended", s.callTimeout)
	var note string
	var starved time.Duration
	select {
	case outcome := <-returned:
		note, starved = outcome.Note, outcome.Starved
	case <-grace.C:
		note = fmt.Sprintf("the client was still running %v later", endGrace)
	}
	if !s.attempted(token) {
		return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: ended + "; it had sent no attempt"}, endedAt
	}
	return scenarios.Outcome{
		Kind: scenarios.ErrorOutcome, Note: note, Starved: starved,
		Error: &scenarios.OutcomeError{Kind: scenarios.ErrTimeout, Message: ended},
	}, endedAt
}

// neverRan tells that a command failed before it reached the server, though
// that took every connection: a program that lacks a library, or an option that
// it does not know, says nothing of how a client retries.
func (s *schedule) neverRan(record assertions.CallRecord) bool {
	refuses := slices.ContainsFunc(s.contract.Connections, func(step faultserver.Step) bool {
		_, passes := step.Act.(faultserver.Untouched)
		return !passes
	})
	return s.kind == "exec" && !refuses && record.Outcome.Kind == scenarios.ErrorOutcome && record.Outcome.Error != nil &&
		!s.attempted(record.Token)
}

// attempted tells whether the server has seen an attempt of the call.
func (s *schedule) attempted(token string) bool {
	for _, attempt := range s.session.Journal().Attempts {
		if attempt.Call == token {
			return true
		}
	}
	return false
}

func (s *schedule) noteFault(fault string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fault == "" {
		s.fault = fault
	}
}

func (s *schedule) noteLate(late string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.late == "" {
		s.late = late
	}
}
