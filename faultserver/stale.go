package faultserver

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Stale answers, promises keep-alive, and then ends the idle connection: a
// pooled connection that is dead when the client wants it next.
//
// If the client sends another request before that, it is an attempt like any
// other. The connection is then ended once it is idle again, and the stale
// attempt is not met, since no stale connection was left to the client.
type Stale struct {
	// Answer is the answer; the zero value is the session's success answer.
	Answer Answer `yaml:"answer"`
	// After is how long the connection idles before it is ended; 0 means at once
	// after the answer has been acknowledged.
	After time.Duration `yaml:"after"`
	// End is "fin" (the default) or "rst".
	End EndKind `yaml:"end"`
	// Unsolicited is the status, such as 408, of an answer that nobody has asked
	// for, sent just before a FIN; 0 sends none.
	Unsolicited int `yaml:"unsolicited"`
}

// unsolicited is the answer that nobody has asked for.
func (s Stale) unsolicited() []byte {
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", s.Unsolicited, http.StatusText(s.Unsolicited))
}

// ActName implements Act.
func (Stale) ActName() string { return "stale" }

func (Stale) place() place { return place{fixed: &Point{Phase: RequestEnd}} }

func (s Stale) validate(Point) []error {
	problems := s.Answer.problems()
	if s.Answer.Framing == FramingClose || s.Answer.Headers.Get("Connection") != "" {
		problems = append(problems, errors.New("the answer must promise keep-alive: leave out framing: close and the Connection header"))
	}
	if s.After < 0 {
		problems = append(problems, fmt.Errorf("after: %s is negative; want 0 or more", FormatDuration(s.After)))
	}
	if s.End != "" && s.End != EndFIN && s.End != EndRST {
		problems = append(problems, fmt.Errorf("end: %q; want fin or rst", string(s.End)))
	}
	if s.Unsolicited != 0 && (s.Unsolicited < 200 || s.Unsolicited > 999) {
		problems = append(problems, fmt.Errorf("unsolicited: %d; want a status, such as 408", s.Unsolicited))
	}
	if s.Unsolicited != 0 && s.End == EndRST {
		problems = append(problems, errors.New("unsolicited: a RST would take the answer with it; leave end out"))
	}
	if !canSeeAcks {
		problems = append(problems, fmt.Errorf("a stale connection waits for the answer's acknowledgement, which is %w", ErrPlatform))
	}
	return problems
}

func (s Stale) end() EndKind {
	if s.End == "" {
		return EndFIN
	}
	return s.End
}

func (s Stale) answer(x *exchange) Answer { return x.session.orSuccess(s.Answer) }

func (s Stale) intent(x *exchange) Effect {
	effect := x.answerIntent("stale", s.answer(x))
	effect.End = string(s.end())
	return effect
}

func (s Stale) perform(x *exchange) {
	if !x.send(s.answer(x)) {
		return
	}
	if !x.keep {
		x.miss("the client asked for no keep-alive")
		x.struck(x.answerIntent("answer", s.answer(x)))
		x.shutdown()
		return
	}
	x.answeredNow()
	x.happened(x.answerIntent("answer", s.answer(x)))
	x.receive()
	x.settled()
	if x.awaitAcks() {
		end := &staleEnd{exchange: x, at: time.Now().Add(s.After), kind: s.end(), effect: s.intent(x)}
		if s.Unsolicited != 0 {
			end.says = s.unsolicited()
		}
		x.conn.toEnd(end)
	}
}

func (s Stale) parameters() parameters { return describeStale(&s) }

func describeStale(s *Stale) parameters {
	return described(&s.Answer, durationField("after", &s.After), wordField("end", &s.End, EndFIN, EndRST), countField("unsolicited", &s.Unsolicited))
}
