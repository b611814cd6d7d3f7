package observe

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/profile"
)

var update = flag.Bool("update", false, "write the golden files anew")

// plainCommand is a command that cannot be told more than where to go, and that
// retries statuses as curl --retry 3 does.
func plainCommand() reports.Run {
	retried := func(id string, status int) reports.Result {
		return seen(id, called(succeeded(), answeredBy(status, 1002*ms)...))
	}
	return runOf([]scenarios.Capability{scenarios.CanRetry, scenarios.CanParallel},
		retried(on408, 408), retried(on429, 429), retried(on500, 500), retried(on502, 502), retried(on504, 504),
		seen(on503, called(succeeded(), answeredBy(503, 1003*ms, 2004*ms, 4081*ms)...)),
		seen(onFinal, called(succeeded(), answeredBy(404)...), called(succeeded(), answeredBy(501)...)),
		seen(inSeconds,
			called(succeeded(), pushedBack(429, seconds(3), 3003*ms)...).as("throttled", "GET"),
			called(succeeded(), pushedBack(503, seconds(3), 3001*ms)...).as("unavailable", "GET")),
		seen(asDate, called(succeeded(), pushedBack(503, date(2800*ms), 3020*ms)...)),
		seen(onReset, called(failing(), answeredBy(0)...)),
		seen(onClose, called(failing(), answeredBy(0)...)),
		lacking(onStale, scenarios.CanShared),
		seen(onStall, stalled(0)),
		seen(onCut, called(failing(), answeredBy(200)...)),
		lacking(onEarly, scenarios.CanMethod, scenarios.CanRequestBody),
		lacking(postOn503, scenarios.CanMethod, scenarios.CanRequestBody),
		lacking(postOnReset, scenarios.CanMethod, scenarios.CanRequestBody),
		lacking(replay, scenarios.CanMethod, scenarios.CanRequestBody),
		lacking(streamReplay, scenarios.CanMethod, scenarios.CanRequestBody, scenarios.CanStreamedBody),
		lacking(redirects, scenarios.CanMethod, scenarios.CanRequestBody),
		herdOf(1001*ms, 1002*ms, 1003*ms, 1010*ms),
	)
}

// careless is a client that can be asked everything, and does everything wrong.
func careless() reports.Run {
	posts := sent("POST", answeredBy(503, ms, ms))
	return runOf([]scenarios.Capability{scenarios.CanStatus},
		seen(on503, called(returned(503), answeredBy(503, ms, ms, ms)...)),
		seen(onFinal, called(returned(200), answeredBy(404, ms)...), called(returned(501), answeredBy(501)...)),
		seen(inSeconds,
			called(returned(200), pushedBack(429, seconds(3), 1000*ms)...).as("throttled", "GET"),
			called(returned(503), answeredBy(503)...).as("unavailable", "GET")),
		seen(asDate, called(returned(200), pushedBack(503, date(2800*ms), 2600*ms)...)),
		seen(onReset, called(returned(200), answeredBy(0, ms, ms)...)),
		seen(onClose, called(failing(), answeredBy(0, ms)...)),
		seen(onStale, called(returned(200), answeredBy(200)...).as("warm", "GET"), called(failing(), answeredBy(0)...).as("next", "GET")),
		seen(onStall, stalled(2001*ms, ms)),
		seen(onCut, called(returned(200), answeredBy(200)...)),
		seen(onEarly, called(failing(), carrying(sent("PUT", answeredBy(413)), 300)...).as("", "PUT")),
		seen(postOn503, called(returned(503), posts...).as("", "POST")),
		seen(postOnReset, called(returned(200), keyed(sent("POST", answeredBy(0, ms)), `"a"`, `"b"`)...).as("", "POST")),
		seen(replay, called(returned(200), carrying(sent("PUT", answeredBy(503, ms)), 1000, 0)...).as("", "PUT")),
		seen(streamReplay, called(returned(200), carrying(sent("PUT", answeredBy(503, ms)), 1000, 300)...).as("", "PUT")),
		seen(redirects,
			called(returned(200), carrying(sent("POST", answeredBy(303, 0)), 1000, 1000)...).as("see-other", "POST"),
			called(returned(200), carrying(sent("GET", answeredBy(307, 0)), 1000, 0)...).as("same-elsewhere", "POST")),
		herdOf(ms, ms, 2*ms, 3*ms),
	)
}

