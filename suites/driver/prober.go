package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// prober makes one probe and collects what it finds.
type prober struct {
	ctx      context.Context //nolint:containedctx // of one probe, which is one function's work
	subject  *Subject
	talking  *conversation
	findings []Finding
	notMade  string
	// failed is what we could not do.
	failed error
}

func (p *prober) find(expected, got, do string) {
	p.findings = append(p.findings, Finding{Expected: expected, Got: got, Do: do})
}

func (p *prober) can(capability scenarios.Capability) bool {
	return p.subject.profile.Can(capability)
}

// callToken is the call of a probe that makes one.
const callToken = "call"

// server opens a session with a script for the calls with these tokens, each
// with a copy of its own; for callToken with none. An attempt beyond the script
// is answered with success.
func (p *prober) server(script []faultserver.Step, tokens ...string) (*faultserver.Session, error) {
	if len(tokens) == 0 {
		tokens = []string{callToken}
	}
	if len(script) == 0 || script[len(script)-1].Times != faultserver.Forever {
		script = append(slices.Clip(script), faultserver.Step{Act: faultserver.Succeed{}, Times: faultserver.Forever})
	}
	config := faultserver.Config{}
	for _, token := range tokens {
		config.Calls = append(config.Calls, faultserver.CallConfig{Token: token, Script: script})
	}
	session, err := faultserver.Open(config)
	if err != nil {
		return nil, fmt.Errorf("open a server: %w", err)
	}
	return session, nil
}

// closeServer closes a session that is needed no more.
func (p *prober) closeServer(session *faultserver.Session) {
	p.failed = errors.Join(p.failed, session.Close())
}

// plainPolicy is one attempt, or several with a short pause.
func plainPolicy(attempts int, methods ...string) scenarios.Policy {
	pause := 20 * time.Millisecond
	return scenarios.Policy{
		Attempts: &attempts, Backoff: &scenarios.Backoff{Constant: &pause},
		Methods: append([]string{"GET"}, methods...), Statuses: scenarios.DefaultStatuses(),
	}
}

// open opens a client. Without one there is a finding, or the conversation is
// broken.
func (p *prober) open(policy scenarios.Policy) (*client, bool) {
	return p.openTrusting(policy, "")
}

// openTrusting opens a client that trusts the authorities in a file.
func (p *prober) openTrusting(policy scenarios.Policy, caFile string) (*client, bool) {
	opened, err := p.subject.open(p.talking, policy, caFile)
	switch {
	case p.talking.over():
		return nil, false
	case err != nil:
		p.find("a client for a plain policy", err.Error(), "open a client with as much of the policy as it can be told")
		return nil, false
	case opened.refused != "":
		p.find("a client for a plain policy (a few attempts, a constant backoff)", "unsupported: "+opened.refused,
			"refuse only what would make the client another one; leave a field that it cannot be told alone, and its capability out of hello")
		return nil, false
	}
	return opened, true
}

// close closes a client, which is part of every probe.
func (p *prober) close(c *client) {
	if err := c.Close(); err != nil && !p.talking.over() {
		p.find("closed for each close", err.Error(), "close what the client holds, and answer")
	}
}

// call makes a call. It is false where there is no result to look at: then
// there is a finding, or the conversation is broken.
func (p *prober) call(ctx context.Context, c *client, request suites.Request) (scenarios.Outcome, bool) {
	body, err := p.subject.files.of(request)
	if err != nil {
		p.failed = errors.Join(p.failed, err)
		return scenarios.Outcome{}, false
	}
	got, err := c.ask(ctx, request, body)
	return p.look(got, err)
}

// look takes what came of a call.
func (p *prober) look(got result, err error) (scenarios.Outcome, bool) {
	var hanging *hangingError
	switch {
	case errors.As(err, &hanging):
		p.find("a result for each run", err.Error(), "send a result however the call ends, and flush standard output")
		return scenarios.Outcome{}, false
	case err != nil:
		return scenarios.Outcome{}, false
	}
	outcome := got.outcome()
	switch outcome.Kind {
	case scenarios.ClientErrorOutcome:
		p.find("a result as the protocol describes it", outcome.Note, "mend the result")
		return outcome, false
	case scenarios.UnsupportedOutcome:
		p.find("that the call is made, since its capabilities say that it can be",
			fmt.Sprintf("unsupported (%s)", outcome.Note), "make the call, or take the capability out of hello")
		return outcome, false
	default:
		return outcome, true
	}
}

// once opens a client, makes one call on a server with a script, and closes the
// client. It gives the outcome and the server's journal.
func (p *prober) once(policy scenarios.Policy, request suites.Request, script ...faultserver.Step) (scenarios.Outcome, faultserver.Journal, bool, error) {
	session, err := p.server(script)
	if err != nil {
		return scenarios.Outcome{}, faultserver.Journal{}, false, err
	}
	defer p.closeServer(session)
	c, ok := p.open(policy)
	if !ok {
		return scenarios.Outcome{}, faultserver.Journal{}, false, nil
	}
	request.URL = session.CallURL(callToken, "/check")
	outcome, ok := p.call(p.ctx, c, request)
	if ok {
		p.close(c)
	}
	journal := session.Journal()
	if ok && len(journal.Attempts) == 0 {
		p.find("a request for "+request.URL, "none ("+outcomeText(outcome)+")", "send the call to its url, past every proxy")
		return outcome, journal, false, nil
	}
	return outcome, journal, ok, nil
}

// outcomeText is an outcome for a reader.
func outcomeText(outcome scenarios.Outcome) string {
	switch {
	case outcome.Kind == scenarios.ErrorOutcome:
		return fmt.Sprintf("the error %s: %s", outcome.Error.Kind, quoted(outcome.Error.Message))
	case outcome.Status != 0:
		return fmt.Sprintf("a response with status %d", outcome.Status)
	default:
		return "a " + string(outcome.Kind)
	}
}
