package assertions

import (
	"slices"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func observing(e Evidence, words ...string) Evidence {
	e.Contract.Level = scenarios.Observe
	e.Contract.Observe = words
	return e
}

func TestObserveReportsEveryWord(t *testing.T) {
	t.Parallel()
	words := append(scenarios.ObservableWords(), "method", "header.Idempotency-Key")
	e := evidenceOf(
		failed(1, 0, ms, with("Idempotency-Key", "a")),
		stalled(2, 41*ms, 141*ms),
		served(3, 181*ms, 182*ms, with("Idempotency-Key", "a")))
	got := Judge(observing(e, words...))
	if got.Verdict != Observed {
		t.Errorf("got %s: %s", got.Verdict, got.Reason)
	}
	want := map[string]string{
		"attempts": "3", "gaps": "40ms, unknown (the client ended the attempt)", "outcome": "status 200",
		"body": "0 bytes, the source's, 3 times", "returns": "183.1ms", "connections": "1", "drained": "120 bytes",
		"effects": "0", "overlap": "1", "open-after": "0", "method": `"GET", 3 times`, "header.Idempotency-Key": `"a", absent, "a"`,
	}
	for _, check := range got.Checks {
		if check.OK != nil || check.Part != PartObserve {
			t.Errorf("%s was judged: %+v", check.Name, check)
		}
		if check.Observed != want[check.Name] {
			t.Errorf("%s: got %q, want %q", check.Name, check.Observed, want[check.Name])
		}
	}
	if len(got.Checks) != len(words) || len(want) != len(words) {
		t.Errorf("got %d checks of %d words (%d are wanted): %+v", len(got.Checks), len(words), len(want), got.Checks)
	}
}

func TestObserveJudgesNothing(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name   string
		change edit[Evidence]
		want   Verdict
		reason string
	}{
		{"an attempt beyond the script", func(e *Evidence) { e.Journal.Attempts[0].Step.Unscripted = true }, Observed, ""},
		{"a step that nobody met", func(e *Evidence) { e.Journal.Unmet = []string{"step 2: 200"} }, Observed, "not met: step 2: 200"},
		{"no attempt at all", func(e *Evidence) { e.Journal.Attempts, e.Journal.Unmet = nil, []string{"step 1: 503"} }, NotExercised, "no attempt arrived"},
		{"no attempt, and a refused connection", func(e *Evidence) {
			e.Journal.Attempts, e.Journal.Unmet = nil, []string{"step 1: 503"}
			e.Journal.Windows = []faultserver.Window{{Act: "refuse"}}
		}, Observed, "not met: step 1: 503"},
		{"a premise that is not met", func(e *Evidence) { e.Contract.Premise = exact(2) }, NotExercised, "the premise was not met"},
		{"a word that there is not", func(e *Evidence) { e.Contract.Observe = []string{"colour"} }, Observed, ""},
	} {
		e := observing(evidenceOf(failed(1, 0, ms)), "attempts")
		test.change(&e)
		got := Judge(e)
		if got.Verdict != test.want || !strings.Contains(got.Reason, test.reason) {
			t.Errorf("%s: got %s: %s; want %s: …%s…", test.name, got.Verdict, got.Reason, test.want, test.reason)
		}
	}
}

func TestObserveTellsCallsApart(t *testing.T) {
	t.Parallel()
	e := in2Calls([]faultserver.Attempt{failed(1, 0, ms)}, []faultserver.Attempt{failed(1, 100*ms, 101*ms), failed(2, 150*ms, 151*ms)})
	e.Calls[1].Name = "refund"
	got := Judge(observing(e, "attempts")).Checks
	if len(got) != 2 || got[0].Call != "pay" || got[0].Observed != "1" || got[1].Call != "refund" || got[1].Observed != "2" {
		t.Errorf("got %+v", got)
	}
	if slices.Contains(scenarios.ObservableWords(), "window") || len(scenarios.ObservableWords()) != len(lookers) {
		t.Errorf("words %q, of which %d can be looked at", scenarios.ObservableWords(), len(lookers))
	}
}
