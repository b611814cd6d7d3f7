package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// judged opens a session of a contract, lets a client act on it, and judges it by
// what the client then reports.
func judged(t *testing.T, contract string, act func(s *faultserver.Session) []control.Report) reports.Result {
	t.Helper()
	timers := measureTimers()
	t.Cleanup(timers.end)
	books, err := newLibrary(&selection{}, timers, reports.NewRedactor(reports.Secrets{}))
	if err != nil {
		t.Fatal(err)
	}
	scenario, err := books.parse([]byte("format: 1\n---\n" + contract))
	if err != nil {
		t.Fatal(err)
	}
	session, err := faultserver.Open(scenario.Config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	verdict, err := scenario.Judge(t.Context(), control.Case{Session: session, Reports: act(session)})
	if err != nil {
		t.Fatal(err)
	}
	return verdict.(reports.Result)
}

// get makes so many requests to a call's URL, with pauses between them.
func get(t *testing.T, url string, times int, pause time.Duration) {
	t.Helper()
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for i := range times {
		if i > 0 {
			time.Sleep(pause)
		}
		if response, err := client.Get(url); err == nil {
			_ = response.Body.Close()
		}
	}
}

func reported(s *faultserver.Session, token, outcome string) []control.Report {
	return []control.Report{{Token: token, Returned: s.Elapsed(), Outcome: json.RawMessage(outcome)}}
}

const twice = `
id: attempts.twice
calls: [{name: order}]
policy: {attempts: 2, backoff: {constant: 40ms}}
script: [503, succeed]
watch: 50ms
expect: {attempts: 2, gaps: {min: policy}}
also: {outcome: success}
`

func TestSessionsAreJudgedByWhatCameAndWhatWasReported(t *testing.T) {
	t.Parallel()
	for name, one := range map[string]struct {
		times   int
		pause   time.Duration
		outcome string
		want    assertions.Verdict
	}{
		"kept":             {2, 60 * time.Millisecond, `{"kind":"success"}`, assertions.Pass},
		"too early":        {2, 0, `{"kind":"success"}`, assertions.Fail},
		"too often":        {3, 60 * time.Millisecond, `{"kind":"success"}`, assertions.Fail},
		"too seldom":       {1, 0, `{"kind":"success"}`, assertions.Fail},
		"failed to notice": {2, 60 * time.Millisecond, `{"kind":"error","error":{"kind":"reset"}}`, assertions.Fail},
		"not told":         {2, 60 * time.Millisecond, "", assertions.Pass},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			result := judged(t, twice, func(s *faultserver.Session) []control.Report {
				get(t, s.CallURL("order", "/"), one.times, one.pause)
				if one.outcome == "" {
					return nil
				}
				return reported(s, "order", one.outcome)
			})
			if result.Verdict != one.want {
				t.Errorf("verdict %s (%s); want %s", result.Verdict, result.Reason, one.want)
			}
		})
	}
}

func TestWhatWasNotToldOfACallIsTakenFromItsAttempts(t *testing.T) {
	t.Parallel()
	journal := faultserver.Journal{Attempts: []faultserver.Attempt{
		{Call: "other", Arrived: 1}, {Call: "order", Arrived: 20, End: faultserver.Interval{Latest: 30}},
		{Call: "order", Arrived: 40, End: faultserver.Interval{Latest: 50}}, {Call: "order", Arrived: 60},
	}}
	call := scenarios.Call{Name: "order"}
	record, made, err := callRecord(call, "order", nil, journal)
	if err != nil || !made || record.Started != 20 || record.Returned != 60 || record.Outcome.Kind != scenarios.UnknownOutcome {
		t.Errorf("got %+v, %v, %v; want it begun at 20, ended at 60, with an unknown outcome", record, made, err)
	}
	told := []control.Report{{Token: "order", Started: 10, Cancelled: 45, Returned: 70, Outcome: json.RawMessage(`{"kind":"success"}`)}}
	record, _, err = callRecord(call, "order", told, journal)
	if err != nil || record.Started != 10 || record.Cancelled != 45 || record.Returned != 70 || record.Outcome.Kind != scenarios.SuccessOutcome {
		t.Errorf("got %+v, %v; want what was told", record, err)
	}
	told[0].Cancelled = 71
	if record, _, err = callRecord(call, "order", told, journal); err != nil || record.Cancelled != 0 {
		t.Errorf("cancelled at %v, %v; a cancellation after the return has interrupted nothing", record.Cancelled, err)
	}
	if _, made, _ := callRecord(call, "never", told, journal); made {
		t.Error("a call that nobody made and nobody reported counts as made")
	}
}

// Who says nothing of a call's end may hang in it to this day: that the last answer
// was sent in time says nothing of when its caller had it.
func TestACallThatNobodySaidToHaveReturnedIsNotInTime(t *testing.T) {
	t.Parallel()
	const soon = `
id: response.soon
calls: [{name: order}]
policy: {attempts: 1}
script: [succeed]
watch: 1ms
expect: {returns: {max: 1s}}
`
	for outcome, want := range map[string]assertions.Verdict{"": assertions.Unsupported, `{"kind":"success"}`: assertions.Pass} {
		result := judged(t, soon, func(s *faultserver.Session) []control.Report {
			get(t, s.CallURL("order", "/"), 1, 0)
			if outcome == "" {
				return nil
			}
			return reported(s, "order", outcome)
		})
		if result.Verdict != want {
			t.Errorf("with the outcome %q: verdict %s (%s); want %s", outcome, result.Verdict, result.Reason, want)
		}
	}
}

