package driver

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

const (
	// unwind is how long, beyond a call's limit, its result is waited for once it
	// was cancelled. The runner leaves a client behind 3 s after the limit.
	unwind = 2 * time.Second
	// closePatience is how long a driver may take to close a client: it has
	// connections to close, not calls to await.
	closePatience = 5 * time.Second
)

// client is one that the driver has opened.
type client struct {
	subject *Subject
	talking *conversation
	number  int64
	policy  scenarios.Policy
	// refused is why the driver cannot follow the policy; empty where it can.
	refused string
}

// open asks for a client, over TLS where there is a file with the authorities
// that it is to trust.
func (s *Subject) open(talking *conversation, policy scenarios.Policy, caFile string) (*client, error) {
	talking.mu.Lock()
	talking.clients++
	c := &client{subject: s, talking: talking, number: talking.clients, policy: policy}
	answer := make(chan opened, 1)
	talking.opening[c.number] = answer
	talking.mu.Unlock()

	if err := talking.say(openMessage{Type: typeOpen, Client: c.number, Policy: toWire(policy), CAFile: caFile}); err != nil {
		return nil, err
	}
	timer := time.NewTimer(s.options.CallTimeout)
	defer timer.Stop()
	select {
	case got := <-answer:
		if got.Error != "" {
			return nil, fmt.Errorf("the driver could not open a client: %s", got.Error)
		}
		c.refused = got.Unsupported
		return c, nil
	case <-talking.broken:
	case <-timer.C:
		talking.fail(&Fault{
			Expected: fmt.Sprintf("opened for client %d within %v", c.number, s.options.CallTimeout),
			Got:      "no such message",
			Do:       "answer each open with opened, also while calls are being made",
		}, 0)
	}
	return nil, fmt.Errorf("driver %q: %w", s.name, talking.fault)
}

// Do implements suites.Client: it asks the driver for the call and awaits its
// result. When the context ends, a driver that can cancel is told so and
// awaited further; one that cannot is left to itself.
func (c *client) Do(ctx context.Context, request suites.Request) scenarios.Outcome {
	if c.refused != "" {
		return scenarios.Outcome{Kind: scenarios.UnsupportedOutcome, Note: "the driver cannot follow the policy: " + c.refused}
	}
	body, err := c.subject.files.of(request)
	if err != nil {
		return broken(err)
	}
	outcome := c.do(ctx, request, body)
	if body != nil {
		// One that a call that was given up still reads is removed at the end.
		_ = os.Remove(body.File)
	}
	return outcome
}

func (c *client) do(ctx context.Context, request suites.Request, body *wireBody) scenarios.Outcome {
	got, err := c.ask(ctx, request, body)
	var hanging *hangingError
	switch {
	case errors.As(err, &hanging):
		return scenarios.Outcome{
			Kind: scenarios.ErrorOutcome, Note: err.Error(),
			Error: &scenarios.OutcomeError{Kind: scenarios.ErrTimeout, Message: err.Error()},
		}
	case err != nil:
		return broken(err)
	default:
		return covered(got.outcome(), c.subject.profile)
	}
}

// A hangingError is a call whose result has not come.
type hangingError struct {
	after time.Duration
	// cancelled is why its caller gave it up; nil where the time was over.
	cancelled error
	can       bool
}

func (e *hangingError) Error() string {
	switch {
	case e.cancelled == nil:
		return fmt.Sprintf("it has not returned within %v", e.after)
	case e.can:
		return fmt.Sprintf("it has not returned within %v, though it was cancelled", e.after)
	default:
		return "it had not returned when its caller gave it up, and the driver cannot cancel"
	}
}

// ask asks the driver for a call and awaits its result. The error is a
// *hangingError where none has come, and else says why none can.
func (c *client) ask(ctx context.Context, request suites.Request, body *wireBody) (result, error) {
	seq, answer := c.talking.expectResult()
	err := c.talking.say(runMessage{
		Type: typeRun, Seq: seq, Client: c.number,
		URL: request.URL, Method: orGet(request.Method), Headers: headerPairs(request.Headers), Body: body,
		DeadlineMS: inMilliseconds(shorter(request.Timeout, total(c.policy))),
	})
	if err != nil {
		return result{}, err
	}
	return c.await(ctx, seq, answer)
}

