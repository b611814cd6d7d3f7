package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

func (s *Server) createSession(w http.ResponseWriter, r *http.Request) *problem {
	asked, refused := s.readNewSession(r)
	if refused != nil {
		return refused
	}
	made, refused := s.wish(asked)
	if refused != nil {
		return refused
	}
	e, refused := s.store.open(made)
	if refused != nil {
		return refused
	}
	w.Header().Set("Location", "/v1/sessions/"+e.id)
	return writeJSON(w, http.StatusCreated, s.shown(e))
}

// readNewSession reads what is asked for. A contract in YAML is a body of its
// own; its other settings are then in the query.
func (s *Server) readNewSession(r *http.Request) (client.NewSession, *problem) {
	var asked client.NewSession
	content, mediaType, refused := readBody(r, "application/json", "application/yaml")
	if refused != nil {
		return asked, refused
	}
	if mediaType == "application/json" {
		return asked, decode(content, &asked)
	}
	text, err := json.Marshal(string(content))
	if err != nil {
		return asked, badRequest.problem("the body: %v", err)
	}
	asked.Scenario = text
	return asked, readQuery(r.URL.Query(), &asked)
}

// readQuery reads the settings that stand beside a contract in YAML.
func readQuery(query url.Values, into *client.NewSession) *problem {
	for key, values := range query {
		var err error
		switch value := values[0]; key {
		case "id":
			into.ID = value
		case "upstream":
			into.Upstream = value
		case "ttl":
			into.TTL = value
		case "own_listener":
			into.OwnListener, err = strconv.ParseBool(value)
		case "keep_bodies":
			into.KeepBodies, err = strconv.ParseBool(value)
		default:
			return badRequest.problem("query parameter %q: expected one of id, own_listener, upstream, ttl, keep_bodies", clip(key))
		}
		if err != nil {
			return badRequest.problem("query parameter %s=%q: expected true or false", key, clip(values[0]))
		}
	}
	return nil
}

// wish makes of what is asked for what can be opened.
func (s *Server) wish(asked client.NewSession) (wish, *problem) {
	made := wish{id: asked.ID, own: asked.OwnListener, ttl: s.limits.TTL}
	var refused *problem
	if made.scenario, refused = s.scenario(asked); refused != nil {
		return made, refused
	}
	config := &made.scenario.Config
	config.Seed, config.KeepBodies = s.options.Seed, asked.KeepBodies
	if asked.Seed != nil {
		config.Seed = *asked.Seed
	}
	if asked.TTL != "" {
		ttl, err := faultserver.ParseDuration(asked.TTL)
		if err != nil || ttl <= 0 || ttl > s.limits.MostTTL {
			return made, unusable.problem("ttl %q: expected a duration up to %v, such as 10m", clip(asked.TTL), s.limits.MostTTL)
		}
		made.ttl = ttl
	}
	config.MaxAttempts = s.limits.Attempts
	if asked.MaxAttempts != 0 {
		if asked.MaxAttempts < 1 || asked.MaxAttempts > s.limits.MostAttempts {
			return made, unusable.problem("max_attempts %d: expected a number from 1 to %d", asked.MaxAttempts, s.limits.MostAttempts)
		}
		config.MaxAttempts = asked.MaxAttempts
	}
	if asked.Upstream != "" && !slices.Contains(s.options.Upstreams, asked.Upstream) {
		return made, notAllowed.problem("upstream %q: expected one that the server was started with (%s)", clip(asked.Upstream), orNone(s.options.Upstreams))
	}
	config.Pass = asked.Upstream
	return made, nil
}

