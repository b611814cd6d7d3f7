package scenarios_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func TestDefaulted(t *testing.T) {
	c := parseOne(t, "calls: [{}, {name: pay, method: PUT, path: /pay, repeat: 4, parallel: 2}]")
	got := c.Defaulted()
	want := []scenarios.Call{
		{Name: "call-1", Method: "GET", Path: "/", Repeat: 1, Parallel: 1},
		{Name: "pay", Method: "PUT", Path: "/pay", Repeat: 4, Parallel: 2},
	}
	if diff := cmp.Diff(want, got.Calls); diff != "" {
		t.Errorf("calls: -want +got:\n%s", diff)
	}
	if got.Client != scenarios.FreshClient || got.Server.Protocol != scenarios.Plain || got.AfterScript != faultserver.FailAfterScript {
		t.Errorf("client %q, protocol %q, after-script %q", got.Client, got.Server.Protocol, got.AfterScript)
	}
	if c.Calls[0].Name != "" || c.Client != "" {
		t.Error("the contract itself was changed")
	}
	if diff := cmp.Diff(scenarios.Policy{}, got.Policy); diff != "" {
		t.Errorf("the policy was filled in; the client's profile may say what it is: %s", diff)
	}
}

func TestPolicyDefaulted(t *testing.T) {
	calls := []scenarios.Call{{Method: "PUT"}, {}, {Method: "PUT"}}
	want := scenarios.Policy{
		Attempts: ptr(3), Backoff: &scenarios.Backoff{Constant: ptr(20 * time.Millisecond)},
		Methods: []string{"PUT", "GET"}, Statuses: []int{429, 502, 503, 504},
	}
	if diff := cmp.Diff(want, scenarios.Policy{}.Defaulted(calls)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	said := scenarios.Policy{
		Attempts: ptr(1), Backoff: &scenarios.Backoff{Linear: ptr(time.Second)},
		Methods: []string{"POST"}, Statuses: []int{500}, Budget: &scenarios.Budget{Ratio: 0.1},
	}
	if diff := cmp.Diff(said, said.Defaulted(calls)); diff != "" {
		t.Errorf("what was said was changed: -want +got:\n%s", diff)
	}
	none := scenarios.Policy{Methods: []string{}, Statuses: []int{}}
	if got := none.Defaulted(calls); len(got.Methods) != 0 || len(got.Statuses) != 0 {
		t.Errorf("an empty list means none; got %v and %v", got.Methods, got.Statuses)
	}
}

func TestTheServerOfAContract(t *testing.T) {
	c := parseOne(t, "calls: [{name: pay, repeat: 2, script: [{respond: 503}]}, {name: get}]\nscript: [succeed]\nconnections: [{reset: accept}]\n"+
		"after-script: loop\nmatch: {method: POST}\notherwise: {status: 404}")
	own := []faultserver.Step{{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503}}}}
	want := faultserver.Config{
		Script:      []faultserver.Step{{Act: faultserver.Succeed{}}},
		Connections: []faultserver.Step{{Act: faultserver.Reset{}, At: faultserver.Point{Phase: faultserver.Accept}}},
		Calls: []faultserver.CallConfig{
			{Token: "pay-1", Name: "pay", Script: own}, {Token: "pay-2", Name: "pay", Script: own}, {Token: "get", Name: "get"},
		},
		AfterScript: faultserver.LoopAfterScript,
		Match:       faultserver.Match{Method: "POST"},
		Otherwise:   faultserver.Answer{Status: 404},
	}
	if diff := cmp.Diff(want, c.Config()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestWatchFor(t *testing.T) {
	for name, test := range map[string]struct {
		watch  *time.Duration
		policy scenarios.Policy
		want   time.Duration
	}{
		"twice the longest delay": {nil, scenarios.Policy{}, 40 * time.Millisecond},
		"of a growing backoff":    {nil, scenarios.Policy{Attempts: ptr(4), Backoff: &scenarios.Backoff{Linear: ptr(100 * time.Millisecond)}}, 600 * time.Millisecond},
		"at most two seconds":     {nil, scenarios.Policy{Backoff: &scenarios.Backoff{Constant: ptr(time.Hour)}}, 2 * time.Second},
		"nothing without a retry": {nil, scenarios.Policy{Attempts: ptr(1)}, 0},
		"what the contract says":  {ptr(5 * time.Second), scenarios.Policy{}, 5 * time.Second},
		"even if that is nothing": {ptr(time.Duration(0)), scenarios.Policy{}, 0},
	} {
		if got := (&scenarios.Contract{Watch: test.watch}).WatchFor(test.policy); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
}
