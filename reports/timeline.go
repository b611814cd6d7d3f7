package reports

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
)

// The most that is drawn: more lanes than these nobody reads, and each is a
// line of a page that holds every contract. Of a longer list its beginning and
// its end are drawn, as in the attempt table.
const (
	mostCalls = 8
	headLanes = 30
	tailLanes = 10
	mostLanes = headLanes + tailLanes
	// mostPauses is how many attempts of a call may share a lane with the pauses
	// between them.
	mostPauses = 3
)

// What has room, in percent of the width: a label of a pause, the marks inside
// an attempt. On the narrowest drawing, 512 pixels, these are 66 and 8.
const (
	labelShare  = 13.0
	markedShare = 1.5
)

// A timeline is what happened to a contract's calls, laid out to scale: lists
// of shapes, with places across in percent and down in pixels.
type timeline struct {
	Title, Description string
	Height             int
	// PlotTop and PlotBottom are where the axis's lines begin and end.
	PlotTop, PlotBottom int
	Ticks               []tick
	Bands               []box
	Allowed             []box
	Moments             []rule
	Spans               []stretch
	Bars                []box
	Marks               []rule
	Labels              []label
	// Effects are those that are drawn, for the legend.
	Effects []effect
	// Has… tell what else the legend has to explain.
	HasGaps, HasLimits, HasMarks bool
	// Notes say what is not drawn.
	Notes []string
}

// The shapes. A Class is always a word of ours, a Tip and a Text anybody's.
type (
	box struct {
		X, W  percent
		Y, H  int
		Class string
		Tip   string
	}
	rule struct {
		X      percent
		Y1, Y2 int
		Class  string
	}
	stretch struct {
		X1, X2 percent
		Y      int
		Class  string
	}
	label struct {
		X percent
		// Shift moves it off the line that it stands at, in pixels.
		Y, Shift int
		Anchor   string
		Class    string
		Text     string
	}
)

// The heights of what stands in a lane, in pixels.
const (
	axisHeight   = 24
	titleHeight  = 20
	momentHeight = 15
	laneHeight   = 40
	barTop       = 17
	barHeight    = 12
	groupSpace   = 10
)

// drawer lays a timeline out from the top down.
type drawer struct {
	timeline

	result Result
	rows   []assertions.Row
	axis   axis
	zero   time.Duration
	limits map[limitKey]allowance
	y      int
}

// newTimeline draws a result's attempts; nil where there is nothing to draw.
func newTimeline(result Result) *timeline {
	if len(result.Attempts) == 0 && len(result.Windows) == 0 {
		return nil
	}
	d := drawer{
		result: result, rows: attemptRows(result), zero: zeroOf(result),
		axis: axisOf(result), limits: allowances(result.Checks), y: axisHeight,
	}
	d.PlotTop = axisHeight - 4
	d.Title = fmt.Sprintf("The attempts of %s over %s", result.ID, clock(d.axis.until-d.axis.from))
	d.Description = d.describe()
	d.Ticks = d.axis.ticks(d.zero)
	calls := callsOf(result)
	if len(calls) > mostCalls || len(calls) > 1 && len(result.Attempts) > mostLanes {
		d.drawCallLanes(calls)
	} else {
		d.drawAttemptLanes(calls)
	}
	d.PlotBottom = d.y
	d.Height = d.y + 4
	d.drawWindows()
	return &d.timeline
}

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

// drawAttemptLanes gives each attempt a lane, in groups by call.
func (d *drawer) drawAttemptLanes(calls []lanes) {
	for _, call := range calls {
		top := d.y
		d.text(0, d.y+14, "start", "call", d.callText(call))
		d.y += titleHeight
		d.drawMoments(call)
		shown, skipped := ends(call.attempts)
		for n, i := range shown {
			if skipped > 0 && n == headLanes {
				d.text(50, d.y+14, "middle", "skipped", fmt.Sprintf("… %d more attempts, not drawn …", skipped))
				d.y += titleHeight
				d.Notes = append(d.Notes, fmt.Sprintf("Of %d attempts the first %d and the last %d are drawn.", len(call.attempts), headLanes, tailLanes))
			}
			d.drawAttempt(i, d.y)
			d.y += laneHeight
		}
		d.momentLines(call, top+titleHeight, d.y)
		d.y += groupSpace
	}
}

