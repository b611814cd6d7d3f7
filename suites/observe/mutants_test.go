package observe_test

import (
	"slices"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
	"github.com/faultsrv/faultsrv/suites/demo"
	"github.com/faultsrv/faultsrv/suites/mutants"
	"github.com/faultsrv/faultsrv/suites/observe"
)

// A suspect is a client that is observed by some contracts, and the rules that
// it is to be warned of.
type suspect struct {
	client   suites.Subject
	observed []string
	broken   []string
}

func suspects(t *testing.T) map[string]suspect {
	t.Helper()
	wrong := map[string]suites.Subject{}
	for _, mutant := range mutants.All() {
		wrong[mutant.Name] = mutant.Subject()
	}
	all := map[string]suspect{
		"the naive loop": {demo.NaiveClient(50 * time.Millisecond), []string{"idempotency.observed-*"}, []string{
			"idempotency.a-post-is-not-retried-on-a-reset", "idempotency.a-post-is-not-retried-on-a-status",
		}},
		"the reference client": {resilient.Client(), []string{
			"attempts.*", "body.*", "connection.*", "idempotency.*", "response.*", "retry-after.*",
		}, nil},
	}
	for _, one := range []struct{ name, observed, broken string }{
		{"replays-a-post-on-a-lost-connection", "idempotency.observed-*", "idempotency.a-post-is-not-retried-on-a-reset"},
		{"empty-body-on-retry", "body.observed-replay*", "body.replay-after-503"},
		{"replays-a-drained-stream", "body.observed-replay*", "body.a-stream-is-not-replayed-in-part"},
		{"redirects-as-get", "body.observed-*", "body.a-307-keeps-method-and-body"},
		{"takes-a-cut-body-for-whole", "response.observed-*", "response.a-cut-body-is-an-error"},
		{"loses-an-early-answer", "response.observed-*", "response.an-early-answer-reaches-the-caller"},
		{"trusts-a-dead-connection", "connection.observed-on-a-stale-*", "connection.a-stale-connection-is-survived"},
		{"ignores-retry-after", "retry-after.observed-*", "retry-after.seconds-on-429"},
		{"retry-after-on-429-only", "retry-after.observed-*", "retry-after.seconds-on-503"},
		{"retry-after-in-seconds-only", "retry-after.observed-*", "retry-after.http-date-imf-fixdate"},
	} {
		if wrong[one.name] == nil {
			t.Fatalf("there is no mutant %s", one.name)
		}
		all[one.name] = suspect{wrong[one.name], []string{one.observed}, []string{one.broken}}
	}
	return all
}

// TestWhatIsWrongIsWarnedOf observes clients that are wrong on purpose, on real
// sockets: each defect is warned of by the rule that it breaks, and by no other;
// and the reference client is not warned of at all. A pause that is missing is
// not among the defects: a busy machine makes one (of 75 ms, measured), and
// TestAMissingPauseIsToldFromAShortOne needs no machine.
func TestWhatIsWrongIsWarnedOf(t *testing.T) {
	t.Parallel()
	all := suspects(t)
	running := map[string]*suites.Running{}
	for name, s := range all {
		running[name] = start(t, s)
	}
	for name, s := range all {
		run := running[name].Wait()
		var broken []string
		for _, warning := range observe.Summarize(run, observe.Options{}).Warnings {
			broken = append(broken, warning.Contract)
		}
		if slices.Equal(broken, s.broken) {
			continue
		}
		t.Errorf("%s is warned of by %q; expected %q", name, broken, s.broken)
		for _, result := range run.Results {
			t.Log(reports.Explain(result))
		}
	}
}

// start begins to observe a client. They wait more than they compute, so that
// all are observed at the same time.
func start(t *testing.T, s suspect) *suites.Running {
	t.Helper()
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := scenarios.Select(observe.Contracts(catalogue), scenarios.Selection{Patterns: s.observed, Level: scenarios.Observe})
	if err != nil {
		t.Fatal(err)
	}
	running, err := suites.Start(t.Context(), s.client, contracts, suites.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return running
}
