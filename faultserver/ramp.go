package faultserver

import (
	"errors"
	"fmt"
)

// Ramp fails a share of the attempts that grows or shrinks evenly, by count or by
// time, and then stays. Which attempts fail is drawn from the seed. Time begins
// with the first attempt that takes the step. It serves every further attempt
// unless times says how many.
type Ramp struct {
	// Over is the length of the change, in attempts or as a time.
	Over Span `yaml:"over"`
	// From is the share that fails at its beginning, from 0 to 1; nil means 0.
	From *float64 `yaml:"from"`
	// To is the share that fails at its end and after, from 0 to 1; nil means 1.
	To *float64 `yaml:"to"`
	// With is how attempts fail; the zero value is a 503.
	With Fault `yaml:"with"`
}

// ActName implements Act.
func (Ramp) ActName() string { return "ramp" }

func (Ramp) place() place { return deciderPlace() }

func (r Ramp) validate(Point) []error {
	problems := spanProblems([]string{"over"}, r.Over)
	if r.Over.IsZero() {
		problems = append(problems, errors.New("over: want the length of the change, such as 20 or 2s"))
	}
	from, to := r.ends()
	for _, share := range []float64{from, to} {
		if !(share >= 0 && share <= 1) {
			problems = append(problems, fmt.Errorf("from %v to %v; want shares from 0 to 1", from, to))
			break
		}
	}
	if from == 0 && to == 0 {
		problems = append(problems, errors.New("from 0 to 0; nothing would fail"))
	}
	return append(problems, r.With.problems()...)
}

func (Ramp) withStep(s Step) []error { return withDecider(s) }

func (r Ramp) ends() (from, to float64) {
	to = 1
	if r.From != nil {
		from = *r.From
	}
	if r.To != nil {
		to = *r.To
	}
	return from, to
}

func (r Ramp) decide(d decision) verdict {
	from, to := r.ends()
	share := from + (to-from)*min(1, d.of(r.Over)/r.Over.length())
	if d.draws.Float64() >= share {
		return verdict{}
	}
	return fails(r.With, fmt.Sprintf("one of the %.0f %% that fail", 100*share))
}

func (r Ramp) intent(x *exchange) Effect { return Succeed{}.intent(x) }

func (r Ramp) perform(x *exchange) { Succeed{}.perform(x) }

func (r Ramp) parameters() parameters { return describeRamp(&r) }

func describeRamp(r *Ramp) parameters {
	return described(nil, textField("over", &r.Over), shareField("from", &r.From), shareField("to", &r.To), textField("with", &r.With))
}
