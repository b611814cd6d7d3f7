package profile

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// builtIn opens a built-in client, which has to be installed.
func builtIn(t *testing.T, name string) Client {
	t.Helper()
	profiles, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(profiles, func(p Profile) bool { return p.Name == name })
	client, err := profiles[i].Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// A program's exit statuses and what it prints mean what its profile says.
func TestWhatAProgramTells(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]map[string]scenarios.Outcome{
		"200":        {"curl": answer(200), "wget": answer(200)},
		"404":        {"curl": answer(404), "wget": answer(404)},
		"reset":      {"curl": failed(scenarios.ErrReset, 0), "wget": failed(scenarios.ErrOther, 0)},
		"close":      {"curl": failed(scenarios.ErrReset, 0), "wget": failed(scenarios.ErrOther, 0)},
		"stall":      {"curl": failed(scenarios.ErrTimeout, 0), "wget": failed(scenarios.ErrOther, 0)},
		"truncate@5": {"curl": failed(scenarios.ErrTruncated, 200), "wget": failed(scenarios.ErrOther, 200)},
		"503":        {"curl": answer(503), "wget": failed(scenarios.ErrOther, 503)},
		"":           {"curl": failed(scenarios.ErrConnect, 0), "wget": failed(scenarios.ErrOther, 0)}, // nobody listens
	} {
		for name, want := range want {
			t.Run(name+"/"+script, func(t *testing.T) {
				t.Parallel()
				client := builtIn(t, name)
				url := "http://127.0.0.1:1/"
				if script != "" {
					url = faultserver.New(t, script).URL
				}
				got := do(t, client, url)
				if got.Kind != want.Kind || got.Status != want.Status {
					t.Fatalf("got %+v %+v, want %+v %+v", got, got.Error, want, want.Error)
				}
				if want.Error != nil && (got.Error.Kind != want.Error.Kind || got.Error.LastStatus != want.Error.LastStatus) {
					t.Errorf("got the error %+v, want %+v", got.Error, want.Error)
				}
			})
		}
	}
}

func answer(status int) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: status}
}

func failed(kind scenarios.ErrorKind, lastStatus int) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: kind, LastStatus: lastStatus}}
}

// do makes one call of one attempt, which may take a second.
func do(t *testing.T, client Client, url string) scenarios.Outcome {
	t.Helper()
	one := 1
	opened, err := client.Open(scenarios.Policy{Attempts: &one, Timeouts: &scenarios.Timeouts{Attempt: time.Second}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	return opened.Do(ctx, suites.Request{Method: http.MethodGet, URL: url})
}

// What the manuals of the programs say, in verdicts; those that they are known
// to break are in their profiles.
func TestVerdictsOnRealPrograms(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]map[string]assertions.Verdict{
		"curl": {
			"attempts.exact-count":      assertions.Pass,
			"attempts.retries-503":      assertions.Pass,
			"backoff.grows":             assertions.Pass,
			"body.replay-after-503":     assertions.Pass,
			"body.replay-after-a-reset": assertions.NotExercised,
			"cancellation.an-attempt-timeout-covers-a-dribbled-head": assertions.Pass,
			"cancellation.wakes-the-sleep":                           assertions.Unsupported,
			"connection.a-reset-get-is-sent-again":                   assertions.KnownFail,
			"errors.a-refused-connection-says-so":                    assertions.Pass,
			"errors.the-last-body-is-kept":                           assertions.Pass,
			"errors.the-last-status-is-kept":                         assertions.Pass,
			"idempotency.a-post-is-not-retried-on-a-reset":           assertions.Pass,
			"idempotency.a-post-is-not-retried-on-a-status":          assertions.KnownFail,
			"idempotency.a-post-is-not-retried-on-a-timeout":         assertions.KnownFail,
			"response.a-cut-body-is-an-error":                        assertions.Pass,
			"response.a-discarded-body-is-not-read-without-end":      assertions.KnownFail,
			"response.two-lengths-that-differ-are-an-error":          assertions.KnownFail,
			"retry-after.seconds-on-503":                             assertions.Pass,
			"tls.an-untrusted-certificate-is-final":                  assertions.Pass,
			"tls.an-untrusted-server-gets-no-request":                assertions.Pass,
		},
		"wget": {
			"attempts.exact-count":                           assertions.Pass,
			"backoff.waits-the-configured-pause":             assertions.Pass,
			"body.replay-after-a-reset":                      assertions.Pass,
			"connection.a-reset-get-is-sent-again":           assertions.Pass,
			"errors.a-reset-says-so":                         assertions.Unsupported,
			"errors.the-last-status-is-kept":                 assertions.Pass,
			"idempotency.a-post-is-not-retried-on-a-reset":   assertions.KnownFail,
			"idempotency.a-post-is-not-retried-on-a-timeout": assertions.KnownFail,
			"response.a-cut-body-is-an-error":                assertions.Pass,
			"response.a-bad-chunk-size-is-an-error":          assertions.KnownFail,
			"retry-after.seconds-on-503":                     assertions.KnownFail,
			"tls.a-server-of-another-name-gets-no-request":   assertions.Pass,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ids []string
			for id := range want {
				ids = append(ids, id)
			}
			plan, err := suites.NewPlan(builtIn(t, name), suites.Contracts(ids...))
			if err != nil {
				t.Fatal(err)
			}
			run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
			if err != nil {
				t.Fatal(err)
			}
			for _, result := range run.Results {
				if result.Verdict != want[result.ID] {
					t.Errorf("%s: got %s, want %s\n%s", result.ID, result.Verdict, want[result.ID], reports.Explain(result))
				}
			}
		})
	}
}
