// Package demo shows in a few seconds what a retry may cost: one order, of which
// the server charges the card and loses its answer, and three clients that ask
// it side by side, each on a server of its own.
//
// It is what the command "faultsrv demo" tells of. It imports everything to the
// left of suites, and resilient.
package demo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// Pause is how long the loops wait before they ask again. It is long enough to
// watch, and of no matter to who is charged what.
const Pause = time.Second

// The clients, in the order in which they are told of.
const (
	Naive     = "naive loop"
	Keyed     = "loop with a key"
	Reference = "resilient"
)

// An Order is what became of the order with one client.
type Order struct {
	// Client is who asked.
	Client string
	// Attempts is how often it asked, the first time included.
	Attempts int
	// Charges is how often the card was charged.
	Charges int
	// Status is the status of the answer that the shop got; 0 for none, and then
	// Failure is the kind of the error.
	Status  int
	Failure scenarios.ErrorKind
}

// An Event is an attempt that has ended.
type Event struct {
	Client string
	// At is when it arrived, from the session's start.
	At time.Duration
	// Number counts the client's attempts, from 1.
	Number int
	// Charged tells that the card was charged for it, Status which answer was sent;
	// 0 is none.
	Charged bool
	Status  int
}

// contestant is a client and how it places an order.
type contestant struct {
	name string
	// key is the Idempotency-Key that the shop gives the order; empty for none.
	key    string
	client http.RoundTripper
}

// Run places the order with each client, side by side, and returns what became
// of it, in their order. The events are told one at a time, as they happen.
func Run(ctx context.Context, pause time.Duration, tell func(Event)) ([]Order, error) {
	reference, err := resilient.New(newWire())
	if err != nil {
		return nil, fmt.Errorf("make the reference client: %w", err)
	}
	contestants := []contestant{
		{Naive, "", &loop{wire: newWire(), pause: pause}},
		{Keyed, `"order-7"`, &loop{wire: newWire(), pause: pause}},
		{Reference, "", reference},
	}
	orders, problems := make([]Order, len(contestants)), make([]error, len(contestants))
	events := make(chan Event, len(contestants)*maxAttempts) // a server is never held up
	var placing sync.WaitGroup
	for i, c := range contestants {
		placing.Go(func() { orders[i], problems[i] = place(ctx, c, events) })
	}
	go func() {
		placing.Wait()
		close(events)
	}()
	for event := range events {
		tell(event)
	}
	return orders, errors.Join(problems...)
}

// script is the server's: it charges the card and loses the answer, and then
// answers. Who names the order by a key is charged once for it.
func script() []faultserver.Step {
	return []faultserver.Step{
		{Act: faultserver.Reset{}, Commit: faultserver.CommitByKey},
		{Act: faultserver.Succeed{}, Commit: faultserver.CommitByKey, Optional: true},
	}
}

// place places the order with one client.
func place(ctx context.Context, c contestant, events chan<- Event) (Order, error) {
	session, err := faultserver.Open(faultserver.Config{Script: script(), Observe: func(a faultserver.Attempt) {
		if !a.Open {
			events <- Event{Client: c.name, At: a.Arrived, Number: a.Number, Charged: a.Committed, Status: a.Happened.Status}
		}
	}})
	if err != nil {
		return Order{}, fmt.Errorf("%s: open its server: %w", c.name, err)
	}
	order := Order{Client: c.name}
	failure := c.order(ctx, session.URL()+"/charge", &order)
	if err := session.Close(); err != nil {
		return Order{}, fmt.Errorf("%s: close its server: %w", c.name, err)
	}
	journal := session.Journal()
	order.Attempts, order.Charges = len(journal.Attempts), journal.Effects
	return order, failure
}

// order makes the request. An error of it is the order's failure; it returns an
// error where the order could not be placed as it should.
func (c contestant) order(ctx context.Context, url string, order *Order) error {
	client := http.Client{Transport: c.client}
	defer client.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(`{"order": 7, "amount": 42}`)))
	if err != nil {
		return fmt.Errorf("%s: make the request: %w", c.name, err)
	}
	req.Header.Set("Content-Type", "application/json")
	if c.key != "" {
		req.Header.Set("Idempotency-Key", c.key)
	}
	response, err := client.Do(req)
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		order.Failure = suites.ClassifyError(err).Kind
		return nil
	}
	order.Status = response.StatusCode
	return response.Body.Close()
}

// newWire is a transport of its own for each client: no pool is shared, and no
// proxy of the environment stands between.
func newWire() *http.Transport {
	wire := http.DefaultTransport.(*http.Transport).Clone()
	wire.Proxy = nil
	return wire
}
