package reports

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// manyAttempts is a failure of calls with so many attempts each.
func manyAttempts(id string, calls, each int) Result {
	e, j := samplePass()
	e.Contract.ID = id
	e.Journal.Attempts, e.Calls = nil, nil
	for call := range calls {
		token := fmt.Sprintf("call-%d", call+1)
		record := oneCall("GET", scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 503})[0]
		record.Token = token
		begin := ms(10 * call)
		record.Started, record.Returned = begin, begin+ms(50*each)
		e.Calls = append(e.Calls, record)
		for n := range each {
			attempt := answered(n+1, "GET", 503, begin+ms(50*n+2))
			attempt.Call, attempt.Index = token, len(e.Journal.Attempts)+1
			e.Journal.Attempts = append(e.Journal.Attempts, attempt)
		}
	}
	return FromEvidence(e, j, Options{Redactor: sampleRedactor()})
}

func crowd() Run {
	return Assemble(Run{}, []Result{manyAttempts("jitter.crowd", 200, 2)}, sampleRedactor())
}

func long() Run {
	return Assemble(Run{}, []Result{manyAttempts("backoff.long", 1, 200)}, sampleRedactor())
}

func TestTheTimelineIsToScale(t *testing.T) {
	e, j := samplePass()
	e.Journal.Attempts = []faultserver.Attempt{answered(1, "GET", 503, ms(10)), answered(2, "GET", 503, ms(40)), answered(3, "GET", 200, ms(100))}
	e.Calls[0].Started, e.Calls[0].Returned = 0, ms(110)
	drawn := newTimeline(FromEvidence(e, j, Options{Redactor: sampleRedactor()}))
	x := mapped(drawn.Bars, func(b box) float64 { return float64(b.X) })
	if got := (x[2] - x[1]) / (x[1] - x[0]); math.Abs(got-2) > 1e-9 {
		t.Errorf("a pause of 60 ms is drawn %.3f times as long as one of 30 ms", got)
	}
	started, returned := drawn.Moments[0], drawn.Moments[1]
	if started.X != axisLeft || returned.X != axisRight {
		t.Errorf("expected the axis from the call's start to its return, got %v to %v", started.X, returned.X)
	}
	if drawn.Bars[0].Class != "error" || drawn.Bars[2].Class != "success" {
		t.Errorf("expected an answer's class to be that of its status, got %q and %q", drawn.Bars[0].Class, drawn.Bars[2].Class)
	}
}

// limited is a call with one retry, and a check that limits when it may come.
func limited(arrived time.Duration, limit assertions.Limit) *timeline {
	e, j := samplePass()
	e.Journal.Attempts = []faultserver.Attempt{answered(1, "GET", 503, ms(1)), answered(2, "GET", 200, arrived)}
	e.Calls[0].Started, e.Calls[0].Returned = 0, arrived+ms(3)
	limit.Call, limit.Attempt = "call-1", 2
	j.Checks = []assertions.Check{{Name: "gaps", Part: assertions.PartExpect, OK: ok(limit.Kept), Limits: []assertions.Limit{limit}}}
	return newTimeline(FromEvidence(e, j, Options{Redactor: sampleRedactor()}))
}

func (t *timeline) says(text string) bool {
	return slices.ContainsFunc(t.Labels, func(l label) bool { return strings.Contains(l.Text, text) })
}

func TestTheTimelineShowsWhatWasAllowed(t *testing.T) {
	early := limited(ms(41), assertions.Limit{NotBefore: after(ms(1002))})
	if bar, allowed := early.Bars[1], early.Allowed[0]; bar.X >= allowed.X || allowed.X > axisRight {
		t.Errorf("expected the attempt at %v before what was allowed at %v", bar.X, allowed.X)
	}
	for _, text := range []string{"961 ms too early", "allowed from 1.001 s"} {
		if !early.says(text) {
			t.Errorf("no label says %q: %+v", text, early.Labels)
		}
	}
	kept := limited(ms(1010), assertions.Limit{NotBefore: after(ms(1002)), Kept: true})
	if bar, allowed := kept.Bars[1], kept.Allowed[0]; bar.X < allowed.X || kept.says("too early") {
		t.Errorf("expected the attempt at %v within what was allowed from %v", bar.X, allowed.X)
	}
	late := limited(ms(500), assertions.Limit{NotAfter: after(ms(100))})
	if bar, allowed := late.Bars[1], late.Allowed[0]; bar.X <= allowed.X+allowed.W || !late.says("400 ms too late") {
		t.Errorf("expected the attempt at %v after what was allowed until %v", bar.X, allowed.X+allowed.W)
	}
}

