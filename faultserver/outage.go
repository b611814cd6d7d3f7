package faultserver

import "errors"

// Outage fails every attempt in a window, by count or by time, and lets the
// others succeed. Time begins with the first attempt that takes the step. It
// serves every further attempt unless times says how many.
type Outage struct {
	// For is the window's length; 0 means that it does not end.
	For Span `yaml:"for"`
	// After is how long all is well before it: attempts, or a time.
	After Span `yaml:"after"`
	// With is how attempts fail; the zero value is a 503.
	With Fault `yaml:"with"`
}

// ActName implements Act.
func (Outage) ActName() string { return "outage" }

func (Outage) place() place { return deciderPlace() }

func (o Outage) validate(Point) []error {
	return append(spanProblems([]string{"for", "after"}, o.For, o.After), o.With.problems()...)
}

func (Outage) withStep(s Step) []error { return withDecider(s) }

func (o Outage) decide(d decision) verdict {
	if begun := d.of(o.measure()) - o.After.length(); begun < 0 || !o.For.IsZero() && begun >= o.For.length() {
		return verdict{}
	}
	return fails(o.With, "in the outage")
}

// measure is a span in whose measure the window is.
func (o Outage) measure() Span {
	if o.After.IsZero() {
		return o.For
	}
	return o.After
}

func (o Outage) intent(x *exchange) Effect { return Succeed{}.intent(x) }

func (o Outage) perform(x *exchange) { Succeed{}.perform(x) }

func (o Outage) parameters() parameters { return describeOutage(&o) }

func describeOutage(o *Outage) parameters {
	return described(nil, textField("for", &o.For), textField("after", &o.After), textField("with", &o.With))
}

// Flap lets attempts succeed and fail by turns, by count or by time: a server that
// comes and goes. Time begins with the first attempt that takes the step. It serves
// every further attempt unless times says how many.
type Flap struct {
	// Up is how long all is well, Down how long attempts fail; Up comes first.
	Up   Span `yaml:"up"`
	Down Span `yaml:"down"`
	// With is how attempts fail; the zero value is a 503.
	With Fault `yaml:"with"`
}

// ActName implements Act.
func (Flap) ActName() string { return "flap" }

func (Flap) place() place { return deciderPlace() }

func (f Flap) validate(Point) []error {
	problems := spanProblems([]string{"up", "down"}, f.Up, f.Down)
	if f.Up.IsZero() || f.Down.IsZero() {
		problems = append(problems, errors.New("up and down: want both, such as up=3:down=2 or up=1s:down=300ms (a server that is only down is an outage)"))
	}
	return append(problems, f.With.problems()...)
}

func (Flap) withStep(s Step) []error { return withDecider(s) }

func (f Flap) decide(d decision) verdict {
	at, up, period := d.of(f.Up), f.Up.length(), f.Up.length()+f.Down.length()
	if turns := float64(int64(at / period)); at-turns*period < up {
		return verdict{}
	}
	return fails(f.With, "down")
}

func (f Flap) intent(x *exchange) Effect { return Succeed{}.intent(x) }

func (f Flap) perform(x *exchange) { Succeed{}.perform(x) }

func (f Flap) parameters() parameters { return describeFlap(&f) }

func describeFlap(f *Flap) parameters {
	return described(nil, textField("up", &f.Up), textField("down", &f.Down), textField("with", &f.With))
}
