package service

import (
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// sideBySide plays contracts at the same time: their attempts are told apart by
// their baggage.
type sideBySide struct {
	subject *Subject
	// strays is the session of judged calls without baggage.
	strays *faultserver.Session
}

func newSideBySide(s *Subject) (*sideBySide, error) {
	strays, err := s.upstreams.judged.Default(s.upstreams.interlude())
	if err != nil {
		return nil, err
	}
	return &sideBySide{subject: s, strays: strays}, nil
}

func (b *sideBySide) stage(config faultserver.Config) (suites.Stage, error) {
	session, err := b.subject.upstreams.judged.Open(config.ID, b.subject.upstreams.dress(config))
	if err != nil {
		return nil, err
	}
	return &sharedStage{beside: b, session: session, strays: b.stray()}, nil
}

// stray is how many judged calls have come without baggage.
func (b *sideBySide) stray() int { return len(b.strays.Journal().Attempts) }

// sharedStage is a contract beside others.
type sharedStage struct {
	beside  *sideBySide
	session *faultserver.Session
	strays  int
}

func (s *sharedStage) Session() *faultserver.Session { return s.session }

func (s *sharedStage) Open(scenarios.Policy) (suites.Client, error) {
	return &client{subject: s.beside.subject, baggage: baggageOf(s.session)}, nil
}

// Close leaves the session open until the run's end: its connections may carry
// the requests of other contracts by now.
func (s *sharedStage) Close() error {
	if n := s.beside.stray() - s.strays; n > 0 {
		return fmt.Errorf("%s came without the trigger's baggage, and may belong to this contract: the service has to pass `baggage` on in each attempt; "+
			"leave `baggage` out of its profile to run contracts one after another", matching(n))
	}
	return nil
}
