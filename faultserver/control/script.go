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
	return s.changeScript(w, r, func(e *entry, steps []faultserver.Step) *problem {
		if before, _ := e.session.Script(); len(before)+len(steps) > s.limits.Steps {
			return tooMany.problem("a script has at most %d steps; with these it would have %d", s.limits.Steps, len(before)+len(steps))
		}
		return played(e.session.AddSteps(steps...))
	})
}

func (s *Server) replaceSteps(w http.ResponseWriter, r *http.Request) *problem {
	return s.changeScript(w, r, func(e *entry, steps []faultserver.Step) *problem {
		if len(steps) > s.limits.Steps {
			return tooMany.problem("a script has at most %d steps; this one has %d", s.limits.Steps, len(steps))
		}
		return played(e.session.ReplaceScript(steps))
	})
}

// played says why a script cannot be played; nil where it can.
func played(err error) *problem {
	if err != nil {
		return unusable.problem("the script cannot be played: %v", err)
	}
	return nil
}

func (s *Server) rewind(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	e.session.Rewind()
	return writeJSON(w, http.StatusOK, scriptOf(e))
}

// changeScript reads steps and changes a session's script by them.
func (s *Server) changeScript(w http.ResponseWriter, r *http.Request, change func(*entry, []faultserver.Step) *problem) *problem {
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
	if refused := change(e, steps); refused != nil {
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
