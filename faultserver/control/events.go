package control

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// heartbeat is how often a stream without news says that it is alive, so that
// nothing between here and its reader takes it for dead.
const heartbeat = 15 * time.Second

// streamEvents writes a session's attempts as server-sent events: first those
// that the journal has, then each when it arrives and when it has ended, until
// the session ends.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	leave, refused := s.queue(w)
	if refused != nil {
		return refused
	}
	defer leave()
	defer e.use()()
	attempts, stop := e.feed.watch()
	defer stop()
	out := &stream{writer: w, control: http.NewResponseController(w), told: map[int]bool{}, redact: s.redacted}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	out.comment("attempts of session " + e.id)
	for _, attempt := range e.session.Journal().Attempts {
		out.before(attempt)
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	for out.problem == nil {
		select {
		case attempt, going := <-attempts:
			if !going {
				out.end("this reader was too slow; begin anew")
				return nil
			}
			out.attempt(attempt)
		case <-beat.C:
			out.comment("nothing new")
		case <-e.gone:
			out.end("the session has ended")
			return nil
		case <-s.ending:
			out.end(errEnding.Error())
			return nil
		case <-r.Context().Done():
			return nil
		}
	}
	return nil
}

// A stream is a reader of server-sent events.
type stream struct {
	writer  http.ResponseWriter
	control *http.ResponseController
	redact  func(faultserver.Attempt) faultserver.Attempt
	// told has an entry for each attempt that the journal had at the beginning, which
	// may come again: true where its end was told. Later ones come once, and a stream
	// may last for days.
	told    map[int]bool
	problem error
}

// before tells how an attempt stands that the journal has at the beginning.
func (s *stream) before(a faultserver.Attempt) {
	s.told[a.Index] = !a.Open
	s.tell(a)
}

// attempt tells how an attempt stands that was observed, unless the reader knows
// already.
func (s *stream) attempt(a faultserver.Attempt) {
	if ended, known := s.told[a.Index]; known {
		if ended || a.Open {
			return
		}
		s.told[a.Index] = true
	}
	s.tell(a)
}

func (s *stream) tell(a faultserver.Attempt) {
	text, err := json.Marshal(s.redact(a))
	if err != nil {
		s.problem = err
		return
	}
	event := "ended"
	if a.Open {
		event = "arrived"
	}
	s.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", a.Index, event, text))
}

func (s *stream) comment(text string) { s.write(": " + text + "\n\n") }

func (s *stream) end(why string) {
	text, err := json.Marshal(map[string]string{"why": why})
	if err != nil {
		s.problem = err
		return
	}
	s.write(fmt.Sprintf("event: end\ndata: %s\n\n", text))
}

// write writes at once; a reader that does not take it is given up.
func (s *stream) write(text string) {
	if s.problem != nil {
		return
	}
	if _, s.problem = s.writer.Write([]byte(text)); s.problem == nil {
		s.problem = s.control.Flush()
	}
}
