package suites

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

func untoldOf(written, force scenarios.Policy) []string {
	return untold(&scenarios.Contract{Level: scenarios.Must, Policy: written}, force)
}

// TestUntold: a contract whose stimulus a client does not follow is not judged,
// field by field.
func TestUntold(t *testing.T) {
	t.Parallel()
	second := time.Second
	full := &scenarios.Backoff{Constant: &second, Jitter: scenarios.FullJitter}
	plain := &scenarios.Backoff{Constant: &second}
	for name, written := range map[string]scenarios.Policy{
		"retry-after-cap":  {RetryAfterCap: &second},
		"timeouts.attempt": {Timeouts: &scenarios.Timeouts{Attempt: second}},
		"timeouts.total":   {Timeouts: &scenarios.Timeouts{Total: second}},
		"backoff.jitter":   {Backoff: full},
		"breaker":          {Breaker: &scenarios.Breaker{Failures: 3}},
		"budget":           {Budget: &scenarios.Budget{Ratio: 0.1}},
		"hedge":            {Hedge: &scenarios.Hedge{Delay: second}},
	} {
		if got := untoldOf(written, scenarios.Policy{}); !slices.Equal(got, []string{name}) {
			t.Errorf("%s: untold are %q, expected it alone", name, got)
		}
		if got := untoldOf(written, written); len(got) > 0 {
			t.Errorf("%s, which is followed: untold are %q, expected none", name, got)
		}
		if got := untoldOf(scenarios.Policy{}, scenarios.Policy{}); len(got) > 0 {
			t.Errorf("a policy that says nothing: untold are %q, expected none", got)
		}
	}
	if got := untoldOf(scenarios.Policy{Backoff: plain}, scenarios.Policy{}); len(got) > 0 {
		t.Errorf("a backoff without jitter: untold are %q; the checks that read it see for themselves", got)
	}
	if got := untoldOf(scenarios.Policy{Backoff: full}, scenarios.Policy{Backoff: plain}); !slices.Equal(got, []string{"backoff.jitter"}) {
		t.Errorf("a promise without the jitter: untold are %q, expected it", got)
	}
	if got := untold(&scenarios.Contract{Level: scenarios.Observe, Policy: scenarios.Policy{Backoff: full}}, scenarios.Policy{}); len(got) > 0 {
		t.Errorf("jitter of a contract that only reports: untold are %q", got)
	}
	minute := time.Minute
	if got := untoldOf(scenarios.Policy{RetryAfterCap: &second}, scenarios.Policy{RetryAfterCap: &minute}); !slices.Equal(got, []string{"retry-after-cap"}) {
		t.Errorf("a promise of a longer wait than that which is asked for: untold are %q", got)
	}
	short := scenarios.Policy{Timeouts: &scenarios.Timeouts{Total: second}}
	if got := untoldOf(scenarios.Policy{Timeouts: &scenarios.Timeouts{Attempt: second}}, short); !slices.Equal(got, []string{"timeouts.attempt"}) {
		t.Errorf("another timeout than that which is asked for: untold are %q", got)
	}
}