func (c *client) await(ctx context.Context, seq int64, answer chan result) (result, error) {
	limit := time.NewTimer(c.subject.options.CallTimeout + unwind)
	defer limit.Stop()
	done := ctx.Done()
	for {
		select {
		case got := <-answer:
			return got, nil
		case <-c.talking.broken:
			return result{}, fmt.Errorf("driver %q: %w", c.subject.name, c.talking.fault)
		case <-done:
			if c.subject.profile.Can(scenarios.CanCancel) {
				if err := c.talking.say(cancelMessage{Type: typeCancel, Seq: seq}); err != nil {
					return result{}, err
				}
				done = nil // wait on: it is judged by when it returns
				continue
			}
		case <-limit.C:
		}
		return c.giveUp(seq, answer, ctx.Err())
	}
}

// expectResult numbers a call and says where its result will come.
func (c *conversation) expectResult() (seq int64, answer chan result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.seqs++
	answer = make(chan result, 1)
	c.calls[c.seqs] = answer
	return c.seqs, answer
}

// giveUp stops waiting for a call. A driver that makes no further call, since
// all that it can make at a time hang, is ended.
func (c *client) giveUp(seq int64, answer chan result, why error) (result, error) {
	c.talking.mu.Lock()
	_, waiting := c.talking.calls[seq]
	if waiting {
		delete(c.talking.calls, seq)
		c.talking.givenUp[seq] = c.number
	}
	hanging := len(c.talking.givenUp)
	c.talking.mu.Unlock()
	if !waiting { // it has come just now
		return <-answer, nil
	}
	after := c.subject.options.CallTimeout + unwind
	if most := c.subject.profile.MaxCalls; most > 0 && hanging >= most {
		c.talking.fail(&Fault{
			Expected: fmt.Sprintf("a result of seq %d within %v", seq, after),
			Got:      fmt.Sprintf("none, and %s of at most %d hanging", plural(hanging, "call"), most),
			Do:       "see that every call comes to an end",
		}, 0)
	}
	return result{}, &hangingError{after: after, cancelled: why, can: c.subject.profile.Can(scenarios.CanCancel)}
}

// Close implements suites.Client. A client whose call was given up is not
// waited for.
func (c *client) Close() error {
	if c.refused != "" {
		return nil // it was never there
	}
	c.talking.mu.Lock()
	answer := make(chan closed, 1)
	wait := !slices.Contains(slices.Collect(maps.Values(c.talking.givenUp)), c.number)
	if wait {
		c.talking.closing[c.number] = answer
	} else {
		c.talking.unheard[c.number] = true
	}
	c.talking.mu.Unlock()
	if err := c.talking.say(closeMessage{Type: typeClose, Client: c.number}); err != nil || !wait {
		return err
	}
	timer := time.NewTimer(closePatience)
	defer timer.Stop()
	select {
	case got := <-answer:
		if got.Error != "" {
			return errors.New("the driver could not close the client: " + got.Error)
		}
		return nil
	case <-c.talking.broken:
	case <-timer.C:
		c.talking.fail(&Fault{
			Expected: fmt.Sprintf("closed for client %d within %v", c.number, closePatience),
			Got:      "no such message",
			Do:       "answer each close with closed, without waiting for calls",
		}, 0)
	}
	return fmt.Errorf("driver %q: %w", c.subject.name, c.talking.fault)
}

func headerPairs(headers faultserver.Headers) [][2]string {
	pairs := make([][2]string, len(headers))
	for i, header := range headers {
		pairs[i] = [2]string{header.Name, header.Value}
	}
	return pairs
}

func orGet(method string) string {
	if method == "" {
		return http.MethodGet
	}
	return method
}

// total is the policy's deadline for a whole call; 0 for none.
func total(policy scenarios.Policy) time.Duration {
	if policy.Timeouts == nil {
		return 0
	}
	return policy.Timeouts.Total
}
