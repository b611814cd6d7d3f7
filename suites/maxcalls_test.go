package suites_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// limited is a client that makes so many calls at the same time, and no more.
type limited struct {
	client
	calls int
}

func (l limited) Profile() suites.Profile {
	profile := l.client.Profile()
	profile.MaxCalls = l.calls
	return profile
}

func (l limited) Open(scenarios.Policy) (suites.Client, error) { return l.client, nil }

const herdOf = `
id: attempts.herd-of-%[1]d
title: A test
level: must
basis: safety
why: A test.
calls: [{name: herd, repeat: %[1]d, parallel: %[1]d}]
script: [{respond: 200, times: forever}]
expect: {herd: {attempts: 1}}
---
`

// No call waits for a place: what a client could not do at the same time is not
// asked of it.
func TestAClientIsNotAskedForMoreCallsThanItMakesAtATime(t *testing.T) {
	const most = 4
	var now, worst atomic.Int64
	subject := limited{calls: most, client: client{
		capabilities: []scenarios.Capability{scenarios.CanParallel},
		do: func(ctx context.Context, request suites.Request) scenarios.Outcome {
			defer now.Add(-1)
			for n := now.Add(1); ; {
				if seen := worst.Load(); n <= seen || worst.CompareAndSwap(seen, n) {
					break
				}
			}
			return get(ctx, request)
		},
	}}
	var all strings.Builder
	for i := range 6 {
		all.WriteString(strings.Replace(oneAttempt, "attempts.test", fmt.Sprintf("attempts.one-%d", i), 1) + "---\n")
	}
	fmt.Fprintf(&all, herdOf, most)
	fmt.Fprintf(&all, herdOf, most+1)
	run, err := suites.Judge(t.Context(), subject, contracts(t, strings.TrimSuffix(all.String(), "---\n")), suites.Options{Parallel: 16})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range run.Results {
		want := assertions.Pass
		if result.ID == "attempts.herd-of-5" {
			want = assertions.Unsupported
			if !strings.Contains(result.Reason, "at most 4 calls") {
				t.Errorf("%s: reason %q, want the limit of 4 calls named", result.ID, result.Reason)
			}
		}
		if result.Verdict != want {
			t.Errorf("%s: %s (%s), want %s", result.ID, result.Verdict, result.Reason, want)
		}
	}
	if worst.Load() > most {
		t.Errorf("%d calls were made at the same time, want at most %d", worst.Load(), most)
	}
}
