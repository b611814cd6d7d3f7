package driver

import (
	"fmt"
	"net"
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// probePlainCall makes a call that succeeds.
func probePlainCall(p *prober) error {
	outcome, journal, ok, err := p.once(plainPolicy(1), suites.Request{Method: "GET"})
	if err != nil || !ok {
		return err
	}
	p.mustSucceed(outcome)
	p.compareAttempts(outcome, journal)
	return nil
}

// mustSucceed finds what is wrong with the outcome of a call that was answered
// with success.
func (p *prober) mustSucceed(outcome scenarios.Outcome) {
	if outcome.Kind != scenarios.ResponseOutcome {
		p.find("the outcome response of a call that was answered 200", outcomeText(outcome), "report the answer")
	}
}

// compareAttempts compares the attempts that a driver claims with those that
// arrived.
func (p *prober) compareAttempts(outcome scenarios.Outcome, journal faultserver.Journal) {
	if got := len(journal.Attempts); outcome.Attempts != 0 && outcome.Attempts != got {
		p.find(fmt.Sprintf("attempts: %d, as arrived at the server", got), fmt.Sprintf("attempts: %d", outcome.Attempts),
			"count each request that is sent, the first one included; or leave the field out")
	}
}

// probeUnknownFields sends messages with fields that a later version may have.
func probeUnknownFields(p *prober) error {
	session, err := p.server(nil)
	if err != nil {
		return err
	}
	defer p.closeServer(session)
	c, ok := p.open(plainPolicy(1))
	if !ok {
		return nil
	}
	seq, answer := p.talking.expectResult()
	err = p.talking.say(struct {
		runMessage
		Later map[string]string `json:"of_a_later_version"`
	}{
		runMessage: runMessage{
			Type: typeRun, Seq: seq, Client: c.number,
			URL: session.CallURL(callToken, "/check"), Method: "GET", Headers: [][2]string{},
		},
		Later: map[string]string{"to": "be ignored"},
	})
	if err != nil {
		return err
	}
	if outcome, ok := p.look(c.await(p.ctx, seq, answer)); ok {
		p.mustSucceed(outcome)
		p.close(c)
	}
	return nil
}

// probeLifetimes looks whether two clients share what they hold.
func probeLifetimes(p *prober) error {
	session, err := p.server(nil, "one", "two")
	if err != nil {
		return err
	}
	defer p.closeServer(session)
	var clients []*client
	for _, token := range []string{"one", "two"} {
		c, ok := p.open(plainPolicy(1))
		if !ok {
			return nil
		}
		clients = append(clients, c)
		outcome, ok := p.call(p.ctx, c, suites.Request{Method: "GET", URL: session.CallURL(token, "/check")})
		if !ok {
			return nil
		}
		p.mustSucceed(outcome)
	}
	for _, c := range clients {
		p.close(c)
	}
	attempts := session.Journal().Attempts
	if len(attempts) == 2 && attempts[0].Connection == attempts[1].Connection {
		p.find("two clients that share nothing", "the second one's request on the connection of the first",
			"make the pool, and all that a client remembers, at open, and end it at close")
	}
	return nil
}

// probeShared makes several calls with one client.
func probeShared(p *prober) error {
	tokens := []string{"one", "two", "three"}
	session, err := p.server(nil, tokens...)
	if err != nil {
		return err
	}
	defer p.closeServer(session)
	c, ok := p.open(plainPolicy(1))
	if !ok {
		return nil
	}
	for _, token := range tokens {
		outcome, ok := p.call(p.ctx, c, suites.Request{Method: "GET", URL: session.CallURL(token, "/check")})
		if !ok {
			return nil
		}
		p.mustSucceed(outcome)
	}
	p.close(c)
	return nil
}

// lostConnections are the ways to lose a connection, and the kinds of error
// that are true of each.
var lostConnections = []struct {
	name   string
	script []faultserver.Step // nil: nobody listens
	kinds  []scenarios.ErrorKind
}{
	{"a connection that is refused", nil, []scenarios.ErrorKind{scenarios.ErrConnect}},
	{
		"a connection that is reset before the answer",
		[]faultserver.Step{{Act: faultserver.Reset{}, Times: faultserver.Forever}},
		[]scenarios.ErrorKind{scenarios.ErrReset},
	},
}

// probeLostConnections looks how errors are told. Where the library says only
// that its attempts are used up, that is true as well.
func probeLostConnections(p *prober) error {
	for _, lost := range lostConnections {
		url, closeServer, err := p.losing(lost.script)
		if err != nil {
			return err
		}
		c, ok := p.open(plainPolicy(1))
		if !ok {
			return closeServer()
		}
		outcome, ok := p.call(p.ctx, c, suites.Request{Method: "GET", URL: url})
		if err := closeServer(); err != nil || !ok {
			return err
		}
		p.close(c)
		p.mustBeKind(lost.name, outcome, lost.kinds...)
	}
	return nil
}

// losing is a server that loses connections, as the script says.
func (p *prober) losing(script []faultserver.Step) (url string, closeServer func() error, err error) {
	if script != nil {
		session, err := p.server(script)
		if err != nil {
			return "", nil, err
		}
		return session.CallURL(callToken, "/check"), session.Close, nil
	}
	listener, err := new(net.ListenConfig).Listen(p.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", nil, fmt.Errorf("find a port where nobody listens: %w", err)
	}
	// A port that was just given back is not given to the next who asks.
	return "http://" + listener.Addr().String() + "/check", func() error { return nil }, listener.Close()
}

// mustBeKind finds what is wrong with the outcome of a call that failed in a
// way that has these kinds.
func (p *prober) mustBeKind(what string, outcome scenarios.Outcome, kinds ...scenarios.ErrorKind) {
	if outcome.Kind != scenarios.ErrorOutcome {
		p.find("an error for "+what, outcomeText(outcome), "report the outcome error when the caller gets an error")
		return
	}
	told := append([]scenarios.ErrorKind{outcome.Error.Kind}, outcome.Error.Chain...)
	isTrue := func(kind scenarios.ErrorKind) bool {
		return kind == scenarios.ErrExhausted || slices.Contains(kinds, kind)
	}
	if p.can(scenarios.CanErrorKind) && !slices.ContainsFunc(told, isTrue) {
		p.find(fmt.Sprintf("the kind %s, or it in the chain, for %s", words(kinds), what), outcomeText(outcome),
			"tell the kinds apart as the library's callers can, or take error-kind out of hello")
	}
}
