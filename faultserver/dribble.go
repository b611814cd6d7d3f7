package faultserver

import "time"

// Dribble gives an answer in small pieces, its head included: a server that is
// alive and of no use. A client that leaves before the end has met it.
type Dribble struct {
	// Answer is the answer; the zero value is the session's success answer.
	Answer Answer `yaml:"answer"`
	// Every is the time between two pieces; 0 means 100 ms.
	Every time.Duration `yaml:"every"`
	// Bytes is the length of a piece, framing included; 0 means 1 byte.
	Bytes Size `yaml:"bytes"`
}

// usualEvery is how often a piece goes out, or is read, unless said otherwise.
const usualEvery = 100 * time.Millisecond

// ActName implements Act.
func (Dribble) ActName() string { return "dribble" }

func (Dribble) place() place { return place{phases: answerPhases} }

func (d Dribble) validate(Point) []error {
	return append(d.Answer.problems(), paceProblems(d.Bytes, d.Every)...)
}

func (d Dribble) pace() pace {
	p := pace{d.Bytes, d.Every}
	if p.piece == 0 {
		p.piece = 1
	}
	if p.every == 0 {
		p.every = usualEvery
	}
	return p
}

func (d Dribble) intent(x *exchange) Effect {
	return x.answerIntent("dribble", x.session.orSuccess(d.Answer))
}

func (d Dribble) perform(x *exchange) {
	x.answerPaced("dribble", x.session.orSuccess(d.Answer), d.pace())
}

func (d Dribble) parameters() parameters { return describeDribble(&d) }

func describeDribble(d *Dribble) parameters {
	return described(&d.Answer, durationField("every", &d.Every), sizeField("bytes", &d.Bytes))
}
