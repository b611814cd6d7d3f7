package control

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

// A call is a call that a client is to make, and what was told of it.
type call struct {
	Call

	mu     sync.Mutex
	report Report
}

// reported tells whether the call's outcome was posted.
func (c *call) reported() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.report.Outcome != nil
}

func (s *Server) showBody(w http.ResponseWriter, r *http.Request) *problem {
	_, one, missing := s.callOf(r)
	if missing != nil {
		return missing
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.FormatInt(one.Body.Len(), 10))
	_, _ = io.Copy(w, one.Body.Reader()) // a client that is gone needs none
	return nil
}

func (s *Server) callStarted(w http.ResponseWriter, r *http.Request) *problem {
	e, one, missing := s.callOf(r)
	if missing != nil {
		return missing
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.report.Started == 0 {
		one.report.Started = e.session.Elapsed()
		e.session.Start(one.Token)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) callCancelled(w http.ResponseWriter, r *http.Request) *problem {
	e, one, missing := s.callOf(r)
	if missing != nil {
		return missing
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.report.Cancelled == 0 {
		one.report.Cancelled = e.session.Elapsed()
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

func (s *Server) postOutcome(w http.ResponseWriter, r *http.Request) *problem {
	e, one, missing := s.callOf(r)
	if missing != nil {
		return missing
	}
	var posted client.Report
	if refused := readJSON(r, &posted); refused != nil {
		return refused
	}
	if len(posted.Outcome) == 0 {
		return unusable.problem(`outcome: expected what the client reports, such as {"outcome": {"kind": "response", "status": 200}}`)
	}
	if check := s.options.CheckOutcome; check != nil {
		if err := check(posted.Outcome); err != nil {
			return unusable.problem("outcome: %v", err)
		}
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.report.Outcome != nil {
		return conflict.problem("call %s has an outcome already; a call is made once a session", one.Token)
	}
	if !s.store.admit(e, int64(len(posted.Outcome))) {
		return tooMany.problem("outcome: there is no memory left for it beside the journals; delete sessions, or post a shorter one")
	}
	one.report.Outcome, one.report.Returned = posted.Outcome, e.session.Elapsed()
	e.session.Return(one.Token)
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// reports are what was told of the calls.
func (e *entry) reports() []Report {
	var reports []Report
	for _, one := range e.calls {
		one.mu.Lock()
		report := one.report
		one.mu.Unlock()
		report.Token = one.Token
		if report.Started != 0 || report.Cancelled != 0 || report.Outcome != nil {
			reports = append(reports, report)
		}
	}
	return reports
}

// longestJudging bounds a verdict's wait for late attempts; contracts watch for
// 2 s unless they say otherwise.
const longestJudging = time.Minute

func (s *Server) showVerdict(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	if e.scenario.Judge == nil {
		return conflict.problem("session %s was made from a script, which has no rule to judge by; its journal says which steps are unmet", e.id)
	}
	reports := e.reports()
	if len(reports) == 0 && e.session.Attempts() == 0 {
		return conflict.problem("session %s has seen no attempt and no outcome: let the client make its calls first", e.id)
	}
	leave, refused := s.queue(w)
	if refused != nil {
		return refused
	}
	defer leave()
	defer e.use()()
	ctx, cancel := s.waitContext(r, longestJudging)
	defer cancel()
	verdict, err := e.scenario.Judge(ctx, Case{Session: e.session, Reports: reports})
	if cause := context.Cause(ctx); cause != nil {
		return conflict.problem("the judging was cut short: %v", cause)
	}
	if errors.Is(err, faultserver.ErrSessionClosed) {
		return notFound.problem("session %s ended while it was judged", e.id)
	}
	if err != nil {
		return failed.problem("it cannot be judged: %v", err)
	}
	return writeJSON(w, http.StatusOK, verdict)
}
