package control

import (
	"net/http"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

func (s *Server) listSteps(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	return writeJSON(w, http.StatusOK, scriptOf(e))
}

func scriptOf(e *entry) client.Script {
	state := client.Script{Steps: []client.Step{}}
	steps, served := e.session.Script()
	for i, step := range steps {
		state.Steps = append(state.Steps, client.Step{Text: step.String(), Served: served[i]})
	}
	return state
}

func (s *Server) addSteps(w http.ResponseWriter, r *http.Request) *problem {
	return s.changeScript(w, r, func(session *faultserver.Session, steps []faultserver.Step) (more int, change func() error) {
		return len(steps), func() error { return session.AddSteps(steps...) }
	})
}

func (s *Server) replaceSteps(w http.ResponseWriter, r *http.Request) *problem {
	return s.changeScript(w, r, func(session *faultserver.Session, steps []faultserver.Step) (more int, change func() error) {
		before, _ := session.Script()
		return len(steps) - len(before), func() error { return session.ReplaceScript(steps) }
	})
}

func (s *Server) rewind(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	e.session.Rewind()
	return writeJSON(w, http.StatusOK, scriptOf(e))
}

// changeScript reads steps and changes a session's script by them: plan tells by
// how many it grows, and how that is done.
func (s *Server) changeScript(w http.ResponseWriter, r *http.Request,
	plan func(*faultserver.Session, []faultserver.Step) (more int, change func() error),
) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	var asked client.Steps
	if refused := readJSON(r, &asked); refused != nil {
		return refused
	}
	steps, refused := s.readSteps(asked)
	if refused != nil {
		return refused
	}
	if refused := s.store.change(e, func() (int, func() error) { return plan(e.session, steps) }); refused != nil {
		return refused
	}
	return writeJSON(w, http.StatusOK, scriptOf(e))
}

func (s *Server) readSteps(asked client.Steps) ([]faultserver.Step, *problem) {
	switch {
	case (asked.Script == "") == (len(asked.Steps) == 0):
		return nil, unusable.problem("expected either script, such as \"503,200\", or steps, a list")
	case asked.Script != "":
		return s.parseScript(asked.Script)
	case s.options.Steps == nil:
		return nil, unusable.problem("steps: this server reads one-line scripts only; give a script")
	}
	steps, err := s.options.Steps(asked.Steps)
	if err != nil {
		return nil, unusable.problem("steps: %v", err)
	}
	return steps, nil
}

// parseScript reads a one-line script that is not too long.
func (s *Server) parseScript(line string) ([]faultserver.Step, *problem) {
	if n := strings.Count(line, ",") + 1; n > s.limits.Steps {
		return nil, tooMany.problem("a script has at most %d steps; this one has %d; a step serves several attempts with x, such as 503x100", s.limits.Steps, n)
	}
	steps, err := faultserver.ParseScript(line)
	if err != nil {
		return nil, unusable.problem("%v", err)
	}
	return steps, nil
}
