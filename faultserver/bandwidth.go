package faultserver

import (
	"errors"
	"fmt"
)

// Bandwidth bounds how many bytes a second go one way or either way. A client
// that leaves meanwhile has met it.
//
// On the way up the connection's receive buffer is made small, so that the client
// feels it; what the kernel had offered the client before, some 64 KiB on Linux,
// comes at once. The connection is not used again then.
type Bandwidth struct {
	// Rate is the number of bytes a second, framing included on the way down.
	Rate Size `yaml:"rate"`
	// Way is "down" (the answer, the default), "up" (the request's body) or "both".
	Way Way `yaml:"way"`
	// Answer is the answer; the zero value is the session's success answer.
	Answer Answer `yaml:"answer"`
}

// Way is the way that bytes go, seen from the client.
type Way string

// The ways.
const (
	Down Way = "down"
	Up   Way = "up"
	Both Way = "both"
)

// narrowBuffer is the receive buffer of a connection that is read slowly. Linux
// takes no less than some 2 KiB.
const narrowBuffer = 4 << 10

// ticksHeld is how many ticks' worth of bytes the receive buffer holds, so that
// the rate is what is asked for: with a buffer of 4 KiB, 400 KiB at 2 MiB a second
// took 7 s on Linux, with 4 ticks' worth 256 KiB at 256 KiB a second 1.3 s; with 16
// rates from 1 KiB to 4 MiB a second were kept within 2 %, 16 MiB within 10 %.
const ticksHeld = 16

// ActName implements Act.
func (Bandwidth) ActName() string { return "bandwidth" }

func (b Bandwidth) up() bool { return b.Way == Up || b.Way == Both }

func (b Bandwidth) place() place {
	if b.up() {
		return place{fixed: &Point{Phase: RequestHead}, readsOn: true}
	}
	return place{phases: answerPhases}
}

func (b Bandwidth) validate(Point) []error {
	problems := b.Answer.problems()
	if b.Rate < 1 || b.Rate > GiB {
		problems = append(problems, fmt.Errorf("rate: %s a second; want from 1B to 1GiB", b.Rate))
	}
	switch b.Way {
	case "", Down, Up, Both:
	default:
		problems = append(problems, fmt.Errorf("way: %q; want down, up or both", string(b.Way)))
	}
	return problems
}

// withStep implements stepJudge.
func (b Bandwidth) withStep(s Step) []error {
	if b.up() && s.Delay != (Delay{}) {
		return []error{errDelayReadsAhead}
	}
	return nil
}

// errDelayReadsAhead says why an act that reads slowly has no delay.
var errDelayReadsAhead = errors.New("delay: the server reads on during a delay, to see whether the client leaves, so that nothing would be left to read slowly; leave it out")

func (b Bandwidth) answer(x *exchange) Answer {
	a := x.session.orSuccess(b.Answer)
	if b.up() {
		a = a.last()
	}
	return a
}

func (b Bandwidth) intent(x *exchange) Effect { return x.answerIntent("bandwidth", b.answer(x)) }

func (b Bandwidth) perform(x *exchange) {
	if p := paceOf(b.Rate); b.up() && !x.readSlowly("bandwidth", max(narrowBuffer, ticksHeld*p.piece), p) {
		return
	}
	if b.Way == Up {
		x.answerLasting("bandwidth", b.answer(x))
		return
	}
	x.answerPaced("bandwidth", b.answer(x), paceOf(b.Rate))
}

func (b Bandwidth) parameters() parameters { return describeBandwidth(&b) }

func describeBandwidth(b *Bandwidth) parameters {
	return described(&b.Answer, sizeField("rate", &b.Rate), wordField("way", &b.Way, Down, Up, Both))
}
