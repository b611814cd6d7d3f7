package reports

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// clock is a time or a pause for a sentence or a label: "0.42 ms", "41.2 ms", "1.041 s".
func clock(d time.Duration) string {
	switch size := d.Abs(); {
	case d < -5*time.Microsecond: // less is nothing, and nothing has no sign
		return "−" + clock(size)
	case size >= 10*time.Minute:
		return d.Round(time.Second).String()
	case size >= time.Second:
		return trimmed(fmt.Sprintf("%.3f", d.Seconds())) + " s"
	case size >= time.Millisecond:
		return trimmed(fmt.Sprintf("%.1f", milliseconds(d))) + " ms"
	default:
		return trimmed(fmt.Sprintf("%.2f", milliseconds(d))) + " ms"
	}
}

// columnOf is a time for a column whose head says that it is in milliseconds.
func columnOf(d time.Duration) string {
	return strings.Replace(fmt.Sprintf("%.1f", milliseconds(d)), "-", "−", 1)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// trimmed leaves out zeros that say nothing, and the sign of nothing.
func trimmed(number string) string {
	number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	if number == "-0" {
		return "0"
	}
	return number
}

// An axis maps the time that is drawn to the width of a drawing.
type axis struct{ from, until time.Duration }

// The part of the width, in percent, that the axis takes: what happens at its
// ends needs room for its mark.
const (
	axisLeft  = 1.0
	axisRight = 98.0
)

// percent is a place or a width, in percent of a drawing's width: so that a
// drawing fits any screen to scale, with its text as large as all text.
type percent float64

// String is the percentage as SVG wants it.
func (p percent) String() string { return trimmed(fmt.Sprintf("%.3f", float64(p))) + "%" }

// at is the place of a time; one beyond the axis is at the drawing's edge.
func (a axis) at(t time.Duration) percent {
	if t > a.until {
		return 100
	}
	return max(0, percent(axisLeft+(axisRight-axisLeft)*float64(t-a.from)/float64(max(a.until-a.from, 1))))
}

// tick is a mark of the axis.
type tick struct {
	X            percent
	Text, Anchor string
}

// ticks are marks at round times, counted from zero, which need not be the
// axis's beginning.
func (a axis) ticks(zero time.Duration) []tick {
	const (
		most = 6
		edge = 4
	)
	step := roundStep((a.until - a.from) / most)
	var marks []tick
	for at := zero - (zero - a.from).Truncate(step); at <= a.until; at += step {
		mark := tick{a.at(at), clock(at - zero), "middle"}
		// A text in the middle of a mark at the edge would be cut.
		if mark.X < edge {
			mark.Anchor = "start"
		} else if mark.X > 100-edge {
			mark.Anchor = "end"
		}
		marks = append(marks, mark)
	}
	return marks
}

// roundStep is the least of 1, 2, 5, 10, 20, 50, … ns that is no less than d.
func roundStep(d time.Duration) time.Duration {
	if d <= 1 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(float64(d))))
	for _, factor := range []float64{1, 2, 5} {
		if step := time.Duration(factor * power); step >= d {
			return step
		}
	}
	return time.Duration(10 * power)
}
