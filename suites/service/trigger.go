package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// keptAnswer is how much of the service's answer a message can be made of.
const keptAnswer = 4 << 10

// A client asks the service, on behalf of one contract.
type client struct {
	subject *Subject
	// baggage is the member that finds a call; nil where there is none.
	baggage func(call string) string
}

// Do implements suites.Client: it triggers the service once.
func (c *client) Do(ctx context.Context, request suites.Request) scenarios.Outcome {
	started := time.Now()
	outcome := c.trigger(ctx, request)
	outcome.Elapsed = time.Since(started)
	if c.subject.died(outcome) {
		return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: c.subject.app.death(), Elapsed: outcome.Elapsed}
	}
	return outcome
}

// deathGrace is how long after a connection that broke the service's process may
// take to be known as ended: the system closes its connections first.
const deathGrace = 500 * time.Millisecond

// died tells that the service has ended, and waits for the news where its
// connection broke.
func (s *Subject) died(outcome scenarios.Outcome) bool {
	broke := outcome.Kind == scenarios.ClientErrorOutcome || outcome.Error != nil && outcome.Error.Kind == scenarios.ErrReset
	if broke && s.app != nil {
		timer := time.NewTimer(deathGrace)
		defer timer.Stop()
		select {
		case <-s.app.over():
		case <-timer.C:
		}
	}
	return s.app.death() != ""
}

// Close implements suites.Client. What the client holds belongs to the service.
func (c *client) Close() error { return nil }

func (c *client) trigger(ctx context.Context, request suites.Request) scenarios.Outcome {
	if c.subject.profile.Trigger.Command != nil {
		return c.subject.runCommand(ctx)
	}
	return c.askService(ctx, request)
}

func (c *client) askService(ctx context.Context, asked suites.Request) scenarios.Outcome {
	trigger := c.subject.profile.Trigger
	var body io.Reader
	if trigger.Body != nil {
		body = trigger.Body.Reader()
	}
	request, err := http.NewRequestWithContext(ctx, trigger.Method, trigger.URL, body)
	if err != nil {
		return clientError(err)
	}
	if trigger.Body != nil {
		request.ContentLength = trigger.Body.Len()
	}
	for _, header := range trigger.Headers {
		request.Header.Add(header.Name, header.Value)
	}
	if host := trigger.Headers.Get("Host"); host != "" {
		request.Host = host
	}
	if c.baggage != nil {
		request.Header.Add("Baggage", c.baggage(asked.Call))
	}
	response, err := newHTTPClient().Do(request)
	if err != nil {
		return failure(err)
	}
	defer response.Body.Close()
	kept, err := io.ReadAll(io.LimitReader(response.Body, keptAnswer))
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
	}
	if err != nil {
		return failure(fmt.Errorf("read the service's answer: %w", err))
	}
	meaning := c.subject.profile.Outcome
	if meaning.Success == nil && response.StatusCode >= 200 && response.StatusCode <= 299 {
		meaning.Success = []int{response.StatusCode}
	}
	return meaning.of(response.StatusCode, fmt.Sprintf("the service answered %d", response.StatusCode), string(kept))
}

// runCommand runs the command that is the trigger.
func (s *Subject) runCommand(ctx context.Context) scenarios.Outcome {
	trigger := s.profile.Trigger
	program, err := findProgram(trigger.Command[0], trigger.dir)
	if err != nil {
		return clientError(err)
	}
	ended, err := process.Run(ctx, process.Spec{Program: program, Args: trigger.Command[1:], Dir: trigger.dir, Limit: keptOutput})
	switch {
	case err != nil:
		return clientError(err)
	case errors.Is(ended.ByUs, context.DeadlineExceeded):
		return errorOutcome(scenarios.ErrTimeout, "the command had not ended when its time was over", "")
	case ended.ByUs != nil:
		return errorOutcome(scenarios.ErrCanceled, "the command was ended, since the call was called off", "")
	}
	meaning := s.profile.Outcome
	if meaning.Success == nil {
		meaning.Success = []int{0}
	}
	return meaning.of(ended.Status, "the command ended with "+ended.How, ended.Stderr.LastLine())
}

// of is the outcome that a status means.
func (o Outcome) of(status int, what, said string) scenarios.Outcome {
	if slices.Contains(o.Success, status) {
		return scenarios.Outcome{Kind: scenarios.SuccessOutcome, Note: what}
	}
	kind, listed := o.Error[status]
	if !listed {
		kind = scenarios.ErrOther
	}
	return errorOutcome(kind, what, said)
}

func errorOutcome(kind scenarios.ErrorKind, what, said string) scenarios.Outcome {
	if first, _, _ := strings.Cut(strings.TrimSpace(said), "\n"); first != "" {
		what += ": " + strings.TrimSpace(first)
	}
	return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: kind, Message: what}}
}

// failure is the outcome of a request that the service did not answer. One that
// nobody takes is no answer of the service's.
func failure(err error) scenarios.Outcome {
	explained := suites.ClassifyError(err)
	if explained.Kind == scenarios.ErrConnect {
		return clientError(fmt.Errorf("the service cannot be asked: %w", err))
	}
	return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &explained}
}

func clientError(err error) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: err.Error()}
}

// baggageOf is how the requests of a session's calls are found.
func baggageOf(session *faultserver.Session) func(string) string {
	return func(call string) string { return faultserver.Baggage(session.ID(), call) }
}
