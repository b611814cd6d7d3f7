package faultserver

import (
	"errors"
	"math/rand/v2"
	"time"
)

// A decider is an act that decides, when an attempt arrives, whether the attempt
// fails and how. It serves every further attempt unless its step says how many.
// Attempts that it lets succeed prove nothing: its step is met by one that failed.
type decider interface {
	Act

	decide(c decision) verdict
}

// A decision is one that a decider has to make. The session's lock is held.
type decision struct {
	*memory

	progress
	// at is when the attempt's head had arrived, and none before it later.
	at    time.Duration
	draws *rand.Rand
}

// A memory is what a decider's step remembers from one attempt to the next.
type memory struct {
	attempts int
	// first and latest are when the first of them arrived, and the last.
	first, latest time.Duration
	// level is how many attempts a bucket holds, as of filled.
	level  float64
	filled time.Duration
	// free is when the next attempt can be served.
	free time.Duration
}

// A verdict is what an attempt gets. The zero value lets it succeed.
type verdict struct {
	// fault is how it fails, if it does.
	fault *Step
	// notBefore is when it is served at the earliest.
	notBefore time.Duration
	// why is a remark for the journal.
	why string
}

// fails is the verdict for an attempt that gets the fault.
func fails(f Fault, why string) verdict {
	step := f.step()
	return verdict{fault: &step, why: why}
}

// decided lets an act decide about an attempt that took its step. The lock is
// held.
func (s *Session) decided(r *record, taken choice) *verdict {
	act, is := taken.step.Act.(decider)
	if !is || taken.cursor == nil {
		return nil
	}
	m := taken.cursor.memoryOf(taken.ref.Index - 1)
	if m.attempts == 0 {
		m.first = r.HeadRead
	}
	// Two that arrive together may be entered in the other order.
	m.latest = max(m.latest, r.HeadRead)
	v := act.decide(decision{
		memory: m, progress: progress{m.attempts, m.latest - m.first}, at: m.latest,
		draws: drawsOf(s.config.Seed, s.id, "decide/"+r.Call, r.Number),
	})
	m.attempts++
	return &v
}

// memoryOf is what a step of the script remembers.
func (c *cursor) memoryOf(i int) *memory {
	if c.memories == nil {
		c.memories = map[int]*memory{}
	}
	if c.memories[i] == nil {
		c.memories[i] = &memory{}
	}
	return c.memories[i]
}

// accept makes a verdict what the exchange performs.
func (x *exchange) accept(v *verdict) {
	if v == nil {
		return
	}
	x.notBefore = v.notBefore
	if v.why != "" {
		x.detail(v.why)
	}
	step := x.step
	if v.fault == nil {
		x.spared = v.notBefore == 0
		step.Act, step.At = Succeed{}, Point{}
	} else {
		// A request that is refused has no side effect.
		step.Act, step.At, step.Commit = v.fault.Act, v.fault.At, NoCommit
	}
	x.step = step
	x.at = step.point(attemptScript)
}

// Serves is how many attempts the step serves: its Times, or where that is 0 one,
// and of an act that decides which attempts fail, such as an outage, Forever.
func (s Step) Serves() int {
	if s.Times != 0 {
		return s.Times
	}
	if _, is := s.Act.(decider); is {
		return Forever
	}
	return 1
}

// toMeet is how many attempts have to meet the step.
func (s Step) toMeet() int {
	if _, is := s.Act.(decider); is {
		return 1
	}
	return max(s.Times, 1)
}

// deciderPlace is that of every decider: the fault has a point of its own.
func deciderPlace() place { return place{fixed: &Point{Phase: RequestEnd}} }

// withDecider is what does not go with an act that decides.
func withDecider(s Step) []error {
	if s.Probability != nil {
		return []error{errors.New("probability: it decides itself which attempts fail; leave it out (a share of failures is a ramp from it to it)")}
	}
	return nil
}
