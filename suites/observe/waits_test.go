package observe

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

func TestTheRoundestTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ measured, late, want time.Duration }{
		{1003 * ms, ms, time.Second},
		{4081 * ms, ms, 4 * time.Second},
		{104400 * time.Microsecond, ms, 100 * ms},
		{161 * ms, 5 * ms, 150 * ms},
		{1234 * ms, ms, 1200 * ms},
		{20900 * time.Microsecond, 0, 20 * ms},
		{21900 * time.Microsecond, 0, 21 * ms},
		{21900 * time.Microsecond, 2 * ms, 20 * ms},
		{0, 0, 0},
		{1, 0, 1},
		{3 * ms, 10 * ms, 3 * ms},
	} {
		if got := roundest(test.measured, test.late); got != test.want {
			t.Errorf("%v on a machine that is %v late: %v; expected %v", test.measured, test.late, got, test.want)
		}
	}
}

// A draft's promises are lower bounds: a guess above what was measured would
// have a correct client fail.
func TestTheRoundestTimeIsWithinTheNoise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		measured := time.Duration(rapid.Int64Range(1, int64(time.Hour)).Draw(t, "measured"))
		late := time.Duration(rapid.Int64Range(0, int64(time.Second)).Draw(t, "late"))
		got := roundest(measured, late)
		if got <= 0 || got > measured || got < measured-noise(measured, late) {
			t.Errorf("%v for %v, of which %v may be noise", got, measured, noise(measured, late))
		}
	})
}

// Any backoff is found again under what a machine adds to its pauses.
func TestABackoffIsFoundUnderNoise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		base := time.Duration(rapid.Int64Range(1, 100).Draw(t, "base")) * 100 * ms
		meant := rapid.SampledFrom([]scenarios.Backoff{
			{Constant: &base}, {Linear: &base}, {Exponential: &base}, {Exponential: &base, Factor: 3},
		}).Draw(t, "backoff")
		late := time.Duration(rapid.Int64Range(0, int64(base/200)).Draw(t, "late"))
		var waits []time.Duration
		for retry := 1; retry <= 4; retry++ {
			pause, _ := meant.Bounds(retry)
			waits = append(waits, pause+time.Duration(rapid.Int64Range(0, int64(late)).Draw(t, "added")))
		}
		found := backoffOf(waits, late)
		if found == nil {
			t.Fatalf("none found in %v", waits)
		}
		for retry, wait := range waits {
			if pause, _ := found.Bounds(retry + 1); pause > wait {
				t.Errorf("retry %d: it promises %v of a pause of %v", retry+1, pause, wait)
			}
		}
	})
}

// 7.5 s is the roundest time for the first pause alone, and too short for the
// fourth.
func TestABackoffIsThatOfAllPauses(t *testing.T) {
	t.Parallel()
	found := backoffOf([]time.Duration{7900 * ms, 15800 * ms, 23700 * ms, 31600 * ms}, 5*ms)
	if found == nil || found.Linear == nil || *found.Linear <= 7500*ms || *found.Linear > 7900*ms {
		t.Errorf("found %+v; expected a linear one of more than 7.5 s", found)
	}
}

func TestPausesToThreeDigits(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		time.Second: "1 s", 1026 * ms: "1.03 s", 327 * ms: "327 ms", 20900 * time.Microsecond: "20.9 ms", 0: "0 ms",
		2000*time.Second + 400*ms: "33m20s", 90 * time.Second: "90 s",
	} {
		if got := exactText(d); got != want {
			t.Errorf("%v: %q; expected %q", d, got, want)
		}
	}
}

func TestManyPausesAreCutShort(t *testing.T) {
	t.Parallel()
	var waits []time.Duration
	for i := range 9 {
		waits = append(waits, time.Duration(i+1)*time.Second)
	}
	if got, want := waitsText(waits, 0), "1 s, 2 s, 3 s, 4 s, …, 9 s"; got != want {
		t.Errorf("%q; expected %q", got, want)
	}
	if got, want := waitsText(waits[:6], 0), "1 s, 2 s, 3 s, 4 s, 5 s, 6 s"; got != want {
		t.Errorf("%q; expected %q", got, want)
	}
}

func TestJitterIsToldFromNoise(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		pauses []time.Duration
		want   jitter
	}{
		{"alike", []time.Duration{1001 * ms, 1003 * ms, 1090 * ms}, noJitter},
		{"drawn", []time.Duration{10 * ms, 300 * ms, 900 * ms}, jitterSeen},
		{"as far apart as timers are late", []time.Duration{20 * ms, 23 * ms, 25 * ms}, unclear},
		{"no pauses at all", []time.Duration{ms, ms, 40 * ms}, noJitter},
		{"one", []time.Duration{10 * ms}, noHerd},
		{"none", nil, noHerd},
	} {
		if _, got := newWitness(runOf(nil, herdOf(test.pauses...))).herd(); got != test.want {
			t.Errorf("%s: %q; expected %q", test.name, got, test.want)
		}
	}
}

func TestAMissingPauseIsToldFromAShortOne(t *testing.T) {
	t.Parallel()
	drawn := herdOf(10*ms, 100*ms, 300*ms)
	for _, test := range []struct {
		name  string
		waits []time.Duration
		herd  []reports.Result
		want  bool
	}{
		{"none is given", []time.Duration{ms, ms, ms}, nil, true},
		{"some are long by the machine's doing", []time.Duration{30 * ms, ms, 40 * ms, ms}, nil, true},
		{"layers that retry one inside the other", []time.Duration{ms, 100 * ms, 9 * ms, 200 * ms, ms, 400 * ms}, nil, true},
		{"each is given", []time.Duration{20 * ms, 20 * ms, 21 * ms}, nil, false},
		{"one proves nothing", []time.Duration{ms}, nil, false},
		{"a first retry at once", []time.Duration{ms, 200 * ms, 400 * ms, 800 * ms}, nil, false},
		{"jitter draws a short one", []time.Duration{3 * ms, 4 * ms, 150 * ms, 300 * ms}, []reports.Result{drawn}, false},
	} {
		w := newWitness(runOf(nil, append(test.herd, seen(onReset, called(failing(), answeredBy(0, test.waits...)...)))...))
		text, contract := hurriedOnReset(w)
		if got := text != ""; got != test.want || got && contract != "backoff.pauses-after-a-lost-connection" {
			t.Errorf("%s: warned of %q by %q; expected a warning: %t", test.name, text, contract, test.want)
		}
	}
}

func TestWaitsThatReadAlikeAreSaidOnce(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pauses []time.Duration
		want   string
	}{
		{[]time.Duration{1001 * ms, 1002 * ms}, "none seen: 2 first waits of 1 s each"},
		{[]time.Duration{1001 * ms, 1012 * ms}, "none seen: 2 first waits from 1 s to 1.01 s"},
	} {
		if got := sayJitter(newWitness(runOf(nil, herdOf(test.pauses...)))); got != test.want {
			t.Errorf("%v: %q; expected %q", test.pauses, got, test.want)
		}
	}
}
