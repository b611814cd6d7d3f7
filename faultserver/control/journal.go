package control

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

const (
	// defaultWait is how long a request waits that does not say.
	defaultWait = 30 * time.Second
	// longestWait is how long one may ask to wait.
	longestWait = 10 * time.Minute
)

func (s *Server) showJournal(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	until, refused := readUntil(r.URL.Query())
	if refused != nil {
		return refused
	}
	if until.attempts > 0 || until.quiet {
		if refused := s.await(w, r, e, until); refused != nil {
			return refused
		}
	}
	return writeJSON(w, http.StatusOK, s.journalOf(e))
}

// journalOf is a session's journal without its secrets.
func (s *Server) journalOf(e *entry) faultserver.Journal {
	journal := e.session.Journal()
	for i, attempt := range journal.Attempts {
		journal.Attempts[i] = s.redacted(attempt)
	}
	if hide := s.options.RedactText; hide != nil {
		for i := range journal.Events {
			journal.Events[i].Detail = hide(journal.Events[i].Detail)
		}
	}
	return journal
}

func (s *Server) redacted(a faultserver.Attempt) faultserver.Attempt {
	if s.options.RedactAttempt == nil {
		return a
	}
	return s.options.RedactAttempt(a)
}

// until is what a request waits for.
type until struct {
	// attempts is how many have to have arrived; quiet that none may be in progress.
	attempts int
	quiet    bool
	timeout  time.Duration
}

func readUntil(query url.Values) (until, *problem) {
	u := until{timeout: defaultWait}
	for _, word := range query["until"] {
		number, counts := strings.CutPrefix(word, "attempts:")
		n, err := strconv.Atoi(number)
		switch {
		case word == "quiet":
			u.quiet = true
		case !counts || err != nil || n < 1:
			return u, badRequest.problem("until=%s: expected attempts:N, such as attempts:3, or quiet", clip(word))
		default:
			u.attempts = n
		}
	}
	if text := query.Get("timeout"); text != "" {
		timeout, err := faultserver.ParseDuration(text)
		if err != nil || timeout < 0 || timeout > longestWait {
			return u, badRequest.problem("timeout=%s: expected a duration up to %v, such as 10s", clip(text), longestWait)
		}
		u.timeout = timeout
	}
	return u, nil
}

var errEnding = errors.New("the server is ending")

// await waits until the session is as the request wants it.
func (s *Server) await(w http.ResponseWriter, r *http.Request, e *entry, u until) *problem {
	leave, refused := s.queue(w)
	if refused != nil {
		return refused
	}
	defer leave()
	defer e.use()()
	ctx, cancel := s.waitContext(r, u.timeout)
	defer cancel()
	err := e.session.AwaitAttempts(ctx, u.attempts)
	if err == nil && u.quiet {
		err = e.session.AwaitQuiet(ctx)
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, faultserver.ErrSessionClosed):
		return notFound.problem("session %s ended while it was waited for: %v", e.id, err)
	case errors.Is(err, errEnding):
		return conflict.problem("%v", err)
	}
	return notInTime.problem("it was waited for %v: %v; the journal without until= says what there is", u.timeout, err)
}

// queue takes a place among those that wait.
func (s *Server) queue(w http.ResponseWriter) (leave func(), refused *problem) {
	select {
	case s.waiting <- struct{}{}:
		// The wait is bounded otherwise.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
		return func() { <-s.waiting }, nil
	default:
		return nil, tooMany.problem("%s already, as many as may; ask again, or read the journal without waiting", waitingText(cap(s.waiting)))
	}
}

// waitContext ends with the request, after a time, or with the server.
func (s *Server) waitContext(r *http.Request, timeout time.Duration) (context.Context, context.CancelFunc) {
	ctx, expire := context.WithTimeoutCause(r.Context(), timeout, fmt.Errorf("not within %v", timeout))
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-s.ending:
			cancel(errEnding)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil); expire() }
}

func waitingText(n int) string {
	if n == 1 {
		return "1 request waits"
	}
	return fmt.Sprintf("%d requests wait", n)
}
