package resilient

import (
	"context"
	"fmt"
	"net/http"
	"time"
)

// WithHedge sends a further attempt where no answer has come within the
// delay, without giving up the ones before: the first answer that is not
// retryable wins, and the others are canceled. It is for reads whose slowest
// answers cost more than a few requests more.
//
// The number of attempts stays the bound of all that is sent, the budget
// counts every one but the first, and only requests that may be sent twice
// and whose body can be had again are hedged; others are sent as without the
// option. An attempt that fails is followed by the next one at once, or when
// the Retry-After of all that failed is over; the backoff is not used. The default, 0, hedges
// nothing.
func WithHedge(delay time.Duration) Option {
	return optionFunc(func(p *policy) error {
		if delay < 0 {
			return fmt.Errorf("WithHedge(%v): a delay cannot be negative; 0 hedges nothing", delay)
		}
		p.hedgeDelay = delay
		return nil
	})
}

// hedges reports whether this call is a race.
func (c *call) hedges() bool {
	p := c.policy
	return p.hedgeDelay > 0 && p.attempts > 1 && p.maySendTwice(c.request) && (!hasBody(c.request) || c.getBody != nil)
}

// race is one call whose attempts overlap. All of it but the sending happens
// on the caller's goroutine.
type race struct {
	*call
	results chan finish
	over    chan struct{}
	running map[int]context.CancelFunc // the attempts under way, by number
	next    *time.Timer                // when the next attempt is due
	paid    bool                       // it waits for a Retry-After, and the budget has granted it
	due     time.Time                  // the end of that
}

// finish is what one of the attempts came to.
type finish struct {
	number  int
	request *http.Request
	resp    *http.Response
	err     error
	elapsed time.Duration
}

// immediately is the backoff of a race: only a Retry-After makes it wait.
type immediately struct{}

func (immediately) Next(int) time.Duration { return 0 }

// raced makes the call as a race. It takes a copy, which the goroutines share:
// without hedging a call stays off the heap.
func raced(c call) outcome {
	c.backoff = immediately{}
	r := &race{
		call: &c, results: make(chan finish), over: make(chan struct{}),
		running: make(map[int]context.CancelFunc), next: time.NewTimer(c.policy.hedgeDelay),
	}
	defer r.end()
	r.launch(c.request)
	for {
		select {
		case <-c.request.Context().Done():
			c.errs = append(c.errs, c.request.Context().Err())
			return c.interrupted()
		case <-r.next.C:
			if out, done := r.further(); done {
				return out
			}
		case f := <-r.results:
			if out, done := r.finished(f); done {
				return out
			}
		}
	}
}

// end cancels what is still under way. Its responses are closed where they
// arrive.
func (r *race) end() {
	close(r.over)
	r.next.Stop()
	for _, cancel := range r.running {
		cancel()
	}
}

// launch sends an attempt on a goroutine of its own.
func (r *race) launch(req *http.Request) {
	c := r.call
	c.info.Attempts++
	if len(r.running) > 0 {
		c.info.Hedges++
	}
	number := c.info.Attempts
	req = c.policy.withNumber(req, number)
	if c.observed() {
		c.tell(Event{Kind: EventAttempt, Attempt: number, Request: req, Hedge: len(r.running) > 0})
	}
	ctx, cancel := context.WithCancel(req.Context())
	r.running[number] = cancel
	go func() {
		started := time.Now()
		resp, err := c.send(req.WithContext(ctx))
		select {
		case r.results <- finish{number, req, resp, err, time.Since(started)}:
		case <-r.over:
			if resp != nil {
				resp.Body.Close()
			}
			cancel()
		}
	}()
}

// further sends the attempt that is due, if the budget allows a hedge.
func (r *race) further() (outcome, bool) {
	if !r.paid && r.policy.budget != nil && !r.policy.budget.Allow() {
		return outcome{}, false
	}
	r.paid = false
	return r.again()
}

// again sends the next attempt and plans the one after it.
func (r *race) again() (outcome, bool) {
	req, err := r.repeat()
	if err != nil {
		r.info.Cause = CauseNotReplayable
		return outcome{info: r.info, last: r.last, stop: err, errs: append(r.errs, err)}, true
	}
	r.launch(req)
	if r.info.Attempts < r.policy.attempts {
		r.next.Reset(r.policy.hedgeDelay)
	} else {
		r.next.Stop()
	}
	return outcome{}, false
}

// finished takes the result of an attempt.
func (r *race) finished(f finish) (outcome, bool) {
	c, cancel := r.call, r.running[f.number]
	delete(r.running, f.number)
	decision := c.policy.judge(c.request, f.resp, f.err)
	if c.observed() {
		c.tell(Event{
			Kind: EventResult, Attempt: f.number, Request: f.request, Response: f.resp, Err: f.err,
			Decision: decision, Elapsed: f.elapsed,
		})
	}
	if f.resp != nil {
		f.resp.Body = cancelOnClose(f.resp.Body, cancel)
	} else {
		cancel()
	}
	if f.err != nil && c.request.Context().Err() != nil {
		c.errs = append(c.errs, f.err)
		c.last = lastFailure(c.last, f.err)
		return c.interrupted(), true
	}
	if decision == Stop {
		return c.accept(f.resp, f.err), true
	}
	wait, cause := c.retryIn(decision, f.resp, r.paid)
	if cause != "" && len(r.running) == 0 {
		return c.giveUp(cause, f.resp, f.err), true
	}
	r.drop(f)
	switch {
	case cause != "":
		r.next.Stop() // what is under way may still win
		r.paid = false
	case wait == 0 && !r.paid:
		return r.again()
	default:
		r.postpone(wait)
	}
	return outcome{}, false
}

// drop discards a failure. Where others are under way, nobody waits for its
// connection.
func (r *race) drop(f finish) {
	if f.resp != nil && len(r.running) > 0 {
		r.last = newStatusError(f.resp)
		r.dropExpectation(f.resp)
		f.resp.Body.Close()
		return
	}
	r.discard(f.resp, f.err)
}

// postpone plans the next attempt for when the server wants it: where several of its
// answers say so, for the last of these times.
func (r *race) postpone(wait time.Duration) {
	due, longer := time.Now().Add(wait), wait
	if r.paid {
		if longer = due.Sub(r.due); longer <= 0 {
			return
		}
	}
	if r.observed() {
		r.tell(Event{Kind: EventPause, Attempt: r.info.Attempts, Err: r.last, Delay: wait})
	}
	r.info.Waited += longer
	r.next.Reset(wait)
	r.due, r.paid = due, true
}