// A limit an hour ahead must not press everything else into one line.
func TestAFarLimitIsSaidAndNotDrawn(t *testing.T) {
	drawn := limited(ms(41), assertions.Limit{NotBefore: after(time.Hour)})
	if !drawn.says("1h0m0s too early") {
		t.Errorf("no label says how far the limit is: %+v", drawn.Labels)
	}
	if allowed := drawn.Allowed[0]; allowed.X != 100 || allowed.W != 0 {
		t.Errorf("expected nothing allowed on the axis, got %+v", allowed)
	}
	if first, second := drawn.Bars[0].X, drawn.Bars[1].X; second-first < 50 {
		t.Errorf("the attempts are drawn at %v and %v, too close to be told apart", first, second)
	}
}

func TestALateReturnIsShown(t *testing.T) {
	e, j := samplePass()
	e.Calls[0].Cancelled, e.Calls[0].Returned = ms(20), ms(900)
	j.Checks = []assertions.Check{{Name: "returns", OK: no(), Limits: []assertions.Limit{{Call: "call-1", NotAfter: after(ms(120))}}}}
	drawn := newTimeline(FromEvidence(e, j, Options{Redactor: sampleRedactor()}))
	if !drawn.says("cancelled 18 ms") || !drawn.says("780 ms too late") {
		t.Errorf("expected the cancellation and by how much the return was late: %+v", drawn.Labels)
	}
}

func TestMuchIsCappedAndSaidToBe(t *testing.T) {
	for name, test := range map[string]struct {
		result Result
		bars   int
		says   string
	}{
		"calls":    {crowd().Results[0], 2 * mostLanes, "160 more calls, not drawn"},
		"attempts": {long().Results[0], mostLanes, "160 more attempts, not drawn"},
		"few":      {manyAttempts("a.b", 3, 4), 12, "call-3"},
		"a dozen":  {manyAttempts("a.b", 12, 2), 24, "call-12"},
	} {
		drawn := newTimeline(test.result)
		if len(drawn.Bars) != test.bars || !drawn.says(test.says) {
			t.Errorf("%s: expected %d attempts drawn and the text %q, got %d", name, test.bars, test.says, len(drawn.Bars))
		}
		if capped := strings.Contains(test.says, "not drawn"); capped != (len(drawn.Notes) > 0) {
			t.Errorf("%s: notes %q", name, drawn.Notes)
		}
		if apart := drawn.says("#1 503"); apart != (name == "few" || name == "attempts") {
			t.Errorf("%s: attempts have lanes of their own: %v", name, apart)
		}
		if rows := newAttemptTable(test.result).Rows; len(rows) > mostLanes+1 {
			t.Errorf("%s: the table has %d rows", name, len(rows))
		}
	}
	if size := len(rendered(t, HTML, crowd())); size > 200_000 {
		t.Errorf("a page of 400 attempts has %d bytes: it must not grow with them", size)
	}
}

func TestNothingToDraw(t *testing.T) {
	e, j := sampleUnsupported()
	if drawn := newTimeline(FromEvidence(e, j, Options{Redactor: sampleRedactor()})); drawn != nil {
		t.Errorf("expected no drawing, got %+v", drawn)
	}
}

