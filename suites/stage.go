package suites

import (
	"context"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A Stager is a subject that makes requests of its own choosing, to addresses of
// its own choosing: a whole service, which cannot be told a URL, a method or a
// policy. Contracts are cut to it, and their sessions opened where its requests
// arrive.
type Stager interface {
	Subject
	// Fit is a contract, whose defaults are filled in, as this subject can be
	// judged by it: with the subject's own request in the calls' place, and the
	// policy that it declares. Where there is a reason why it cannot be judged, the
	// contract comes back as it was. The given contract is never changed.
	Fit(contract *scenarios.Contract) (fitted *scenarios.Contract, reasons []string)
	// Stage opens a contract's session where the subject's requests arrive; the
	// config has the contract's id. It may wait for its turn, until the context
	// ends. An error is the harness's, such as an attempt of the contract before
	// that came too late.
	Stage(ctx context.Context, config faultserver.Config) (Stage, error)
}

// A Stage is a session that is ready for the calls of one contract.
type Stage interface {
	// Session is where their attempts arrive.
	Session() *faultserver.Session
	// Open opens a client that makes them.
	Open(policy scenarios.Policy) (Client, error)
	// Close ends the session and gives up the turn. An error makes the contract's
	// verdict harness-error.
	Close() error
}

// stager is the subject where it is one; nil where it is none.
func (r *Running) stager() Stager {
	stager, _ := r.subject.(Stager)
	return stager
}

// fit is a contract as the subject can be judged by it, or why it cannot.
func (r *Running) fit(contract *scenarios.Contract) (fitted *scenarios.Contract, unfit string) {
	stager := r.stager()
	if stager == nil {
		return contract, ""
	}
	fitted, reasons := stager.Fit(contract)
	return fitted, strings.Join(reasons, "; ")
}

// stage opens a contract's session.
func (r *Running) stage(ctx context.Context, contract *scenarios.Contract, config faultserver.Config) (Stage, error) {
	if stager := r.stager(); stager != nil {
		config.ID = contract.ID
		return stager.Stage(ctx, config)
	}
	session, err := r.open(contract.ID, config)
	if err != nil {
		return nil, err
	}
	return &ownListener{Subject: r.subject, session: session, secure: config.TLS}, nil
}

// ownListener is the stage of a subject that goes where it is told: a session
// with a listener of its own, or by the prefix of a shared one.
type ownListener struct {
	Subject

	session *faultserver.Session
	// secure tells that the session speaks TLS.
	secure bool
}

func (s *ownListener) Session() *faultserver.Session { return s.session }

func (s *ownListener) Close() error { return s.session.Close() }
