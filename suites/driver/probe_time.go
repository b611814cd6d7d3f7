package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

const (
	// shortDeadline is the deadline that a call, or an attempt, is given on a
	// server that says nothing.
	shortDeadline = 500 * time.Millisecond
	// earliest is when it may end a call: timers of some runtimes have whole
	// milliseconds, and count from the one that has begun.
	earliest = shortDeadline - 20*time.Millisecond
	// promptly is how soon after its deadline or its cancellation a call has to
	// return: far above what a busy machine adds (427 ms at worst, at 200 calls
	// side by side), and below every limit of a library's own.
	promptly = 3 * time.Second
)

// silent is a server that takes a request and says nothing.
var silent = faultserver.Step{Act: faultserver.Stall{}}

// pending is a call that is being made.
type pending struct {
	session *faultserver.Session
	client  *client
	cancel  context.CancelFunc
	came    chan came
	began   time.Time
}

// came is what came of a call.
type came struct {
	result result
	err    error
	after  time.Duration
}

// begin starts a call to a server that says nothing.
func (p *prober) begin(policy scenarios.Policy, deadline time.Duration) (*pending, error) {
	session, err := p.server([]faultserver.Step{silent})
	if err != nil {
		return nil, err
	}
	c, ok := p.open(policy)
	if !ok {
		return nil, session.Close()
	}
	ctx, cancel := context.WithCancel(p.ctx)
	call := &pending{session: session, client: c, cancel: cancel, came: make(chan came, 1), began: time.Now()}
	request := suites.Request{Method: "GET", URL: session.CallURL(callToken, "/check"), Timeout: deadline}
	go func() {
		got, err := c.ask(ctx, request, nil)
		call.came <- came{got, err, time.Since(call.began)}
	}()
	return call, nil
}

// end ends the call's server, and with it the call, whatever the driver does.
func (c *pending) end() error {
	err := c.session.Close()
	c.cancel()
	return err
}

// await waits for the call's result for so long. It is false, with a finding,
// where none came.
func (p *prober) await(call *pending, atMost time.Duration, expected, do string) (came, bool) {
	timer := time.NewTimer(atMost)
	defer timer.Stop()
	select {
	case got := <-call.came:
		return got, true
	case <-timer.C:
		p.find(expected, fmt.Sprintf("no result %v later", atMost), do)
		return came{}, false
	}
}

// probeTimeout looks whether the call's deadline ends it.
func probeTimeout(p *prober) error {
	return p.mustTimeOut(plainPolicy(1), shortDeadline, "deadline_ms", "timeout",
		"end the call at deadline_ms, pauses and all attempts included")
}

// probeAttemptTimeout looks whether the policy's timeout ends an attempt.
func probeAttemptTimeout(p *prober) error {
	policy := plainPolicy(1)
	policy.Timeouts = &scenarios.Timeouts{Attempt: shortDeadline}
	return p.mustTimeOut(policy, 0, "timeouts.attempt_ms", "attempt-timeout",
		"give the library the policy's timeout of an attempt at open")
}

func (p *prober) mustTimeOut(policy scenarios.Policy, deadline time.Duration, field, capability, do string) error {
	call, err := p.begin(policy, deadline)
	if call == nil {
		return err
	}
	expected := fmt.Sprintf("the end of a call to a silent server by %s, %v", field, shortDeadline)
	got, ok := p.await(call, shortDeadline+promptly, expected, do+", or take "+capability+" out of hello")
	if err := call.end(); err != nil || !ok {
		return err
	}
	outcome, ok := p.look(got.result, got.err)
	if !ok {
		return nil
	}
	if got.after < earliest {
		p.find(expected, fmt.Sprintf("%s after %v", outcomeText(outcome), got.after.Round(time.Millisecond)), field+" is in milliseconds")
	} else {
		p.mustBeKind("a call that ran out of time", outcome, scenarios.ErrTimeout)
	}
	p.close(call.client)
	return nil
}

// probeCancel looks whether a cancelled call returns, and whether a
// cancellation that comes too late does any harm.
func probeCancel(p *prober) error {
	call, err := p.begin(plainPolicy(1), 0)
	if call == nil {
		return err
	}
	if !p.awaitArrival(call) {
		return call.end()
	}
	call.cancel()
	got, ok := p.await(call, promptly, "a result soon after the call was cancelled",
		"read messages while calls are being made, and cancel the call as its caller would; or take cancel out of hello")
	if err := call.end(); err != nil || !ok {
		return err
	}
	outcome, ok := p.look(got.result, got.err)
	if !ok {
		return nil
	}
	p.mustBeKind("a call that its caller cancelled", outcome, scenarios.ErrCanceled)
	p.close(call.client)
	if err := p.talking.say(cancelMessage{Type: typeCancel, Seq: got.result.Seq}); err != nil {
		return err
	}
	return probePlainCall(p) // it tells what came of the late cancellation
}

// awaitArrival waits until the call's request has come. It is false, with a
// finding, where none does.
func (p *prober) awaitArrival(call *pending) bool {
	ctx, cancel := context.WithTimeout(p.ctx, p.subject.options.CallTimeout)
	defer cancel()
	_, err := call.session.Await(ctx, callToken, faultserver.Moment{Attempt: 1, Event: faultserver.Arrived})
	if err != nil && p.ctx.Err() == nil {
		p.find("a request", fmt.Sprintf("none within %v", p.subject.options.CallTimeout), "send the call to its url")
	}
	return err == nil
}
