package driver

import (
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites"
)

const (
	// crowd is how many calls are made at the same time, where the driver makes
	// so many.
	crowd = 4
	// crowdPatience is how long the server waits for the last of them before it
	// answers the first. A driver that makes them together sends them within
	// milliseconds.
	crowdPatience = 5 * time.Second
)

// probeParallel makes calls that are answered when the last one has arrived.
func probeParallel(p *prober) error {
	calls := crowd
	if most := p.subject.profile.MaxCalls; most > 0 {
		calls = min(calls, most)
	}
	tokens := make([]string, calls)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("call-%d", i+1)
	}
	last := faultserver.Moment{Call: tokens[calls-1], Attempt: 1, Event: faultserver.Arrived}
	session, err := p.server([]faultserver.Step{{
		Act: faultserver.Succeed{}, Delay: faultserver.Delay{Until: &last, Max: crowdPatience},
	}}, tokens...)
	if err != nil {
		return err
	}
	defer session.Close()
	var clients []*client
	for range tokens {
		c, ok := p.open(plainPolicy(1))
		if !ok {
			return nil
		}
		clients = append(clients, c)
	}
	results := make(chan came, calls)
	for i, token := range tokens {
		go func() {
			got, err := clients[i].ask(p.ctx, suites.Request{Method: "GET", URL: session.CallURL(token, "/check")}, nil)
			results <- came{result: got, err: err}
		}()
	}
	first := <-results
	arrived := len(session.Journal().Attempts)
	if arrived < calls {
		p.find(fmt.Sprintf("%d requests side by side for %d calls side by side", calls, calls),
			fmt.Sprintf("%s before the first one was answered, %v later", plural(arrived, "request"), crowdPatience),
			"make each call in a thread or task of its own, or take parallel out of hello and say max_parallel 1")
		if err := session.Close(); err != nil { // which ends the others
			return err
		}
	}
	for n := 1; ; n++ {
		if outcome, ok := p.look(first.result, first.err); ok && arrived == calls {
			p.mustSucceed(outcome)
		}
		if n == calls {
			break
		}
		first = <-results
	}
	for _, c := range clients {
		p.close(c)
	}
	return nil
}
