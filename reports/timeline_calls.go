package reports

import (
	"fmt"
	"slices"
	"time"
)

// lanes is a call and its attempts, by their place in Result.Attempts. A call
// that nobody made has attempts alone: those that came without one.
type lanes struct {
	call     *Call
	token    string
	attempts []int
}

func (l lanes) started() time.Duration {
	if l.call == nil {
		return 0
	}
	return l.call.Meta.Started
}

// callsOf are the calls in their order, and after them what came for no call.
func callsOf(result Result) []lanes {
	var calls []lanes
	at := map[string]int{}
	for i := range result.Calls {
		at[result.Calls[i].Token] = len(calls)
		calls = append(calls, lanes{call: &result.Calls[i], token: result.Calls[i].Token})
	}
	for i, attempt := range result.Attempts {
		place, known := at[attempt.Call]
		if !known {
			place = len(calls)
			at[attempt.Call] = place
			calls = append(calls, lanes{token: attempt.Call})
		}
		calls[place].attempts = append(calls[place].attempts, i)
	}
	return calls
}

// moment is a time at which something happened to a call.
type moment struct {
	name string
	at   time.Duration
}

// moments are those of a call that happened.
func moments(meta CallMeta) []moment {
	all := []moment{{"started", meta.Started}, {"cancelled", meta.Cancelled}, {"returned", meta.Returned}}
	return slices.DeleteFunc(all, func(m moment) bool { return m.at == 0 && m.name != "started" })
}

// drawMoments names the moments of a call, each in a line of its own, so that
// close ones can be read.
func (d *drawer) drawMoments(c lanes) {
	if c.call == nil {
		return
	}
	for _, m := range moments(c.call.Meta) {
		text := fmt.Sprintf("%s %s", m.name, clock(m.at-d.zero))
		if m.name == "returned" {
			text += d.allowReturn(c.call.Token, m.at)
		}
		d.beside(m.at, m.at, d.y+11, "moment "+m.name, text)
		d.y += momentHeight
	}
}

// allowReturn draws when the call had to return, and says how it was missed.
func (d *drawer) allowReturn(token string, at time.Duration) string {
	allowed, limited := d.limits[limitKey{call: token}]
	if !limited {
		return ""
	}
	d.allow(allowed, at, d.y, momentHeight)
	return allowed.missedBy(at)
}

func (d *drawer) momentLines(c lanes, top, bottom int) {
	if c.call == nil {
		return
	}
	for _, m := range moments(c.call.Meta) {
		d.Moments = append(d.Moments, rule{d.axis.at(m.at), top, bottom, m.name})
	}
}