// drawCallLanes gives each call one lane.
func (d *drawer) drawCallLanes(calls []lanes) {
	slices.SortStableFunc(calls, func(a, b lanes) int { return cmp.Compare(a.started(), b.started()) })
	shown, skipped := ends(calls)
	for n, call := range shown {
		if skipped > 0 && n == headLanes {
			d.text(50, d.y+14, "middle", "skipped", fmt.Sprintf("… %d more calls, not drawn …", skipped))
			d.y += titleHeight
			d.Notes = append(d.Notes, fmt.Sprintf("Of %d calls the first %d and the last %d are drawn.", len(calls), headLanes, tailLanes))
		}
		d.text(0, d.y+12, "start", "lane", d.callText(call))
		if call.call != nil {
			d.Spans = append(d.Spans, stretch{d.axis.at(call.call.Meta.Started), d.axis.at(call.call.Meta.Returned), d.y + barTop + barHeight/2, "span"})
		}
		d.momentLines(call, d.y+barTop-3, d.y+barTop+barHeight+3)
		for _, i := range call.attempts {
			if len(call.attempts) <= mostPauses {
				d.drawPause(i, d.y)
			}
			d.bar(i, d.y)
		}
		d.y += laneHeight
	}
}

// ends are the beginning and the end of a list that is too long to draw, and
// how many are left out between them.
func ends[T any](list []T) (shown []T, skipped int) {
	if len(list) <= mostLanes {
		return list, 0
	}
	return slices.Concat(list[:headLanes], list[len(list)-tailLanes:]), len(list) - mostLanes
}

