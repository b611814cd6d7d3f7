package suites_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/nethttp"
)

// contracts parses contracts of a test.
func contracts(t *testing.T, yaml string) []*scenarios.Contract {
	t.Helper()
	list, err := scenarios.Parse("test.yaml", []byte("format: 1\n---\n"+yaml))
	if err != nil {
		t.Fatal(err)
	}
	return list
}

const oneAttempt = `
id: attempts.test
title: A test
level: must
basis: safety
why: A test.
calls: [{}]
script: [succeed]
expect: {attempts: 1}
`

// client is a subject in process whose calls are one function.
type client struct {
	open         error
	capabilities []scenarios.Capability
	do           func(ctx context.Context, request suites.Request) scenarios.Outcome
	close        error
}

func (c client) Profile() suites.Profile {
	return suites.Profile{Name: "test", Kind: "in-process", Capabilities: c.capabilities}
}
func (c client) Open(scenarios.Policy) (suites.Client, error) { return c, c.open }
func (c client) Do(ctx context.Context, request suites.Request) scenarios.Outcome {
	return c.do(ctx, request)
}
func (c client) Close() error { return c.close }

// get is a call of net/http that the test's clients begin with.
func get(ctx context.Context, request suites.Request) scenarios.Outcome {
	opened, err := nethttp.Client().Open(scenarios.Policy{})
	if err != nil {
		return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: err.Error()}
	}
	defer opened.Close()
	return opened.Do(ctx, request)
}

// judge judges one contract.
func judge(t *testing.T, subject suites.Subject, contract string, options suites.Options) reports.Result {
	t.Helper()
	run, err := suites.Judge(t.Context(), subject, contracts(t, contract), options)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Results) != 1 {
		t.Fatalf("%d results, expected 1", len(run.Results))
	}
	return run.Results[0]
}

func TestAClientThatIsToBlame(t *testing.T) {
	for name, test := range map[string]struct {
		client  client
		verdict assertions.Verdict
		reason  string
	}{
		"cannot be opened": {
			client:  client{open: errors.New("no such transport")},
			verdict: assertions.ClientError, reason: "no such transport",
		},
		"panics": {
			client:  client{do: func(context.Context, suites.Request) scenarios.Outcome { panic("oops") }},
			verdict: assertions.ClientError, reason: "panicked: oops",
		},
		"hangs without an attempt": {
			client: client{do: func(ctx context.Context, _ suites.Request) scenarios.Outcome {
				<-ctx.Done()
				return scenarios.Outcome{Kind: scenarios.UnknownOutcome}
			}},
			verdict: assertions.ClientError, reason: "had sent no attempt",
		},
		"says that it broke": {
			client: client{do: func(context.Context, suites.Request) scenarios.Outcome {
				return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: "exec format error"}
			}},
			verdict: assertions.ClientError, reason: "exec format error",
		},
		"cannot be closed": {
			client:  client{do: get, close: errors.New("still in use")},
			verdict: assertions.ClientError, reason: "still in use",
		},
	} {
		t.Run(name, func(t *testing.T) {
			result := judge(t, test.client, oneAttempt, suites.Options{CallTimeout: 300 * time.Millisecond})
			if result.Verdict != test.verdict || !strings.Contains(result.Reason, test.reason) {
				t.Errorf("%s: %s; expected %s with %q", result.Verdict, result.Reason, test.verdict, test.reason)
			}
		})
	}
}

func TestAClientThatHangsAfterAnAttemptTimedOut(t *testing.T) {
	hang := client{do: func(ctx context.Context, request suites.Request) scenarios.Outcome {
		get(ctx, request)
		<-ctx.Done()
		return scenarios.Outcome{Kind: scenarios.SuccessOutcome}
	}}
	result := judge(t, hang, oneAttempt, suites.Options{CallTimeout: 300 * time.Millisecond})
	if outcome := result.Outcome; outcome == nil || outcome.Error == nil || outcome.Error.Kind != scenarios.ErrTimeout {
		t.Errorf("outcome %+v; expected a timeout, whatever the client says once it is ended", outcome)
	}
}

func TestWhatTheClientCannotDoIsUnsupported(t *testing.T) {
	called := false
	cannot := client{do: func(context.Context, suites.Request) scenarios.Outcome {
		called = true
		return scenarios.Outcome{}
	}}
	result := judge(t, cannot, strings.Replace(oneAttempt, "calls: [{}]", "calls: [{method: PUT, body: {size: 1KiB}}]", 1), suites.Options{})
	if result.Verdict != assertions.Unsupported || called {
		t.Errorf("%s (called: %t); expected unsupported, and no call", result.Verdict, called)
	}
	if want := "method, request-body"; !strings.Contains(result.Reason, want) {
		t.Errorf("reason %q; expected it to name %s", result.Reason, want)
	}
}

func TestAClientCannotChangeThePolicyItIsJudgedBy(t *testing.T) {
	greedy := suites.FromRoundTripper("greedy", func(policy scenarios.Policy) (http.RoundTripper, error) {
		*policy.Attempts = 7
		return http.DefaultTransport, nil
	})
	result := judge(t, greedy, strings.Replace(oneAttempt, "expect:", "policy: {attempts: 1}\nexpect:", 1), suites.Options{})
	if result.Policy.Attempts == nil || *result.Policy.Attempts != 1 {
		t.Errorf("policy in force: attempts %v; expected the contract's 1", result.Policy.Attempts)
	}
}