// A client with nothing to send holds its acknowledgement back for 40 ms: a verdict that
// does not wait for it finds that nobody had the answer, and that the client gave up.
func TestAcknowledgementsAreAwaitedBeforeAVerdict(t *testing.T) {
	t.Parallel()
	const kept = `
id: attempts.kept
calls: [{name: order, repeat: 5}]
policy: {attempts: 2}
script: [{succeed: {}, times: 5}]
watch: 1ms
expect: {attempts: policy, outcome: success}
`
	result := judged(t, kept, func(s *faultserver.Session) (told []control.Report) {
		client := http.Client{Transport: &http.Transport{}}
		for i := range 5 { // a new connection's first answers are acknowledged at once
			token := fmt.Sprintf("order-%d", i+1)
			response, err := client.Get(s.CallURL(token, "/"))
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			told = append(told, reported(s, token, `{"kind":"success"}`)...)
		}
		return told
	})
	if result.Verdict != assertions.Pass {
		t.Errorf("verdict %s (%s); every call was answered with success", result.Verdict, result.Reason)
	}
}

func TestLateAttemptsAreLookedFor(t *testing.T) {
	t.Parallel()
	result := judged(t, strings.Replace(twice, "watch: 50ms", "watch: 500ms", 1), func(s *faultserver.Session) []control.Report {
		get(t, s.CallURL("order", "/"), 2, 60*time.Millisecond)
		go func() {
			time.Sleep(100 * time.Millisecond)
			if response, err := http.Get(s.CallURL("order", "/")); err == nil {
				_ = response.Body.Close()
			}
		}()
		return reported(s, "order", `{"kind":"success"}`)
	})
	if result.Verdict != assertions.Fail {
		t.Errorf("verdict %s; a third attempt came 100 ms after the return, and the contract watches for 500 ms", result.Verdict)
	}
}

func TestJudgingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	session, err := faultserver.Open(faultserver.Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := lookForLate(ctx, control.Case{Session: session}, time.Hour); !errors.Is(err, cause) {
		t.Errorf("got %v; want the context's cause", err)
	}
}

func TestOutcomesAreReadStrictly(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"kind":"response","status":503,"body_length":3}`:              "",
		`{"kind":"error","error":{"kind":"timeout","chain":["reset"]}}`: "",
		`{"kind":"success"}`:                          "",
		`{"kind":"unknown"}`:                          "",
		`{"kind":"client-error"}`:                     "expected one of response, error, success, unknown",
		`{"kind":"response"}`:                         "a response needs its status",
		`{"kind":"error"}`:                            "an outcome of kind error needs one",
		`{"kind":"success","error":{"kind":"other"}}`: "no other has it",
		`{"kind":"error","error":{"kind":"any"}}`:     "expected one of timeout",
		`{"kind":"error","error":{"kind":"timeout","chain":["bad luck"]}}`: "expected one of timeout",
		`{"kind":"success","stautus":200}`:                                 "unknown field",
		`{"kind":"success"} {}`:                                            "something follows",
		`[]`:                                                               "cannot unmarshal array",
	} {
		_, err := readOutcome(json.RawMessage(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v; want %q", text, err, want)
		}
	}
}

func TestErrorsAreToldApartOnlyByWhoTellsThem(t *testing.T) {
	t.Parallel()
	of := func(kind scenarios.ErrorKind) []assertions.CallRecord {
		return []assertions.CallRecord{{Outcome: scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: kind}}}}
	}
	can := func(calls []assertions.CallRecord) bool {
		return slices.Contains(capabilitiesOf(calls), scenarios.CanErrorKind)
	}
	if can(of(scenarios.ErrOther)) || !can(of(scenarios.ErrReset)) {
		t.Error("want the capability error-kind where an error was not \"other\", and only there")
	}
}

func TestTimersAreRememberedByTheSecond(t *testing.T) {
	t.Parallel()
	measured := timers{due: time.Now().Add(time.Hour)} // none is due while this is tested
	begun := time.Now()
	measured.record(begun.Add(-2*time.Second), 300*time.Millisecond)
	measured.record(begun, 20*time.Millisecond)
	measured.record(begun, 10*time.Millisecond)
	if got := measured.since(begun); got != 20*time.Millisecond {
		t.Errorf("since now: %v; want 20ms", got)
	}
	if got := measured.since(begun.Add(-5 * time.Second)); got != 300*time.Millisecond {
		t.Errorf("since five seconds ago: %v; want 300ms", got)
	}
	held := timers{due: begun.Add(-time.Second)}
	if got := held.since(begun); got < time.Second {
		t.Errorf("a timer was due a second ago, and it is %v late", got)
	}
	measured.record(begun.Add(timerMemory), time.Millisecond)
	if got := measured.since(begun.Add(timerMemory)); got != time.Millisecond {
		t.Errorf("an hour later: %v; want 1ms, what was is forgotten", got)
	}
}
