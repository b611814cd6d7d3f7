package reports

import (
	"cmp"
	"fmt"
	"slices"
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