func TestACutRunIsPartial(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	first := client{do: func(callCtx context.Context, request suites.Request) scenarios.Outcome {
		outcome := get(callCtx, request)
		if strings.Contains(request.URL, "second") {
			cancel(errors.New("interrupted"))
		}
		return outcome
	}}
	two := oneAttempt + "---" + strings.NewReplacer("attempts.test", "attempts.other", "[{}]", "[{path: /second}]").Replace(oneAttempt)
	run, err := suites.Judge(ctx, first, contracts(t, two), suites.Options{Parallel: 1})
	if err != nil {
		t.Fatal(err)
	}
	if !run.Meta.Partial || !strings.Contains(run.Meta.PartialReason, "interrupted") {
		t.Errorf("partial %t, reason %q; expected a partial run that says why", run.Meta.Partial, run.Meta.PartialReason)
	}
	if len(run.Results) != 1 || run.Results[0].ID != "attempts.test" {
		t.Errorf("%d results; expected that of the contract that had ended, and not of the one that was cut short", len(run.Results))
	}
	if status := reports.ExitStatus(run); status != reports.NotCompleted {
		t.Errorf("exit status %d, expected %d", status, reports.NotCompleted)
	}
}

// cutter ends a run when it is told of its last result.
type cutter struct{ cut context.CancelFunc }

func (cutter) Started(string)            {}
func (c cutter) Finished(reports.Result) { c.cut() }

func TestARunThatIsCutWhenAllWasJudgedIsWhole(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	run, err := suites.Judge(ctx, client{do: get}, contracts(t, oneAttempt), suites.Options{Progress: cutter{cancel}})
	if err != nil {
		t.Fatal(err)
	}
	if run.Meta.Partial || len(run.Results) != 1 || reports.ExitStatus(run) != reports.Conforming {
		t.Errorf("partial %t (%s), %d results, exit status %d; all was judged", run.Meta.Partial, run.Meta.PartialReason, len(run.Results), reports.ExitStatus(run))
	}
}

func TestNoMoreContractsRunSideBySideThanAsked(t *testing.T) {
	var running, most atomic.Int32
	busy := client{do: func(ctx context.Context, request suites.Request) scenarios.Outcome {
		now := running.Add(1)
		defer running.Add(-1)
		for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		return get(ctx, request)
	}}
	var list strings.Builder
	for i := range 12 {
		if i > 0 {
			list.WriteString("---")
		}
		list.WriteString(strings.Replace(oneAttempt, "attempts.test", "attempts.test-"+string(rune('a'+i)), 1))
	}
	run, err := suites.Judge(t.Context(), busy, contracts(t, list.String()), suites.Options{Parallel: 3})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Results) != 12 || most.Load() > 3 {
		t.Errorf("%d results, %d at the same time; expected 12, and 3 at most", len(run.Results), most.Load())
	}
}

func TestProgressIsToldOneCallAtATime(t *testing.T) {
	progress := &progressLog{t: t}
	two := oneAttempt + "---" + strings.Replace(oneAttempt, "attempts.test", "attempts.other", 1)
	if _, err := suites.Judge(t.Context(), client{do: get}, contracts(t, two), suites.Options{Progress: progress}); err != nil {
		t.Fatal(err)
	}
	if progress.started != 2 || progress.finished != 2 {
		t.Errorf("started %d, finished %d; expected 2 of each", progress.started, progress.finished)
	}
}

// progressLog counts, and sees whether two calls overlap.
type progressLog struct {
	t                 *testing.T
	busy              sync.Mutex
	started, finished int
}

func (p *progressLog) told(count *int) {
	if !p.busy.TryLock() {
		p.t.Error("told of two things at the same time")
		return
	}
	defer p.busy.Unlock()
	*count++
}
func (p *progressLog) Started(string)          { p.told(&p.started) }
func (p *progressLog) Finished(reports.Result) { p.told(&p.finished) }

func TestWhatCannotBeRunAtAll(t *testing.T) {
	for name, test := range map[string]struct{ contracts, message string }{
		"nothing":           {"", "no contract to run"},
		"an act not built":  {strings.Replace(oneAttempt, "[succeed]", "[{h2-goaway: {last: previous}}]", 1), "h2-goaway"},
		"the same id twice": {oneAttempt + "---" + oneAttempt, "given twice"},
	} {
		t.Run(name, func(t *testing.T) {
			var list []*scenarios.Contract
			for document := range strings.SplitSeq(test.contracts, "---") {
				if document != "" {
					list = append(list, contracts(t, document)...)
				}
			}
			_, err := suites.Judge(t.Context(), client{do: get}, list, suites.Options{})
			if err == nil || !strings.Contains(err.Error(), test.message) {
				t.Errorf("error %v; expected one with %q", err, test.message)
			}
		})
	}
}

func TestALateAttemptIsSeen(t *testing.T) {
	// The client returns and sends another request behind its caller's back.
	behind := make(chan struct{})
	late := client{do: func(ctx context.Context, request suites.Request) scenarios.Outcome {
		outcome := get(ctx, request)
		go func() {
			defer close(behind)
			time.Sleep(100 * time.Millisecond)
			get(context.WithoutCancel(ctx), request)
		}()
		return outcome
	}}
	result := judge(t, late, strings.Replace(oneAttempt, "expect:", "watch: 500ms\nexpect:", 1), suites.Options{})
	<-behind
	if result.Verdict != assertions.Fail {
		t.Errorf("%s: %s; expected fail, since a second attempt came within the watch", result.Verdict, result.Reason)
	}
}