func TestSummariesReadWell(t *testing.T) {
	t.Parallel()
	silent := reports.Result{Verdict: assertions.NotExercised, Reason: "no attempt arrived", Outcome: ptr(failing())}
	var none []reports.Result
	for _, id := range []string{on503, onReset} {
		silent.ID = id
		none = append(none, silent)
	}
	for name, run := range map[string]reports.Run{
		"plain-command": plainCommand(), "careless": careless(), "silent": runOf(nil, none...),
	} {
		var text bytes.Buffer
		if err := Text(&text, Summarize(run, Options{TellBy: tellBy})); err != nil {
			t.Fatal(err)
		}
		compare(t, name+".txt", text.String())
	}
}

// tellBy has two of the ways to tell a command.
func tellBy(capability scenarios.Capability) string {
	return map[scenarios.Capability]string{scenarios.CanMethod: "{method}", scenarios.CanRequestBody: "{body-file}"}[capability]
}

func compare(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; -update writes it", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; after a review, -update writes it anew):\n%s", file, diff)
	}
}

func TestFactsAreNumbers(t *testing.T) {
	t.Parallel()
	s := Summarize(plainCommand(), Options{})
	if s.Attempts != 4 || !slices.Equal(s.Waits, []time.Duration{1003 * ms, 2004 * ms, 4081 * ms}) {
		t.Errorf("%d attempts, waits %v; expected 4, as measured", s.Attempts, s.Waits)
	}
	if !slices.Equal(s.Retried, []int{408, 429, 500, 502, 503, 504}) || !slices.Equal(s.Final, []int{404, 501}) {
		t.Errorf("retried %v, final %v", s.Retried, s.Final)
	}
	if s.Format != Format || s.Tool.Name != "faultsrv" {
		t.Errorf("format %d, tool %v", s.Format, s.Tool)
	}
}

// What a call would have done next is not known once it was ended.
func TestACallThatWasEndedIsNotTakenForItsEnd(t *testing.T) {
	t.Parallel()
	ended := called(failing(), answeredBy(503, 1001*ms, 2001*ms, 4001*ms)...)
	ended.Meta.Returned = 10 * time.Second
	s := Summarize(runOf(nil, seen(on503, ended)), Options{CallTimeout: 10 * time.Second})
	if want := "retried, 4 attempts, waits 1 s, 2 s, 4 s; it was still at it when it was ended"; s.Findings[0].Text != want {
		t.Errorf("%q; expected %q", s.Findings[0].Text, want)
	}
	if s.Promises.Attempts != nil {
		t.Errorf("%d attempts are promised; expected none, as more might have come", *s.Promises.Attempts)
	}
}

// A command that sends POST whatever it is asked for is seen by the contracts
// that ask for GET.
func TestACommandThatAlwaysPostsIsSeen(t *testing.T) {
	t.Parallel()
	s := Summarize(runOf(nil,
		seen(on503, called(succeeded(), sent("POST", answeredBy(503, time.Second))...)),
		seen(onReset, called(failing(), sent("POST", answeredBy(0, time.Second, time.Second))...)),
	), Options{})
	if !slices.ContainsFunc(s.Warnings, func(w Warning) bool { return strings.Contains(w.Text, "3 orders instead of one") }) {
		t.Errorf("warnings %v; expected one of 3 orders", s.Warnings)
	}
	for _, unseen := range s.NotObserved {
		if slices.Contains(unseen.Subjects, "POST on a reset") {
			t.Error("POST on a reset is not observed; expected it to be")
		}
	}
}

