package control

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gorilla/mux"
)

// A route is one method of one resource.
type route struct {
	method, path string
	handle       func(s *Server, w http.ResponseWriter, r *http.Request) *problem
	// open tells that no token is asked for: it says nothing of any session.
	open bool
}

// routes are all there are. openapi.json describes each of them.
var routes = []route{
	{http.MethodGet, "/", (*Server).showSessionsPage, false},
	{http.MethodGet, "/sessions/{id}", (*Server).showSessionPage, false},
	{http.MethodGet, "/healthz", (*Server).health, true},
	{http.MethodGet, "/readyz", (*Server).ready, true},
	{http.MethodGet, "/openapi.json", (*Server).describe, true},
	{http.MethodGet, "/metrics", (*Server).measure, false},
	{http.MethodGet, "/v1/sessions", (*Server).listSessions, false},
	{http.MethodPost, "/v1/sessions", (*Server).createSession, false},
	{http.MethodGet, "/v1/sessions/{id}", (*Server).showSession, false},
	{http.MethodDelete, "/v1/sessions/{id}", (*Server).deleteSession, false},
	{http.MethodGet, "/v1/sessions/{id}/journal", (*Server).showJournal, false},
	{http.MethodGet, "/v1/sessions/{id}/events", (*Server).streamEvents, false},
	{http.MethodGet, "/v1/sessions/{id}/steps", (*Server).listSteps, false},
	{http.MethodPost, "/v1/sessions/{id}/steps", (*Server).addSteps, false},
	{http.MethodPut, "/v1/sessions/{id}/steps", (*Server).replaceSteps, false},
	{http.MethodPost, "/v1/sessions/{id}/rewind", (*Server).rewind, false},
	{http.MethodGet, "/v1/sessions/{id}/calls/{call}/body", (*Server).showBody, false},
	{http.MethodPost, "/v1/sessions/{id}/calls/{call}/started", (*Server).callStarted, false},
	{http.MethodPost, "/v1/sessions/{id}/calls/{call}/cancelled", (*Server).callCancelled, false},
	{http.MethodPost, "/v1/sessions/{id}/calls/{call}/outcome", (*Server).postOutcome, false},
	{http.MethodGet, "/v1/sessions/{id}/verdict", (*Server).showVerdict, false},
}

// router finds the route of a request. Everything that it does not find is a
// problem, too: a path that would first have to be made another one, as well.
func (s *Server) router() http.Handler {
	router := mux.NewRouter().SkipClean(true)
	for _, one := range routes {
		// The path first: a route whose method alone matches would hide that another has the path.
		router.Path(one.path).Methods(one.method).Handler(s.handler(one))
	}
	router.NotFoundHandler = s.refusing(func(r *http.Request) *problem {
		return notFound.problem("%s: no such path; /openapi.json describes those there are", r.URL.Path)
	})
	router.MethodNotAllowedHandler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		methods := methodsOf(router, r)
		w.Header().Set("Allow", strings.Join(methods, ", "))
		wrongMethod.problem("%s of %s: expected %s", r.Method, r.URL.Path, strings.Join(methods, " or ")).write(w)
	})
	return router
}

// handler is a route's handler behind what guards it.
func (s *Server) handler(one route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told(r).route = one.path
		if refused := s.guardToken(one, r); refused != nil {
			w.Header().Add("WWW-Authenticate", `Bearer realm="faultsrv"`)
			if reads(r) {
				w.Header().Add("WWW-Authenticate", `Basic realm="faultsrv", charset="UTF-8"`)
			}
			refused.write(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, s.limits.RequestBytes)
		defer s.recovered(w)
		if refused := one.handle(s, w, r); refused != nil {
			refused.write(w)
		}
	})
}

// recovered answers for a handler that panicked, so that a rule's own code, such
// as a judge's, is its own session's trouble.
func (s *Server) recovered(w http.ResponseWriter) {
	if fault := recover(); fault != nil {
		failed.problem("it crashed: %v", fault).write(w)
	}
}

func (s *Server) refusing(why func(*http.Request) *problem) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { why(r).write(w) })
}

// methodsOf are the methods that a path has.
func methodsOf(router *mux.Router, r *http.Request) []string {
	var methods []string
	for _, one := range routes {
		trial := r.Clone(r.Context())
		trial.Method = one.method
		var match mux.RouteMatch
		if router.Match(trial, &match) && match.MatchErr == nil && match.Route != nil && !slices.Contains(methods, one.method) {
			methods = append(methods, one.method)
		}
	}
	slices.Sort(methods)
	return methods
}

// entryOf is the session that a request's path names.
func (s *Server) entryOf(r *http.Request) (*entry, *problem) {
	id := mux.Vars(r)["id"]
	found := s.store.get(id)
	if found == nil {
		if refused := foreign(s.options.Name, id); refused != nil {
			return nil, refused
		}
		return nil, notFound.problem("session %q: there is none; it may have expired or have been deleted", clip(id))
	}
	return found, nil
}

// callOf is the session and the call that a request's path names.
func (s *Server) callOf(r *http.Request) (*entry, *call, *problem) {
	e, missing := s.entryOf(r)
	if missing != nil {
		return nil, nil, missing
	}
	token := mux.Vars(r)["call"]
	for _, one := range e.calls {
		if one.Token == token {
			return e, one, nil
		}
	}
	return nil, nil, notFound.problem("call %q: session %s has none of this token; it has %s", clip(token), e.id, e.tokens())
}

// clip bounds what a message quotes.
func clip(text string) string {
	const most = 80
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
}