func (d *drawer) callText(c lanes) string {
	attempts := fmt.Sprintf("%d attempts", len(c.attempts))
	if len(c.attempts) == 1 {
		attempts = "1 attempt"
	}
	if c.call == nil {
		return "no call that was made: " + attempts
	}
	text := fmt.Sprintf("%s: %s %s, %s", c.call.Token, c.call.Method, c.call.Path, attempts)
	if got := shortOutcome(c.call.Outcome); got != "" {
		text += ", the caller got " + got
	}
	return text
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

// drawAttempt draws an attempt's lane: the pause before it, what that was
// allowed to be, the attempt, and what became of it.
func (d *drawer) drawAttempt(i, y int) {
	attempt, row := d.result.Attempts[i], d.rows[i]
	text := fmt.Sprintf("#%d %s", attempt.Number, row.Fault)
	if row.Answer != row.Fault {
		text += " → " + row.Answer
	}
	text += d.drawPause(i, y)
	class := "attempt"
	if allowed, limited := d.limits[limitKey{attempt: attempt.Index}]; limited && !allowed.kept {
		class = "attempt missed"
	}
	d.beside(attempt.Meta.Arrived, d.bar(i, y), y+12, class, text)
}

// drawPause draws the pause before an attempt, if there was one, and when the
// attempt was allowed to come. It returns what the drawing has no room to say.
func (d *drawer) drawPause(i, y int) string {
	attempt, text := d.result.Attempts[i], ""
	allowed, limited := d.limits[limitKey{attempt: attempt.Index}]
	if limited {
		d.allow(allowed, attempt.Meta.Arrived, y+barTop-3, barHeight+6)
	}
	if gap := attempt.Meta.Gap; gap != nil {
		class := "gap"
		if limited && !allowed.kept {
			class = "gap missed"
		}
		from, until, middle := d.axis.at(attempt.Meta.Arrived-*gap), d.axis.at(attempt.Meta.Arrived), y+barTop+barHeight/2
		d.HasGaps = true
		d.Spans = append(d.Spans, stretch{from, until, middle, class})
		if until-from >= labelShare {
			d.text((from+until)/2, middle+13, "middle", class, clock(*gap))
		} else {
			text = ", after " + clock(*gap)
		}
	}
	if limited {
		text += allowed.missedBy(attempt.Meta.Arrived)
	}
	return text
}

// bar draws an attempt from its arrival to its end, which it returns.
func (d *drawer) bar(i, y int) time.Duration {
	attempt := d.result.Attempts[i]
	meta, made := attempt.Meta, effectOf(attempt)
	end := max(meta.EndLatest, meta.Arrived)
	if attempt.Open {
		end = d.axis.until
	}
	x := d.axis.at(meta.Arrived)
	width := d.axis.at(end) - x
	d.Bars = append(d.Bars, box{x, width, y + barTop, barHeight, made.Class, d.attemptText(i)})
	if !slices.Contains(d.Effects, made) {
		d.Effects = append(d.Effects, made)
	}
	if width < markedShare {
		return end
	}
	for _, m := range []moment{{"head-read", meta.HeadRead}, {"body-read", meta.BodyRead}, {"answered", meta.Answered}} {
		if m.at > 0 {
			d.HasMarks = true
			d.Marks = append(d.Marks, rule{d.axis.at(m.at), y + barTop, y + barTop + barHeight, m.name})
		}
	}
	return end
}

// allow draws when something was allowed to happen that did happen at some time.
func (d *drawer) allow(allowed allowance, happened time.Duration, y, height int) {
	from, until := percent(0), percent(100)
	if allowed.notBefore != nil {
		from = d.axis.at(*allowed.notBefore)
	}
	if allowed.notAfter != nil {
		until = d.axis.at(*allowed.notAfter)
	}
	d.HasLimits = true
	d.Allowed = append(d.Allowed, box{X: from, W: max(until-from, 0), Y: y, H: height})
	for _, x := range []percent{from, until} {
		if 0 < x && x < 100 {
			d.Marks = append(d.Marks, rule{x, y, y + height, "limit"})
		}
	}
	if room := from - d.axis.at(happened); allowed.notBefore != nil && room >= labelShare {
		text := "allowed from " + clock(*allowed.notBefore-d.zero)
		if from == 100 {
			text += " →"
		}
		d.text(from, y+height-5, "end", "limit", text)
	}
}

// drawWindows draws the times in which the listener refused, behind all lanes.
func (d *drawer) drawWindows() {
	for _, window := range d.result.Windows {
		until := window.Meta.Until
		if until == 0 {
			until = d.axis.until
		}
		from := d.axis.at(window.Meta.From)
		d.Bands = append(d.Bands, box{from, d.axis.at(until) - from, d.PlotTop, d.PlotBottom - d.PlotTop, "refused", window.Act})
	}
}

func (d *drawer) text(x percent, y int, anchor, class, text string) {
	const space = 4
	shift := map[string]int{"start": space, "end": -space}[anchor]
	if x == 0 {
		shift = 0
	}
	d.Labels = append(d.Labels, label{x, y, shift, anchor, class, clean(text)})
}

// beside sets a text to where there is more room: to the right of a beginning,
// or to the left of an end.
func (d *drawer) beside(from, until time.Duration, y int, class, text string) {
	left, right := d.axis.at(until), 100-d.axis.at(from)
	if right >= left {
		d.text(d.axis.at(from), y, "start", class, text)
		return
	}
	d.text(d.axis.at(until), y, "end", class, text)
}

// describe says in sentences what is drawn, for who cannot see it.
func (d *drawer) describe() string {
	var sentences []string
	shown, skipped := ends(d.result.Attempts)
	for n := range shown {
		i := n
		if skipped > 0 && n >= headLanes {
			i += skipped
		}
		sentences = append(sentences, d.attemptText(i)+".")
	}
	if skipped > 0 {
		sentences = slices.Insert(sentences, headLanes, fmt.Sprintf("%d more attempts.", skipped))
	}
	for _, call := range d.result.Calls[:min(len(d.result.Calls), mostCalls)] {
		var parts []string
		for _, m := range moments(call.Meta) {
			parts = append(parts, fmt.Sprintf("%s at %s", m.name, clock(m.at-d.zero)))
		}
		sentences = append(sentences, fmt.Sprintf("Call %s %s.", call.Token, strings.Join(parts, ", ")))
	}
	return clean(strings.Join(append(sentences, "The table of attempts has the same data."), " "))
}

// attemptText is an attempt as a sentence without its full stop.
func (d *drawer) attemptText(i int) string {
	attempt, row := d.result.Attempts[i], d.rows[i]
	text := fmt.Sprintf("Attempt %d", attempt.Number)
	if len(d.result.Calls) > 1 {
		text += " of " + attempt.Call
	}
	text += " came at " + clock(attempt.Meta.Arrived-d.zero)
	if attempt.Meta.Gap != nil {
		text += fmt.Sprintf(", %s after the one before it ended", clock(*attempt.Meta.Gap))
	}
	return clean(fmt.Sprintf("%s, took %s, fault %s, answer %s", text, clock(max(attempt.Meta.EndLatest-attempt.Meta.Arrived, 0)), row.Fault, row.Answer))
}
