package observe

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// noiseShare is the part of a measured pause that may be the machine's: timers
// and processes make a pause longer, never shorter. On two busy cores curl's
// pauses of 1, 2 and 4 s measured up to 1.03, 2.00 and 4.08 s.
const noiseShare = 0.05

// noise is how much of a pause may be the machine's.
func noise(pause, lateness time.Duration) time.Duration {
	return lateness + time.Duration(noiseShare*float64(pause))
}

// roundest is the roundest time that a measured pause can have been meant to be.
func roundest(pause, lateness time.Duration) time.Duration {
	return roundestBetween(pause-noise(pause, lateness), pause)
}

// roundestBetween is the roundest time from least to most.
func roundestBetween(least, most time.Duration) time.Duration {
	for unit := time.Duration(math.Pow10(int(math.Log10(max(float64(most), 1))) + 1)); unit > 1; unit /= 10 {
		for _, grain := range []time.Duration{unit, unit / 2} {
			if candidate := most.Truncate(max(grain, 1)); candidate > 0 && candidate >= least {
				return candidate
			}
		}
	}
	return most
}

// waitText is a pause as it may have been meant: "1 s", "150 ms".
func waitText(pause, lateness time.Duration) string {
	return exactText(roundest(pause, lateness))
}

// exactText is a duration to three digits: "1.03 s", "327 ms".
func exactText(d time.Duration) string {
	switch {
	case d >= 1000*time.Second:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return strconv.FormatFloat(d.Seconds(), 'g', 3, 64) + " s"
	default:
		return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'g', 3, 64) + " ms"
	}
}

// waitsText are pauses in their order; of many, the first and the last.
func waitsText(waits []time.Duration, lateness time.Duration) string {
	const shown = 6
	var texts []string
	for i, wait := range waits {
		switch {
		case len(waits) <= shown || i < shown-2 || i == len(waits)-1:
			texts = append(texts, waitText(wait, lateness))
		case i == shown-2:
			texts = append(texts, "…")
		}
	}
	return strings.Join(texts, ", ")
}

// noPause is what a pause is below that is none: a machine makes pauses longer,
// never shorter, and no contract asks for less than 20 ms.
const noPause = 5 * time.Millisecond

func isNone(pause time.Duration) bool { return pause < noPause }

// jitter is whether the first pauses of calls that failed together differ.
type jitter string

const (
	jitterSeen jitter = "seen"
	noJitter   jitter = "none seen"
	// unclear: they differ, and by no more than this machine's timers may make them.
	unclear jitter = "no telling, as this machine's timers are late"
	// noHerd: there were no two pauses to compare.
	noHerd jitter = ""
)

// alikeShare is the part of the longest pause by which pauses may differ and
// still count as alike. Eight draws of full jitter lie so close with a
// probability of 10⁻⁶, of equal jitter of 10⁻⁴; eight pauses of one second of
// curl measured 1.00 to 1.04 s.
const alikeShare = 0.1

// herd are the first pauses of calls that failed together, sorted.
func (w *witness) herd() ([]time.Duration, jitter) {
	var pauses []time.Duration
	var lateness time.Duration
	for _, call := range w.calls(firstPauses) {
		if pause, known := call.firstWait(); known {
			pauses = append(pauses, pause)
			lateness = call.lateness
		}
	}
	if len(pauses) < 2 {
		return nil, noHerd
	}
	slices.Sort(pauses)
	longest := pauses[len(pauses)-1]
	differ, alike := longest-pauses[0], time.Duration(alikeShare*float64(longest))
	switch {
	case differ <= alike, isNone(pauses[len(pauses)/2]):
		return pauses, noJitter
	case differ > alike+2*lateness:
		return pauses, jitterSeen
	default:
		return pauses, unclear
	}
}

// backoffOf guesses the backoff that pauses were made by: constant, linear or
// exponential, without jitter. It is nil where none of them fits, and where a
// single pause fits them all.
func backoffOf(waits []time.Duration, lateness time.Duration) *scenarios.Backoff {
	if len(waits) < 2 {
		return nil
	}
	unit := time.Second
	for _, shape := range []scenarios.Backoff{
		{Constant: &unit}, {Exponential: &unit}, {Exponential: &unit, Factor: 3}, {Linear: &unit},
	} {
		if base, ok := baseOf(shape, waits, lateness); ok {
			unit = base // which every shape points to
			return &shape
		}
	}
	return nil
}

// baseOf is the roundest base with which a backoff without jitter makes these
// pauses; its own is the unit.
func baseOf(shape scenarios.Backoff, waits []time.Duration, lateness time.Duration) (base time.Duration, ok bool) {
	least, most := time.Duration(0), time.Duration(math.MaxInt64)
	for i, wait := range waits {
		pause, _ := shape.Bounds(i + 1)
		units := pause.Seconds()
		most = min(most, time.Duration(float64(wait)/units))
		least = max(least, time.Duration(math.Ceil(float64(wait-noise(wait, lateness))/units)))
	}
	if least > most {
		return 0, false
	}
	return roundestBetween(least, most), true
}