func TestAClientsNameMovesNoCursor(t *testing.T) {
	t.Parallel()
	run := runOf(nil, seen(on503, called(succeeded(), answeredBy(503)...)))
	run.Client.Name = "evil\x1b[2J"
	var text bytes.Buffer
	if err := Text(&text, Summarize(run, Options{})); err != nil || strings.Contains(text.String(), "\x1b") {
		t.Errorf("%v: %q", err, text.String())
	}
}

type fullDisk struct{}

var errFull = errors.New("no space left")

func (fullDisk) Write([]byte) (int, error) { return 0, errFull }

func TestAWriterThatFailsIsTold(t *testing.T) {
	t.Parallel()
	s := Summarize(plainCommand(), Options{})
	if err := Text(fullDisk{}, s); !errors.Is(err, errFull) {
		t.Errorf("Text: %v; expected the writer's error", err)
	}
	if err := Draft(fullDisk{}, s, []string{"curl"}); !errors.Is(err, errFull) {
		t.Errorf("Draft: %v; expected the writer's error", err)
	}
}

// TestDraftsAreProfiles reads each draft back as the profile that it is.
func TestDraftsAreProfiles(t *testing.T) {
	t.Parallel()
	command := []string{"curl", "-H", `X: "quoted" & <more>: #1`, "--retry", "3", "{url}"}
	for name, run := range map[string]reports.Run{
		"exponential": plainCommand(),
		"constant":    runOf(nil, seen(on503, called(failing(), answeredBy(503, 151*ms, 150*ms)...))),
		"linear":      runOf(nil, seen(on503, called(failing(), answeredBy(503, 1001*ms, 2001*ms, 3002*ms)...))),
		"by three":    runOf(nil, seen(on503, called(failing(), answeredBy(503, 101*ms, 301*ms, 902*ms)...))),
		"no formula":  runOf(nil, seen(on503, called(failing(), answeredBy(503, 101*ms, 1101*ms, 50*ms)...))),
		"one pause":   runOf(nil, seen(on503, called(failing(), answeredBy(503, 101*ms)...)), seen(onStall, stalled(2003*ms))),
		"jitter":      runOf(nil, seen(on503, called(failing(), answeredBy(503, 100*ms, 100*ms)...)), herdOf(10*ms, 100*ms)),
		"only resets": runOf(nil, seen(on503, called(failing(), answeredBy(503)...)), seen(onReset, called(failing(), answeredBy(0, 20*ms)...))),
		"nothing":     runOf(nil),
		"told":        runOf([]scenarios.Capability{scenarios.CanAttempts, scenarios.CanBackoff}, plainCommand().Results...),
	} {
		s := Summarize(run, Options{})
		var text bytes.Buffer
		if err := Draft(&text, s, command); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Parse("draft.yaml", text.Bytes())
		if err != nil {
			t.Errorf("%s: %v\n%s", name, err, &text)
			continue
		}
		if p.Name != "sample" || !slices.Equal(p.Command, command) {
			t.Errorf("%s: %q is started by %q", name, p.Name, p.Command)
		}
		var promises scenarios.Policy
		if p.Promises != nil {
			promises = *p.Promises
		}
		if diff := cmp.Diff(s.Promises, promises); diff != "" {
			t.Errorf("%s: the draft's promises are not those that were seen (-seen +draft):\n%s", name, diff)
		}
	}
}