// TestInForce: what a client cannot be told is what it promises, and else not
// known.
func TestInForce(t *testing.T) {
	t.Parallel()
	of := func(attempts int, d time.Duration) scenarios.Policy {
		return scenarios.Policy{
			Attempts: &attempts, Backoff: &scenarios.Backoff{Constant: &d}, RetryAfterCap: &d,
			Timeouts: &scenarios.Timeouts{Attempt: d, Total: d},
			Breaker:  &scenarios.Breaker{Failures: attempts}, Budget: &scenarios.Budget{Reserve: attempts}, Hedge: &scenarios.Hedge{Delay: d},
		}
	}
	told, promised := of(3, time.Second), of(5, time.Minute)
	all := append(GoCapabilities(), scenarios.CanBreaker, scenarios.CanBudget, scenarios.CanHedge)
	for _, field := range []struct {
		name string
		can  scenarios.Capability
		of   func(scenarios.Policy) any
	}{
		{"attempts", scenarios.CanAttempts, func(p scenarios.Policy) any { return *p.Attempts }},
		{"backoff", scenarios.CanBackoff, func(p scenarios.Policy) any { return *p.Backoff.Constant }},
		{"retry-after-cap", scenarios.CanBackoff, func(p scenarios.Policy) any { return *p.RetryAfterCap }},
		{"timeouts.attempt", scenarios.CanAttemptTimeout, func(p scenarios.Policy) any { return p.Timeouts.Attempt }},
		{"timeouts.total", scenarios.CanTimeout, func(p scenarios.Policy) any { return p.Timeouts.Total }},
		{"breaker", scenarios.CanBreaker, func(p scenarios.Policy) any { return *p.Breaker }},
		{"budget", scenarios.CanBudget, func(p scenarios.Policy) any { return *p.Budget }},
		{"hedge", scenarios.CanHedge, func(p scenarios.Policy) any { return *p.Hedge }},
	} {
		able := Profile{Capabilities: all, Promises: &promised}
		unable := Profile{
			Capabilities: slices.DeleteFunc(slices.Clone(all), func(c scenarios.Capability) bool { return c == field.can }),
			Promises:     &promised,
		}
		if got := field.of(able.InForce(told)); got != field.of(told) {
			t.Errorf("%s, of a client that can be told: %v in force, expected what it was told", field.name, got)
		}
		if got := field.of(unable.InForce(told)); got != field.of(promised) {
			t.Errorf("%s, of a client that cannot be told: %v in force, expected what it promises", field.name, got)
		}
	}
	able := Profile{Capabilities: all, Promises: &promised}
	if got := able.InForce(scenarios.Policy{Attempts: told.Attempts, Backoff: told.Backoff, Timeouts: &scenarios.Timeouts{Attempt: time.Second}}); *got.RetryAfterCap != time.Minute ||
		*got.Timeouts != (scenarios.Timeouts{Attempt: time.Second, Total: time.Minute}) || got.Breaker.Failures != 5 || got.Budget.Reserve != 5 || got.Hedge.Delay != time.Minute {
		t.Errorf("a client that can be told and is not: %+v in force, expected what it promises", got)
	}
	if got := (Profile{}).InForce(told); got.Attempts != nil || got.Backoff != nil || got.RetryAfterCap != nil ||
		got.Timeouts != nil || got.Breaker != nil || got.Budget != nil || got.Hedge != nil {
		t.Errorf("a client that can be told nothing and promises nothing: %+v in force", got)
	}
}

// lateMachine is a client that returns late, on a machine whose timers were late
// at the same time.
type lateMachine struct {
	Client

	machine func() *lateness
	late    time.Duration
}

func (c lateMachine) Do(ctx context.Context, request Request) scenarios.Outcome {
	outcome := c.Client.Do(ctx, request)
	time.Sleep(1300 * time.Millisecond)
	c.machine().record(c.late)
	return outcome
}

type onLateMachine struct {
	Subject

	wrap func(Client) Client
}

func (s onLateMachine) Open(policy scenarios.Policy) (Client, error) {
	client, err := s.Subject.Open(policy)
	return s.wrap(client), err
}

// TestLateTimersBlameNobody: what the probe of the machine's timers saw while a
// contract ran is what its upper bounds are judged by.
func TestLateTimersBlameNobody(t *testing.T) {
	t.Parallel()
	second, attempts := time.Second, 1
	contract := &scenarios.Contract{
		ID: "returns.soon", Level: scenarios.Must, Policy: scenarios.Policy{Attempts: &attempts}, Calls: []scenarios.Call{{}},
		Expect: scenarios.Expectations{All: scenarios.Expectation{Returns: &scenarios.Returns{Max: second}}},
	}
	for late, want := range map[time.Duration]assertions.Verdict{0: assertions.Fail, 2 * second: assertions.HarnessError} {
		var running *Running
		ready := make(chan struct{})
		machine := func() *lateness { <-ready; return running.lateness }
		subject := onLateMachine{
			Subject: FromRoundTripper("late", func(scenarios.Policy) (http.RoundTripper, error) { return &http.Transport{}, nil }),
			wrap:    func(client Client) Client { return lateMachine{client, machine, late} },
		}
		var err error
		running, err = Start(t.Context(), subject, []*scenarios.Contract{contract}, Options{})
		close(ready)
		if err != nil {
			t.Fatal(err)
		}
		if result, ran := running.Result(contract.ID); !ran || result.Verdict != want {
			t.Errorf("timers %v late: %s (%s), want %s", late, result.Verdict, result.Reason, want)
		}
		running.Wait()
	}
}

// TestATimerThatIsOverdueIsLate: a contract that ends before the probe of the
// machine's timers has had its turn is judged by how late that is by then.
func TestATimerThatIsOverdueIsLate(t *testing.T) {
	t.Parallel()
	held := &lateness{probes: map[*latenessProbe]struct{}{}, due: time.Now().Add(-time.Second)}
	probe := held.begin()
	held.record(20 * time.Millisecond)
	if got := held.read(probe); got < time.Second {
		t.Errorf("%v late; a timer was due a second ago", got)
	}
}