// scenario is what the session is made from.
func (s *Server) scenario(asked client.NewSession) (Scenario, *problem) {
	sources := 0
	for _, given := range []bool{asked.Contract != "", len(asked.Scenario) > 0, asked.Script != ""} {
		if given {
			sources++
		}
	}
	if asked.AfterScript != "" && (asked.Contract != "" || len(asked.Scenario) > 0) {
		return Scenario{}, unusable.problem("after_script: a contract says itself what comes after its script")
	}
	switch {
	case sources > 1, sources == 0 && asked.Upstream == "":
		return Scenario{}, unusable.problem("expected one of contract, scenario and script (or an upstream alone); got %d", sources)
	case asked.Contract != "":
		return s.resolve(asked.Contract)
	case len(asked.Scenario) > 0:
		return s.parse(asked.Scenario)
	case asked.Script == "":
		return Scenario{Config: faultserver.Config{Script: []faultserver.Step{{Act: faultserver.Untouched{}, Times: faultserver.Forever, Optional: true}}}}, nil
	}
	steps, refused := s.parseScript(asked.Script)
	return Scenario{Config: faultserver.Config{Script: steps, AfterScript: faultserver.AfterScript(asked.AfterScript)}}, refused
}

func (s *Server) resolve(id string) (Scenario, *problem) {
	if s.options.Resolve == nil {
		return Scenario{}, unusable.problem("contract: this server knows no contracts; give a script")
	}
	scenario, err := s.options.Resolve(id)
	if err != nil {
		return Scenario{}, unusable.problem("contract %q: %v", clip(id), err)
	}
	return scenario, nil
}

func (s *Server) parse(document json.RawMessage) (Scenario, *problem) {
	if s.options.Parse == nil {
		return Scenario{}, unusable.problem("scenario: this server reads no contracts; give a script")
	}
	text := []byte(document)
	if document[0] == '"' {
		var quoted string
		if err := json.Unmarshal(document, &quoted); err != nil {
			return Scenario{}, badRequest.problem("scenario: %v", err)
		}
		text = []byte(quoted)
	}
	scenario, err := s.options.Parse(text)
	if err != nil {
		return Scenario{}, unusable.problem("scenario: %v", err)
	}
	return scenario, nil
}

func (s *Server) listSessions(w http.ResponseWriter, _ *http.Request) *problem {
	list := []client.Session{}
	for _, e := range s.store.all() {
		list = append(list, s.shown(e))
	}
	return writeJSON(w, http.StatusOK, client.Sessions{Sessions: list})
}

func (s *Server) showSession(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	return writeJSON(w, http.StatusOK, s.shown(e))
}

func (s *Server) deleteSession(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	if e.adopted {
		return conflict.problem("session %s belongs to the command that plays it; end that", e.id)
	}
	ended, err := s.store.end(e, "deleted")
	if !ended {
		return notFound.problem("session %s: it has just ended", e.id)
	}
	if err != nil {
		return failed.problem("session %s is gone, and its listener could not be closed cleanly: %v", e.id, err)
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// shown is a session as the API shows it.
func (s *Server) shown(e *entry) client.Session {
	path := "/v1/sessions/" + e.id
	shown := client.Session{
		ID: e.id, URL: e.session.URL(), Contract: e.scenario.ID, Title: e.scenario.Title, OwnListener: e.own,
		Judged: e.scenario.Judge != nil, Created: e.created, Attempts: e.session.Attempts(), JournalBytes: e.bytes.Load(), Policy: e.scenario.Policy,
		Links: map[string]string{"self": path, "journal": path + "/journal", "events": path + "/events", "steps": path + "/steps"},
	}
	if expires := e.expires(); !expires.IsZero() {
		shown.Expires = &expires
	}
	if shown.Judged {
		shown.Links["verdict"] = path + "/verdict"
	}
	for _, one := range e.calls {
		call := client.Call{
			Token: one.Token, Name: one.Name, Method: one.Method, URL: e.session.CallURL(one.Token, one.Path),
			Headers: one.Headers, BodyLength: one.Body.Len(), Reported: one.reported(),
		}
		if call.BodyLength > 0 {
			call.BodyURL = fmt.Sprintf("%s/calls/%s/body", path, one.Token)
		}
		shown.Calls = append(shown.Calls, call)
	}
	return shown
}

// orNone lists what there is, for a message.
func orNone(list []string) string {
	if len(list) == 0 {
		return "none"
	}
	return strings.Join(list, ", ")
}