func TestPromisesAreWhatWasSeen(t *testing.T) {
	t.Parallel()
	second := time.Second
	for _, test := range []struct {
		name string
		run  reports.Run
		want scenarios.Policy
	}{
		{"exponential", plainCommand(), scenarios.Policy{
			Attempts: ptr(4), Backoff: &scenarios.Backoff{Exponential: &second}, Statuses: []int{408, 429, 500, 502, 503, 504},
		}},
		{
			"what it can be told is no promise",
			runOf([]scenarios.Capability{scenarios.CanAttempts, scenarios.CanBackoff}, seen(on503, called(failing(), answeredBy(503, second, second)...))),
			scenarios.Policy{Statuses: []int{503}},
		},
		{
			"a timeout of its own",
			runOf(nil, seen(on503, called(failing(), answeredBy(503)...)), seen(onStall, stalled(2003*ms))),
			scenarios.Policy{Attempts: ptr(1), Timeouts: &scenarios.Timeouts{Attempt: 2 * second}},
		},
		{
			"jitter is not guessed",
			runOf(nil, seen(on503, called(failing(), answeredBy(503, second, second)...)), herdOf(10*ms, second)),
			scenarios.Policy{Attempts: ptr(3), Statuses: []int{503}},
		},
		{"nothing was seen", runOf(nil), scenarios.Policy{}},
	} {
		if diff := cmp.Diff(test.want, Summarize(test.run, Options{}).Promises); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// TestTheCatalogueIsRead holds the topics to the catalogue: every contract of
// level observe is read, and every warning names a rule that is judged.
func TestTheCatalogueIsRead(t *testing.T) {
	t.Parallel()
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var read, there []string
	for _, topic := range topics {
		for _, l := range topic.looks {
			read = append(read, l.contract)
		}
	}
	for _, contract := range Contracts(catalogue) {
		there = append(there, contract.ID)
	}
	slices.Sort(read)
	if diff := cmp.Diff(there, read); diff != "" {
		t.Errorf("the topics read other contracts than the catalogue has (-catalogue +topics):\n%s", diff)
	}
	const least = 12
	if len(there) < least {
		t.Errorf("%d contracts of level observe; expected at least %d", len(there), least)
	}
	warnings := slices.Concat(dangers(newWitness(careless())), dangers(newWitness(plainCommand())))
	for _, warning := range warnings {
		known := slices.ContainsFunc(catalogue, func(c *scenarios.Contract) bool {
			return c.ID == warning.Contract && c.Level != scenarios.Observe
		})
		if !known {
			t.Errorf("%q names %s, which is no rule of the catalogue", warning.Text, warning.Contract)
		}
	}
}

func newWitness(run reports.Run) *witness {
	w := &witness{client: run.Client, results: map[string]reports.Result{}}
	for _, result := range run.Results {
		w.results[result.ID] = result
	}
	return w
}

func ptr[T any](value T) *T { return &value }

// A timer of whole milliseconds may fire a little early, as Node.js's do: who waits by
// one has read its Retry-After all the same.
func TestATimerOfWholeMillisecondsHeedsARetryAfter(t *testing.T) {
	t.Parallel()
	for waited, want := range map[time.Duration]string{
		3000*ms - 920*time.Microsecond: waitedFor, 3000 * ms: waitedFor, 3000*ms - 1001*time.Microsecond: tooEarly,
	} {
		s := Summarize(runOf(nil, seen(inSeconds, called(succeeded(), pushedBack(503, seconds(3), waited)...).as("unavailable", "GET"))), Options{})
		warned := slices.ContainsFunc(s.Warnings, func(w Warning) bool { return w.Contract == "retry-after.seconds-on-503" })
		if len(s.Findings) != 1 || s.Findings[0].Text != want+": 3 s on 503" || warned != (want == tooEarly) {
			t.Errorf("after %v: findings %v, warnings %v; expected %s", waited, s.Findings, s.Warnings, want)
		}
	}
}

// A cookie that a retried answer set is told where the retry has it, and where not;
// where there is no retry, nothing can be told of it.
func TestACookieIsFollowedIntoTheRetry(t *testing.T) {
	t.Parallel()
	with := answeredBy(503, 10*ms)
	with[1].Headers = faultserver.Headers{{Name: "cookie", Value: "hash:1"}}
	for name, test := range map[string]struct {
		attempts []reports.Attempt
		want     string
	}{
		"kept":    {with, "one that comes with a 503 comes back with the retry"},
		"lost":    {answeredBy(503, 10*ms), "one that comes with a 503 does not come back with the retry"},
		"no mind": {answeredBy(503), ""},
	} {
		got := ""
		for _, finding := range Summarize(runOf(nil, seen(cookie, called(succeeded(), test.attempts...))), Options{}).Findings {
			if finding.Topic == "cookies" {
				got = finding.Text
			}
		}
		if got != test.want {
			t.Errorf("%s: %q; expected %q", name, got, test.want)
		}
	}
}
