package faultserver

import (
	"errors"
	"fmt"
	"time"
)

// Capacity serves so many attempts a second, one after another in the order of
// their heads' arrival, and lets so many wait; what comes beyond that fails, or
// waits as well: failure that load itself causes, and that retries make worse. An
// attempt that leaves while it waits does not give its place to another. It
// serves every further attempt unless times says how many.
type Capacity struct {
	// Rate is how many attempts are served a second.
	Rate int `yaml:"rate"`
	// Queue is how many may wait; 0 means none.
	Queue int `yaml:"queue"`
	// Full is what becomes of those beyond: "reject" (the default) or "delay": all
	// wait, up to 60 s.
	Full WhenFull `yaml:"full"`
	// With is how those beyond fail; the zero value is a 503.
	With Fault `yaml:"with"`
}

// WhenFull is what becomes of attempts when there is no place for them.
type WhenFull string

// What can become of them.
const (
	RejectWhenFull WhenFull = "reject"
	DelayWhenFull  WhenFull = "delay"
)

// ActName implements Act.
func (Capacity) ActName() string { return "capacity" }

func (Capacity) place() place { return deciderPlace() }

func (c Capacity) validate(Point) []error {
	problems := c.With.problems()
	if c.Rate < 1 || c.Rate > mostSpan {
		problems = append(problems, fmt.Errorf("rate: %d; want how many attempts are served a second, from 1", c.Rate))
	}
	if c.Queue < 0 || c.Queue > mostSpan {
		problems = append(problems, fmt.Errorf("queue: %d; want how many may wait, from 0", c.Queue))
	}
	switch c.Full {
	case "", RejectWhenFull:
	case DelayWhenFull:
		if c.Queue != 0 || c.With != (Fault{}) {
			problems = append(problems, errors.New("full: delay lets all wait and rejects none; leave queue and with out"))
		}
	default:
		problems = append(problems, fmt.Errorf("full: %q; want reject or delay", string(c.Full)))
	}
	return problems
}

func (Capacity) withStep(s Step) []error {
	problems := withDecider(s)
	if s.Delay != (Delay{}) {
		problems = append(problems, errors.New("delay: how long an attempt waits comes of the load; leave it out"))
	}
	return problems
}

func (c Capacity) decide(d decision) verdict {
	slot := max(1, time.Second/time.Duration(max(1, c.Rate)))
	turn := max(d.at, d.free)
	wait := turn - d.at
	ahead := int64((wait + slot - 1) / slot)
	if c.Full == DelayWhenFull && wait > longestSilence || c.Full != DelayWhenFull && ahead > int64(c.Queue) {
		return fails(c.With, "no place in the queue")
	}
	d.free = turn + slot
	if wait == 0 {
		return verdict{}
	}
	return verdict{notBefore: turn, why: "waited for " + FormatDuration(wait.Round(time.Microsecond))}
}

func (c Capacity) intent(x *exchange) Effect { return Succeed{}.intent(x) }

func (c Capacity) perform(x *exchange) { Succeed{}.perform(x) }

func (c Capacity) parameters() parameters { return describeCapacity(&c) }

func describeCapacity(c *Capacity) parameters {
	return described(nil, countField("rate", &c.Rate), countField("queue", &c.Queue),
		wordField("full", &c.Full, RejectWhenFull, DelayWhenFull), textField("with", &c.With))
}