func TestEveryEffectHasAClassAndAWord(t *testing.T) {
	for kind, want := range map[string]string{
		"answer": "error", "reset": "reset", "close": "close", "truncate": "truncate", "stall": "stall", "accept-hang": "stall",
		"stale": "stale", "client-left": "left", "failed": "failed", "never heard of": "other",
		"pass": "error", "expect-continue": "error", "dribble": "stall", "bandwidth": "stall", "slow-read": "stall", "malformed": "truncate",
		"raw": "truncate", "tls": "truncate", "bad-body": "left",
	} {
		if got := effectOf(Attempt{Status: 503, Happened: faultserver.Effect{Kind: kind}}); got.Class != want || got.Text == "" {
			t.Errorf("%s: expected %s, got %+v", kind, want, got)
		}
		if !strings.Contains(pageStyle, ".effect-"+want+" ") {
			t.Errorf("the style has no color for %s", want)
		}
	}
	if got := effectOf(Attempt{Open: true}); got.Class != "open" {
		t.Errorf("expected open, got %+v", got)
	}
}

// Whatever the times are, nothing is drawn outside, no width is negative, and
// what came later stands no further left.
func TestEveryDrawingHoldsTogether(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		when := rapid.Custom(func(t *rapid.T) time.Duration {
			return time.Duration(rapid.Int64Range(0, int64(time.Hour)).Draw(t, "ns"))
		})
		e, j := samplePass()
		e.Journal.Attempts = nil
		for i, arrived := range rapid.SliceOfN(when, 1, 50).Draw(t, "arrivals") {
			a := answered(i+1, "GET", 503, arrived)
			a.End.Earliest = arrived + when.Draw(t, "end")
			a.End.Latest = a.End.Earliest + when.Draw(t, "latest")
			a.Open = rapid.Bool().Draw(t, "open")
			e.Journal.Attempts = append(e.Journal.Attempts, a)
		}
		e.Calls[0].Started, e.Calls[0].Returned, e.Calls[0].Cancelled = when.Draw(t, "started"), when.Draw(t, "returned"), when.Draw(t, "cancelled")
		before, until := when.Draw(t, "not before"), when.Draw(t, "not after")
		j.Checks = []assertions.Check{{OK: no(), Limits: []assertions.Limit{{Call: "call-1", Attempt: 2, NotBefore: &before, NotAfter: &until}, {Call: "call-1", NotAfter: &until}}}}
		drawn := newTimeline(FromEvidence(e, j, Options{Redactor: sampleRedactor()}))
		for _, b := range slices.Concat(drawn.Bars, drawn.Allowed) {
			if b.X < 0 || b.W < 0 || b.X+b.W > 100.0001 || b.Y+b.H > drawn.Height {
				t.Fatalf("outside of the drawing: %+v", b)
			}
		}
		for _, s := range drawn.Spans {
			if s.Class == "gap" && s.X1 < 0 || s.X2 > 100 {
				t.Fatalf("outside of the drawing: %+v", s)
			}
		}
		for _, m := range drawn.Ticks {
			if m.X < 0 || m.X > axisRight {
				t.Fatalf("a tick beyond the axis: %+v", m)
			}
		}
		if len(drawn.Ticks) > 10 {
			t.Fatalf("%d ticks", len(drawn.Ticks))
		}
	})
}

func TestClock(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0 ms", 420 * time.Microsecond: "0.42 ms", 41200 * time.Microsecond: "41.2 ms", ms(1041): "1.041 s", ms(2000): "2 s",
		-ms(15): "−15 ms", -time.Microsecond: "0 ms", ms(100): "100 ms", time.Hour: "1h0m0s",
	} {
		if got := clock(d); got != want {
			t.Errorf("%d: expected %q, got %q", d, want, got)
		}
	}
}

func TestRoundStep(t *testing.T) {
	for d, want := range map[time.Duration]time.Duration{0: 1, 1: 1, 3: 5, 10: 10, 11: 20, 21: 50, 51: 100, ms(7): ms(10), time.Second: time.Second} {
		if got := roundStep(d); got != want {
			t.Errorf("%d: expected %d, got %d", d, want, got)
		}
	}
}
