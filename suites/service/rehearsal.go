package service

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// rehearsal is the id of the rehearsal's session, and its call's token.
const rehearsal = "rehearsal"

// A request is the judged call as the service makes it.
type request struct {
	method, target string
	headers        faultserver.Headers
	// body is its length in bytes.
	body int64
}

// rehearse triggers the service once while every upstream answers with success.
// A contract would prove nothing where that is not one judged call that ends in
// success: the profile or the service is then not what the other takes it for.
func (s *Subject) rehearse(ctx context.Context) (request, error) {
	stage, err := s.Stage(ctx, faultserver.Config{
		ID:     rehearsal,
		Script: []faultserver.Step{{Act: faultserver.Succeed{}, Times: faultserver.Forever}},
		Calls:  []faultserver.CallConfig{{Token: rehearsal}},
	})
	if err != nil {
		return request{}, err
	}
	outcome, err := askOnce(ctx, stage, s.options)
	journal := stage.Session().Journal()
	err = errors.Join(err, s.closeRehearsal(stage, journal))
	if err != nil {
		return request{}, err
	}
	if err := s.rehearsed(outcome, journal); err != nil {
		return request{}, fmt.Errorf("the rehearsal, one trigger while every upstream answers with success: %w", err)
	}
	attempt := journal.Attempts[0]
	return request{attempt.Method, attempt.Target, attempt.Headers, attempt.Body.Received}, nil
}

// closeRehearsal closes the stage. That the baggage is not passed on is said
// with more of an explanation where nothing came with it.
func (s *Subject) closeRehearsal(stage suites.Stage, journal faultserver.Journal) error {
	err := stage.Close()
	if s.beside != nil && len(journal.Attempts) == 0 {
		return nil
	}
	return err
}

func askOnce(ctx context.Context, stage suites.Stage, options Options) (scenarios.Outcome, error) {
	client, err := stage.Open(scenarios.Policy{})
	if err != nil {
		return scenarios.Outcome{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, options.CallTimeout)
	defer cancel()
	stage.Session().Start(rehearsal)
	outcome := client.Do(ctx, suites.Request{Call: rehearsal})
	stage.Session().Return(rehearsal)
	return outcome, client.Close()
}

// rehearsed says what was wrong with the rehearsal.
func (s *Subject) rehearsed(outcome scenarios.Outcome, journal faultserver.Journal) error {
	upstream := s.profile.Match.Upstream
	at := fmt.Sprintf("upstream %s, %s", upstream, s.profile.Upstreams[upstream].Listen)
	ended := outcome.Note
	if outcome.Error != nil {
		ended = outcome.Error.Message
	}
	switch n := len(journal.Attempts); {
	case outcome.Kind == scenarios.ClientErrorOutcome:
		return errors.New(ended)
	case n == 0 && s.beside != nil && s.beside.stray() > 0:
		return fmt.Errorf("%s reached %s without the member of the trigger's baggage: the service has to pass the `baggage` header on; "+
			"leave `baggage` out of its profile to run contracts one after another", matching(s.beside.stray()), at)
	case n == 0:
		return fmt.Errorf("no request that matches (%s) reached %s; %s; %s", s.profile.Match.text(), at, others(journal), ended)
	case outcome.Kind != scenarios.SuccessOutcome:
		return fmt.Errorf("%s, which is no success by its profile: give upstreams.%s.succeed what the service takes for success, "+
			"or list the status in outcome.success", ended, upstream)
	case n > 1:
		return fmt.Errorf("%s reached %s, where one is the judged call: %s; narrow `match` to one of them", matching(n), at, asked(journal))
	}
	return nil
}

// matching is a number of requests that match.
func matching(n int) string {
	if n == 1 {
		return "1 request that matches"
	}
	return fmt.Sprintf("%d requests that match", n)
}

// text is what a request has to be to match.
func (m Match) text() string {
	var parts []string
	for _, part := range []string{m.Method, m.Path, m.Header.Name} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return "any request"
	}
	return strings.Join(parts, " ")
}

// asked lists the attempts' requests.
func asked(journal faultserver.Journal) string {
	var list []string
	for _, attempt := range journal.Attempts {
		list = append(list, attempt.Method+" "+attempt.Target)
	}
	return someOf(list)
}

// others lists what came and did not match.
func others(journal faultserver.Journal) string {
	var list []string
	for _, event := range journal.Events {
		list = append(list, event.Kind+" "+event.Detail)
	}
	if len(list) == 0 {
		return "nothing else did: is the service configured with that address?"
	}
	return "there came: " + someOf(list)
}

func someOf(list []string) string {
	const most = 5
	list = slices.Compact(list)
	if len(list) > most {
		list = append(list[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(list, ", ")
}
