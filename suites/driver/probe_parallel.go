package driver

import (
	"context"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites"
)

const (
	// crowd is how many calls are made at the same time, where the driver makes
	// so many.
	crowd = 4
	// crowdPatience is how long the requests of all of them are waited for. A
	// driver that makes them side by side sends them within milliseconds.
	crowdPatience = 5 * time.Second
)

// probeParallel makes calls of which none is answered before all have arrived.
func probeParallel(p *prober) error {
	calls := crowd
	if most := p.subject.profile.MaxCalls; most > 0 {
		calls = min(calls, most)
	}
	tokens := make([]string, calls)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("call-%d", i+1)
	}
	session, err := p.server([]faultserver.Step{silent}, tokens...)
	if err != nil {
		return err
	}
	defer p.closeServer(session)
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
	p.awaitCrowd(session, tokens)
	if err := session.Close(); err != nil { // which ends the calls
		return err
	}
	for range tokens {
		got := <-results
		p.look(got.result, got.err)
	}
	for _, c := range clients {
		p.close(c)
	}
	return nil
}

// awaitCrowd waits until the requests of all calls have come.
func (p *prober) awaitCrowd(session *faultserver.Session, tokens []string) {
	ctx, cancel := context.WithTimeout(p.ctx, crowdPatience)
	defer cancel()
	for _, token := range tokens {
		_, err := session.Await(ctx, token, faultserver.Moment{Attempt: 1, Event: faultserver.Arrived})
		if err != nil && p.ctx.Err() == nil {
			p.find(fmt.Sprintf("%s side by side for %s side by side", plural(len(tokens), "request"), plural(len(tokens), "call")),
				fmt.Sprintf("%s within %v, while none was answered", plural(len(session.Journal().Attempts), "request"), crowdPatience),
				"make each call in a thread or task of its own, or take parallel out of hello and say max_parallel 1")
			return
		}
	}
}
