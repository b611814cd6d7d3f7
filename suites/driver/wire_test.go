package driver

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/scenarios"
)

func ptr[T any](value T) *T { return &value }

// A policy that is told and promised back is the same: nothing is lost in the
// message.
func TestAPolicySurvivesItsMessage(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		// Microseconds, exact in a number of milliseconds with a fraction.
		duration := rapid.Map(rapid.Int64Range(0, int64(time.Hour/time.Microsecond)), func(us int64) time.Duration { return time.Duration(us) * time.Microsecond })
		backoff := scenarios.Backoff{
			Max:    duration.Draw(t, "max"),
			Jitter: rapid.SampledFrom([]scenarios.Jitter{scenarios.NoJitter, scenarios.FullJitter, scenarios.EqualJitter, scenarios.DecorrelatedJitter}).Draw(t, "jitter"),
		}
		base := duration.Draw(t, "base")
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			backoff.Constant = &base
		case 1:
			backoff.Linear = &base
		default:
			backoff.Exponential, backoff.Factor = &base, rapid.Float64Range(1, 100).Draw(t, "factor")
		}
		told := scenarios.Policy{
			Attempts: ptr(rapid.IntRange(1, 1000).Draw(t, "attempts")), Backoff: &backoff,
			Timeouts: &scenarios.Timeouts{Attempt: duration.Draw(t, "attempt"), Total: duration.Draw(t, "total")},
			Methods:  []string{"GET", "PUT"}, Statuses: []int{429, 503}, RetryAfterCap: ptr(duration.Draw(t, "cap")),
			Breaker: &scenarios.Breaker{Failures: 3, Open: duration.Draw(t, "open"), Probes: 1},
			Budget:  &scenarios.Budget{Ratio: 0.1, Reserve: 3},
			Hedge:   &scenarios.Hedge{Delay: duration.Draw(t, "delay"), Max: 2},
		}
		line, err := encode(toWire(told))
		if err != nil {
			t.Fatal(err)
		}
		var wire wirePolicy
		if err := json.Unmarshal(line, &wire); err != nil {
			t.Fatal(err)
		}
		heard, err := wire.policy()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(told, heard); diff != "" {
			t.Fatalf("told and heard differ:\n%s\n%s", line, diff)
		}
	})
}

func TestADefaultIsSaid(t *testing.T) {
	t.Parallel()
	line, err := encode(toWire(scenarios.Policy{Backoff: &scenarios.Backoff{Exponential: ptr(time.Second)}, Hedge: &scenarios.Hedge{}}))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"backoff":{"kind":"exponential","base_ms":1000,"factor":2,"jitter":"none"},"hedge":{"delay_ms":0,"max":1}}` + "\n"
	if string(line) != want {
		t.Errorf("got %s, want %s", line, want)
	}
}

func TestTheLongestDurationsStayPositive(t *testing.T) {
	t.Parallel()
	for _, ms := range []milliseconds{inMilliseconds(math.MaxInt64), 1e300} {
		if got := ms.duration(); got != math.MaxInt64 {
			t.Errorf("%v ms is %v, want the longest duration", float64(ms), got)
		}
	}
}

func TestShorter(t *testing.T) {
	t.Parallel()
	for _, test := range [][3]time.Duration{{0, 0, 0}, {0, 2, 2}, {2, 0, 2}, {1, 2, 1}, {2, 1, 1}} {
		if got := shorter(test[0], test[1]); got != test[2] {
			t.Errorf("the shorter of %v and %v is %v, want %v (0 is none)", test[0], test[1], got, test[2])
		}
	}
}

func TestLinesAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", MaxLine-1)
	lines := newLines(iotest.HalfReader(strings.NewReader("one\n\n" + long + "\n" + "two\r\nrest")))
	for _, want := range []string{"one", "", long, "two\r"} {
		if got, err := lines.next(); err != nil || string(got) != want {
			t.Errorf("got %.20q… (%d bytes), %v; want %.20q… (%d bytes)", got, len(got), err, want, len(want))
		}
	}
	if got, err := lines.next(); !errors.Is(err, io.EOF) || string(got) != "rest" {
		t.Errorf("got %q, %v at the end; want what stood there and EOF", got, err)
	}
	lines = newLines(strings.NewReader(long + "xx\n"))
	if got, err := lines.next(); !errors.Is(err, errLineTooLong) || len(got) > MaxLine {
		t.Errorf("got %d bytes, %v; want at most %d and that it is too long", len(got), err, MaxLine)
	}
}

// Whatever a driver says, we neither panic nor hang, and each fault says what
// to do.
func FuzzHear(f *testing.F) {
	for _, seed := range []string{
		`{"type":"hello","protocol":1,"client":{"name":"x"},"capabilities":["retry"],"promises":{"backoff":{"kind":"linear"}}}`,
		`{"type":"opened","client":1}`, `{"type":"closed","client":1}`,
		`{"type":"result","seq":1,"outcome":"error","error":{"kind":"reset","chain":["timeout"]},"headers":[["a","b"]],"elapsed_ms":1e308}`,
		`{"type":1}`, `[]`, ``, `{`, `null`, `{"type":"result","seq":"1"}`, "\xff",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		for _, greeted := range []bool{false, true} {
			c := &conversation{
				greeted: make(chan struct{}),
				opening: map[int64]chan opened{1: make(chan opened, 1)}, closing: map[int64]chan closed{1: make(chan closed, 1)},
				calls: map[int64]chan result{1: make(chan result, 1)}, givenUp: map[int64]int64{2: 1}, unheard: map[int64]bool{2: true},
				seqs: 2,
			}
			waiting := c.calls[1]
			if greeted {
				c.greets = 1
			}
			if fault := c.hear(line); fault != nil && (fault.Expected == "" || fault.Got == "" || fault.Do == "") {
				t.Errorf("%q: the fault %+v does not say all", line, fault)
			}
			select {
			case got := <-waiting:
				got.outcome()
			default:
			}
		}
	})
}

func TestWhatCameIsCut(t *testing.T) {
	t.Parallel()
	got := quoted(strings.Repeat("é", 200))
	if want := `"` + strings.Repeat("é", 100) + `"… (400 bytes)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if !strings.Contains(quoted("a\x1b[2J"), `\x1b`) {
		t.Error("what moves a terminal's cursor is not quoted")
	}
}

// A timer of whole milliseconds may fire a little early, as Node.js's do: that is no
// finding, here as little as it fails a contract.
func TestATimerOfWholeMillisecondsIsNoFinding(t *testing.T) {
	t.Parallel()
	const told, most = 500 * time.Millisecond, time.Minute
	for gap, is := range map[time.Duration]bool{
		told - 920*time.Microsecond: true, told: true, most: true,
		told - 1001*time.Microsecond: false, most + 1: false, 0: false,
	} {
		if isPause(gap, told, most) != is {
			t.Errorf("a gap of %v for a pause of %v, at most %v: taken for it is %t", gap, told, most, !is)
		}
	}
}
