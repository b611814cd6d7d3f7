package service

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

// Options say what a profile does not. The zero value will do.
type Options struct {
	// CallTimeout is how long the run lets a call take; 0 means
	// suites.DefaultCallTimeout. A contract that the declared policy cannot get
	// through in that time is unsupported.
	CallTimeout time.Duration
	// Rerun is the command that judges the service again; nil means none.
	Rerun []string
}

// Subject is a service as a client under test. It has to be closed.
type Subject struct {
	profile   Profile
	options   Options
	upstreams *upstreams
	app       *app
	// turns or beside plays the contracts.
	turns  *turns
	beside *sideBySide
	// request is what the service asks, as it did in the rehearsal.
	request request
	version string
}

// Start plays the upstreams, starts the service by its command (nil means its
// profile's, and none there that it runs already), waits until it is ready, and rehearses one call, to learn what
// the service asks. It fails with the service's last words where it does not come
// up, with the address of a port that is in use, and with what came instead where
// the rehearsal was not one judged call that ended in success. Nothing is then
// left of it.
func Start(ctx context.Context, profile Profile, command []string, options Options) (*Subject, error) {
	if options.CallTimeout == 0 {
		options.CallTimeout = suites.DefaultCallTimeout
	}
	s := &Subject{profile: profile, options: options}
	if err := s.start(ctx, command); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", profile.Name, err), s.Close())
	}
	return s, nil
}

func (s *Subject) start(ctx context.Context, command []string) (err error) {
	dir := ""
	if len(command) == 0 {
		command, dir = s.profile.Command, s.profile.dir
	}
	if s.version, err = s.profile.printedVersion(s.options.CallTimeout); err != nil {
		return err
	}
	if s.upstreams, err = listen(s.profile); err != nil {
		return err
	}
	if s.profile.Baggage {
		s.beside, err = newSideBySide(s)
	} else {
		s.turns, err = newTurns(s)
	}
	if err != nil {
		return err
	}
	if len(command) > 0 {
		if err := vacant(ctx, s.profile); err != nil {
			return err
		}
	}
	if s.app, err = startApp(command, dir); err != nil {
		return err
	}
	if err := awaitReady(ctx, s.profile, s.app); err != nil {
		return err
	}
	s.request, err = s.rehearse(ctx)
	return err
}

// Close ends the service, if it was started here, and the upstreams.
func (s *Subject) Close() error {
	err := s.app.close()
	if s.upstreams != nil {
		err = errors.Join(err, s.upstreams.close())
	}
	return err
}

// Profile implements suites.Subject.
func (s *Subject) Profile() suites.Profile {
	profile := suites.Profile{
		Name: s.profile.Name, Version: s.version, Kind: string(KindService), Capabilities: s.capabilities(),
		Promises: &s.profile.Policy, Success: s.upstreams.success,
		KnownFailures: s.profile.KnownFailures, Rerun: s.options.Rerun,
	}
	if !s.profile.Baggage {
		profile.Parallel, profile.MaxCalls = 1, 1
	}
	return profile
}

// capabilities are what the service has been told by its configuration, and
// what its own request is.
func (s *Subject) capabilities() []scenarios.Capability {
	policy := s.profile.Policy
	timeouts := scenarios.Timeouts{}
	if policy.Timeouts != nil {
		timeouts = *policy.Timeouts
	}
	has := map[scenarios.Capability]bool{
		scenarios.CanAttempts: true, scenarios.CanShared: true,
		scenarios.CanRetry:          *policy.Attempts > 1,
		scenarios.CanBackoff:        policy.Backoff != nil || policy.RetryAfterCap != nil,
		scenarios.CanTimeout:        timeouts.Total > 0,
		scenarios.CanAttemptTimeout: timeouts.Attempt > 0,
		scenarios.CanMethod:         s.request.method != "GET",
		scenarios.CanRequestBody:    s.request.body > 0,
		scenarios.CanParallel:       s.profile.Baggage,
		scenarios.CanErrorKind:      len(s.profile.Outcome.Error) > 0,
		scenarios.CanIdempotencyKey: s.request.headers.Get("Idempotency-Key") != "",
		scenarios.CanBreaker:        policy.Breaker != nil,
		scenarios.CanBudget:         policy.Budget != nil,
		scenarios.CanHedge:          policy.Hedge != nil,
	}
	return slices.DeleteFunc(scenarios.AllCapabilities(), func(capability scenarios.Capability) bool { return !has[capability] })
}

// Open implements suites.Subject. A service's clients belong to a stage.
func (s *Subject) Open(scenarios.Policy) (suites.Client, error) {
	return nil, errors.New("a service is asked on a stage, where its requests arrive: judge it by suites.Judge")
}

// Stage implements suites.Stager.
func (s *Subject) Stage(ctx context.Context, config faultserver.Config) (suites.Stage, error) {
	if s.beside != nil {
		return s.beside.stage(config)
	}
	return s.turns.stage(ctx, config)
}

// Notes say, a sentence each, what the service can be judged by.
func (s *Subject) Notes() []string {
	r := s.request
	notes := []string{
		fmt.Sprintf("judged by what it asks of %s: %s %s with %d bytes", s.profile.Match.Upstream, r.method, r.target, r.body),
		"by its policy it makes up to " + attemptsText(*s.profile.Policy.Attempts) + ", and " + s.retryNote(),
	}
	if s.profile.Baggage {
		return append(notes, "contracts run side by side, told apart by the baggage that it passes on")
	}
	return append(notes, fmt.Sprintf("contracts run one after another, with %v of quiet between them", s.turns.quiet))
}

func (s *Subject) retryNote() string {
	if s.mayRetry(s.request.method) {
		return "may retry a " + s.request.method
	}
	return "must not retry a " + s.request.method + " (policy.methods does not list it)"
}

func attemptsText(n int) string {
	if n == 1 {
		return "1 attempt"
	}
	return fmt.Sprintf("%d attempts", n)
}
