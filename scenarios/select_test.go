package scenarios_test

import (
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

var some = []*scenarios.Contract{
	{ID: "attempts.exact-count", Level: scenarios.Must},
	{ID: "body.length", Level: scenarios.Should},
	{ID: "body.replay", Level: scenarios.Must},
	{ID: "body.shape", Level: scenarios.Observe},
	{ID: "idempotency.draft-form", Level: scenarios.Must, OptIn: true},
}

func TestSelect(t *testing.T) {
	for name, test := range map[string]struct {
		patterns []string
		level    scenarios.Level
		want     string
	}{
		"nothing said means musts and shoulds":  {nil, "", "attempts.exact-count body.length body.replay"},
		"musts only":                            {nil, scenarios.Must, "attempts.exact-count body.replay"},
		"all levels, but not what is opt-in":    {[]string{"*"}, scenarios.Observe, "attempts.exact-count body.length body.replay body.shape"},
		"an area":                               {[]string{"body.*"}, "", "body.length body.replay"},
		"several patterns, each contract once":  {[]string{"body.r*", "body.*", "attempts.*"}, scenarios.Must, "attempts.exact-count body.replay"},
		"what is opt-in runs by its whole name": {[]string{"idempotency.draft-form"}, "", "idempotency.draft-form"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := scenarios.Select(some, scenarios.Selection{Patterns: test.patterns, Level: test.level})
			if err != nil || ids(got) != test.want {
				t.Errorf("got %s (%v), want %s", ids(got), err, test.want)
			}
		})
	}
}

func TestSelectRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		patterns []string
		want     string
	}{
		"an unknown id":            {[]string{"body.replai"}, `contract pattern "body.replai" means no contract; the nearest: body.replay, body.length, body.shape`},
		"one of several":           {[]string{"body.*", "boddy.*"}, `contract pattern "boddy.*" means no contract; faultsrv contracts list shows them all`},
		"a broken glob":            {[]string{"body.["}, `contract pattern "body.[": syntax error in pattern: expected an id or a glob such as body.*`},
		"only what is opt-in":      {[]string{"idempotency.*"}, `contract pattern "idempotency.*" means only contracts that run when they are named in full: idempotency.draft-form`},
		"a level that leaves none": {[]string{"body.shape"}, `no contract to run: the level should leaves out body.shape (observe); choose a weaker level`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := scenarios.Select(some, scenarios.Selection{Patterns: test.patterns, Level: scenarios.Should})
			if err == nil || err.Error() != test.want {
				t.Errorf("got %s and the error %v, want the error %s", ids(got), err, test.want)
			}
		})
	}
	if _, err := scenarios.Select(nil, scenarios.Selection{}); err == nil || !strings.Contains(err.Error(), "no contract") {
		t.Errorf("an empty catalogue: %v", err)
	}
}
