package faultserver

import "fmt"

// A cursor goes through one script. It is guarded by its session's lock.
//
// An attempt takes the first step, in the script's order, that has servings
// left and whose condition holds. A step that is passed over because its
// condition does not hold stays available to later attempts.
type cursor struct {
	// script is "script", "connections" or "call"; call is the token of the latter.
	script string
	call   string
	steps  []Step
	texts  []string
	// taken and met count, for each step, the attempts that took it and those
	// for which it then happened as intended.
	taken, met []int
	// round counts taken since the script began anew; the steps before first have no
	// servings left in it. (With all steps looked at each time, 64 clients took 0.7 s
	// for a script of 10,000; so, 0.2 s.)
	round []int
	first int
	after AfterScript
	// memories are what the acts that decide remember, by their step.
	memories map[int]*memory
}

// A choice is the step that an attempt takes.
type choice struct {
	cursor *cursor
	step   Step
	ref    StepRef
	// verdict is what the step's act has decided, if it does.
	verdict *verdict
}

func newCursor(script, call string, steps []Step, kind scriptKind, after AfterScript) *cursor {
	n := len(steps)
	c := &cursor{script: script, call: call, steps: steps, after: after, taken: make([]int, n), met: make([]int, n), round: make([]int, n)}
	for _, step := range steps {
		c.texts = append(c.texts, step.textAt(step.point(kind)))
	}
	return c
}

// take chooses the step of the next attempt, which arrives on a connection
// that was used before or not.
func (c *cursor) take(reused bool) choice {
	if c.ended() {
		switch c.after {
		case RepeatAfterScript:
			return c.serve(len(c.steps)-1, reused)
		case LoopAfterScript:
			clear(c.round)
			c.first = 0
		default:
			return choice{step: unscripted, ref: StepRef{Text: "500", Script: c.script, Unscripted: true}}
		}
	}
	for i := c.first; i < len(c.steps); i++ {
		if c.left(i) && c.steps[i].When.holds(reused) {
			return c.serve(i, reused)
		}
	}
	return c.unmatched()
}

// unscripted is what an attempt beyond the script's end gets.
var unscripted = Step{Act: Respond{Answer{Status: 500, Body: Body{Text: "faultsrv: an attempt beyond the script's end\n"}}}}

func (c *cursor) unmatched() choice {
	return choice{step: Step{Act: Succeed{}}, ref: StepRef{Text: Succeed{}.ActName(), Script: c.script, Unmatched: true}}
}

func (c *cursor) serve(i int, reused bool) choice {
	if !c.steps[i].When.holds(reused) {
		return c.unmatched()
	}
	c.taken[i]++
	c.round[i]++
	return choice{cursor: c, step: c.steps[i], ref: StepRef{Index: i + 1, Script: c.script, Text: c.texts[i]}}
}

// left tells whether a step can serve one more attempt.
func (c *cursor) left(i int) bool {
	serves := c.steps[i].Serves()
	return serves == Forever || c.round[i] < serves
}

// next is the first step with servings left, if there is one.
func (c *cursor) next() (index int, found bool) {
	for ; c.first < len(c.steps); c.first++ {
		if c.left(c.first) {
			return c.first, true
		}
	}
	return 0, false
}

// ended tells whether every step has served its attempts.
func (c *cursor) ended() bool {
	_, left := c.next()
	return !left
}

func (w When) holds(reused bool) bool {
	switch w.Connection {
	case FreshConnection:
		return !reused
	case ReusedConnection:
		return reused
	}
	return true
}

// unmet lists the required steps that were not met as often as they are to
// serve; one that serves forever is to be met once.
func (c *cursor) unmet() []string {
	var list []string
	for i, step := range c.steps {
		want := step.toMeet()
		if step.Optional || c.met[i] >= want {
			continue
		}
		text := fmt.Sprintf("step %d: %s", i+1, c.texts[i])
		switch c.script {
		case "call":
			text = fmt.Sprintf("call %s, %s", c.call, text)
		case "connections":
			text = "connections, " + text
		}
		if want > 1 {
			text += fmt.Sprintf(" (met by %d of %d)", c.met[i], want)
		} else if c.taken[i] > 0 {
			text += " (taken, but it did not happen as intended)"
		}
		list = append(list, text)
	}
	return list
}
