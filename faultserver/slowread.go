package faultserver

import (
	"fmt"
	"time"
)

// SlowRead reads the request's body late, in small pieces and with a small
// receive buffer, so that the client cannot get rid of it; then it answers. A
// client that leaves meanwhile has met it.
//
// What the kernel had offered the client before the buffer was made small, some
// 64 KiB on Linux, is taken at once. The connection is not used again.
type SlowRead struct {
	// After is how long nothing is read at all; 0 means not at all.
	After time.Duration `yaml:"after"`
	// Every is the time between two reads; 0 means 100 ms.
	Every time.Duration `yaml:"every"`
	// Bytes is how much is read at a time; 0 means 1 KiB.
	Bytes Size `yaml:"bytes"`
	// Buffer is the size of the receive buffer; 0 means 4 KiB. The kernel rounds it.
	Buffer Size `yaml:"buffer"`
	// Answer is the answer; the zero value is the session's success answer.
	Answer Answer `yaml:"answer"`
}

// ActName implements Act.
func (SlowRead) ActName() string { return "slow-read" }

func (SlowRead) place() place { return place{fixed: &Point{Phase: RequestHead}, readsOn: true} }

func (s SlowRead) validate(Point) []error {
	problems := append(s.Answer.problems(), paceProblems(s.Bytes, s.Every)...)
	if s.After < 0 || s.After > longestSilence {
		problems = append(problems, fmt.Errorf("after: %s; want from 0 to %s", FormatDuration(s.After), FormatDuration(longestSilence)))
	}
	if s.Buffer < 0 || s.Buffer > GiB {
		problems = append(problems, fmt.Errorf("buffer: %s; want from 1B to 1GiB, or 0 for 4KiB", s.Buffer))
	}
	return problems
}

// withStep implements stepJudge.
func (s SlowRead) withStep(step Step) []error {
	if step.Delay != (Delay{}) {
		return []error{fmt.Errorf("%w; say after", errDelayReadsAhead)}
	}
	return nil
}

func (s SlowRead) answer(x *exchange) Answer { return x.session.orSuccess(s.Answer).last() }

func (s SlowRead) intent(x *exchange) Effect { return x.answerIntent("slow-read", s.answer(x)) }

func (s SlowRead) pace() pace {
	p := pace{s.Bytes, s.Every}
	if p.piece == 0 {
		p.piece = KiB
	}
	if p.every == 0 {
		p.every = usualEvery
	}
	return p
}

func (s SlowRead) perform(x *exchange) {
	buffer := s.Buffer
	if buffer == 0 {
		buffer = narrowBuffer
	}
	if s.After > 0 && x.head.hasBody() {
		x.narrow(buffer)
		x.inForce("slow-read")
		if !x.idle(s.After) {
			return
		}
	}
	if x.readSlowly("slow-read", buffer, s.pace()) {
		x.answerLasting("slow-read", s.answer(x))
	}
}

func (s SlowRead) parameters() parameters { return describeSlowRead(&s) }

func describeSlowRead(s *SlowRead) parameters {
	return described(&s.Answer, durationField("every", &s.Every), sizeField("bytes", &s.Bytes),
		durationField("after", &s.After), sizeField("buffer", &s.Buffer))
}

// readSlowly reads the request's body at a pace, with a small buffer, and
// performs its side effect.
func (x *exchange) readSlowly(kind string, buffer Size, p pace) bool {
	x.narrow(buffer)
	if !x.readPaced(kind, p) {
		return false
	}
	if !x.done {
		x.miss("the request's body came in one piece, so that nothing was slow")
	}
	x.commit()
	return true
}

// answerLasting gives the whole answer of an act that has lasted before it.
func (x *exchange) answerLasting(kind string, a Answer) {
	if !x.send(a) {
		return
	}
	effect := x.answerIntent(kind, a)
	if !x.keep && !x.finishWhole(&effect) {
		return
	}
	x.answeredNow()
	if x.done {
		x.became(effect)
	} else {
		x.struck(effect)
	}
	x.drain()
}
