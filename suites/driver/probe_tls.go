package driver

import (
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// probeTLS makes a call over TLS, to a server that the authority certifies whom
// the driver is told to trust, and one to a server whom nobody vouches for.
func probeTLS(p *prober) error {
	outcome, journal, ok, err := p.secured(faultserver.Config{})
	if err != nil || !ok {
		return err
	}
	p.mustSucceed(outcome)
	if len(journal.Attempts) == 0 {
		p.find("a request over TLS", "none ("+outcomeText(outcome)+")",
			"trust the authorities in the file ca_file of open, and no other")
		return nil
	}
	stranger := faultserver.Step{Act: faultserver.TLS{What: faultserver.TLSUntrusted}, Times: faultserver.Forever}
	outcome, _, ok, err = p.secured(faultserver.Config{Connections: []faultserver.Step{stranger}})
	if err != nil || !ok {
		return err
	}
	if outcome.Kind != scenarios.ErrorOutcome {
		p.find("an error for a server whose certificate is of an authority that is not in ca_file", outcomeText(outcome),
			"let the library check certificates, as it does unless told otherwise")
	}
	return nil
}

// secured makes one call over TLS, and gives the outcome and the server's journal.
func (p *prober) secured(config faultserver.Config) (scenarios.Outcome, faultserver.Journal, bool, error) {
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		return scenarios.Outcome{}, faultserver.Journal{}, false, err
	}
	caFile, err := p.subject.files.trusting(authority)
	if err != nil {
		return scenarios.Outcome{}, faultserver.Journal{}, false, err
	}
	config.TLS = true
	config.Calls = []faultserver.CallConfig{{Token: callToken}}
	config.Script = []faultserver.Step{{Act: faultserver.Succeed{}, Times: faultserver.Forever}}
	session, err := faultserver.Open(config)
	if err != nil {
		return scenarios.Outcome{}, faultserver.Journal{}, false, fmt.Errorf("open a server that speaks TLS: %w", err)
	}
	defer p.closeServer(session)
	c, ok := p.openTrusting(plainPolicy(1), caFile)
	if !ok {
		return scenarios.Outcome{}, faultserver.Journal{}, false, nil
	}
	outcome, ok := p.call(p.ctx, c, suites.Request{Method: "GET", URL: session.CallURL(callToken, "/check")})
	if ok {
		p.close(c)
	}
	return outcome, session.Journal(), ok, nil
}
