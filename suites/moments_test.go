package suites

import (
	"net/http"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// TestBearableLateness: a cancellation may be late by half of what is left of
// what it shall interrupt.
func TestBearableLateness(t *testing.T) {
	t.Parallel()
	pause := time.Second
	constant := scenarios.Policy{Backoff: &scenarios.Backoff{Constant: &pause}}
	impatient := constant
	impatient.Timeouts = &scenarios.Timeouts{Attempt: 3 * time.Second}
	for _, test := range []struct {
		name   string
		policy scenarios.Policy
		cancel faultserver.Moment
		want   time.Duration
	}{
		{"in a pause", constant, faultserver.Moment{Attempt: 1, Event: faultserver.Answered, Plus: 100 * time.Millisecond}, 450 * time.Millisecond},
		{"late in a pause", constant, faultserver.Moment{Attempt: 1, Event: faultserver.Answered, Plus: time.Second}, 100 * time.Millisecond},
		{"in an attempt that nobody bounds but the runner", constant, faultserver.Moment{Attempt: 1, Event: faultserver.Arrived}, 5 * time.Second},
		{"in an attempt that the client bounds", impatient, faultserver.Moment{Attempt: 1, Event: faultserver.Arrived, Plus: time.Second}, time.Second},
	} {
		s := &schedule{policy: test.policy, callTimeout: 10 * time.Second}
		if got := s.bearableLateness(test.cancel); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestACancellationAfterTheReturnIsNone: what is given while the call returns comes
// before the return or is none, since it has interrupted nothing.
func TestACancellationAfterTheReturnIsNone(t *testing.T) {
	t.Parallel()
	contract := &scenarios.Contract{
		ID: "cancellation.races", Level: scenarios.Must, Watch: new(time.Duration),
		Calls: []scenarios.Call{{
			Name: "one", Repeat: 500, Parallel: 4, Script: []faultserver.Step{{Act: faultserver.Succeed{}}},
			Cancel: &faultserver.Moment{Attempt: 1, Event: faultserver.Answered},
		}},
		Expect: scenarios.Expectations{All: scenarios.Expectation{Returns: &scenarios.Returns{After: scenarios.ReturnsAfter{Cancel: true}, Max: time.Second}}},
	}
	subject := FromRoundTripper("plain", func(scenarios.Policy) (http.RoundTripper, error) { return &http.Transport{}, nil })
	run, err := Judge(t.Context(), subject, []*scenarios.Contract{contract}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, call := range run.Results[0].Calls {
		if call.Meta.Cancelled > call.Meta.Returned {
			t.Fatalf("call %s returned at %v, and was cancelled at %v", call.Token, call.Meta.Returned, call.Meta.Cancelled)
		}
	}
}
