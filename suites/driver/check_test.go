package driver

import (
	"context"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestARightDriverHasNoFindings(t *testing.T) {
	t.Parallel()
	report := checkAll(t, []string{"floods-stderr"})["floods-stderr"]
	if report.Findings() != 0 {
		t.Errorf("findings in a driver that is right: %+v", report.Checks)
	}
	if report.Client.Name != "helper" || report.Client.Version != "1.2" || report.Language != "Go" {
		t.Errorf("client %q %q in %q, want helper 1.2 in Go", report.Client.Name, report.Client.Version, report.Language)
	}
	for _, checked := range report.Checks {
		if checked.NotMade != "" && checked.Name != "idempotency-key" {
			t.Errorf("%s was not made: %s", checked.Name, checked.NotMade)
		}
	}
	if want := len(probes) + 2; len(report.Checks) != want {
		t.Errorf("%d checks, want %d: hello, the probes, and the end", len(report.Checks), want)
	}
}

// A library that retries lost connections and no answer follows attempts all the
// same.
func TestAttemptsMayBeThoseOfLostConnections(t *testing.T) {
	t.Parallel()
	report := checkAll(t, []string{"retries-the-lost"})["retries-the-lost"]
	made := slices.IndexFunc(report.Checks, func(checked Checked) bool { return checked.Name == "attempts" })
	if made < 0 || report.Checks[made].NotMade != "" || len(report.Checks[made].Findings) > 0 {
		t.Errorf("the check of attempts found something, or was not made: %+v", report.Checks)
	}
}

// A library may read a stream whole before it sends anything: the protocol asks for
// a source that can be read once, not for a request that begins before its end.
func TestAStreamMayBeReadAheadWhole(t *testing.T) {
	t.Parallel()
	report := checkAll(t, []string{"buffers"})["buffers"]
	if report.Findings() != 0 {
		t.Errorf("findings in a driver whose library reads streams ahead:\n%s", findings(report))
	}
	made := slices.IndexFunc(report.Checks, func(checked Checked) bool { return checked.Name == "streamed-body" })
	if made < 0 || report.Checks[made].NotMade != "" {
		t.Errorf("streamed-body was not checked: %+v", report.Checks)
	}
}

// Each driver that is wrong is told so, by the check that is about it, with what
// came and what to do.
func TestAWrongDriverIsToldWhatIsWrong(t *testing.T) {
	tests := []struct {
		habit, check string
		expected     string
		got          string
		do           string
	}{
		{"silent", "hello", "hello within 2s", "no line on standard output", "flush"},
		{"early", "hello", "hello as the first message", `{\"client\":1,\"type\":\"opened\"}`, "before anything else"},
		{"floods", "hello", "lines of at most 1048576 bytes", "a longer one", "end each message with a newline"},
		{"says-its-last", "hello", "runs until its standard input ends", "before hello; the driver ended with exit status 3, and said on standard error: no module named undici", "standard error"},
		{"bad-hello", "hello", "a hello with protocol 1", "protocol 7, where 1 is spoken here", "mend hello"},
		{"bad-hello", "hello", "", "no client.name", ""},
		{"bad-hello", "hello", "", `client.version "1\x1b[2J", where a line without control characters`, ""},
		{"bad-hello", "hello", "", `the capability "retries"`, ""},
		{"bad-hello", "hello", "", "one call at a time is not parallel", ""},
		{"bad-hello", "hello", "", "attempts: expected at least 1", ""},
		{"bad-hello", "hello", "", `backoff.kind: expected constant, linear or exponential; got "random"`, ""},
		{"bad-hello", "hello", "", "backoff.base_ms: expected 0 or more milliseconds; got -1", ""},
		{"bad-hello", "hello", "", `backoff.jitter: expected none, full, equal or decorrelated; got "some"`, ""},
		{"greets-twice", "a plain call", "one hello", "a second one", "once"},
		{"forgets-opened", "a plain call", "opened for client 1 within 2s", "no such message", "answer each open"},
		{"cannot-open", "a plain call", "a client for a plain policy", "no sockets", "open a client"},
		{"refuses-all", "a plain call", "a client for a plain policy", "unsupported: no jitter", "refuse only"},
		{"prints", "a plain call", "one JSON object", "INFO sending a request", "standard error"},
		{"cuts-a-line", "a plain call", "until its standard input ends", `in the middle of the line "{\"type\":\"res", with 1 call open (seq 1)`, "standard error"},
		{"dies", "a plain call", "until its standard input ends", "with 1 call open (seq 1); the driver ended with exit status 9, and said on standard error: segmentation fault", "an error of a call is a result"},
		{"repeats", "a plain call", "one result for each run", "a second result for seq 1", "answer each run once"},
		{"answers-others", "a plain call", "one result for each run", "seq 99, which was never asked for", "its own seq"},
		{"asks", "a plain call", "a message of type hello, opened, result, closed", `type "results" (did you mean "result"?)`, "only these"},
		{"stalls", "a plain call", "a result for each run", "not returned within 4s", "however the call ends"},
		{"wrong-type", "a plain call", `a whole number in field "status" of a result`, "a string", "mend the field"},
		{"own-words", "a plain call", "a result as the protocol describes it", `outcome: expected one of response, error, unsupported; got "ok"`, "mend the result"},
		{"own-words", "a plain call", "", "status: expected a status of HTTP, or 0 for none; got 7", ""},
		{"own-words", "a plain call", "", `headers: expected pairs`, ""},
		{"own-words", "a plain call", "", `body_sha256: expected 64 hexadecimal digits in lower case; got "ABC"`, ""},
		{"own-words", "a plain call", "", "body_length: expected 0 or more; got -1", ""},
		{"own-words", "a plain call", "", "attempts: expected 1 or more, or 0 for not told; got -1", ""},
		{"own-words", "a plain call", "", "elapsed_ms: expected milliseconds, at most 24h0m0s", ""},
		{"own-kinds", "a plain call", "", `got "time-out" (did you mean "timeout"?)`, ""},
		{"own-kinds", "a plain call", "", `got "oops"`, ""},
		{"own-kinds", "a plain call", "", "error.last_status: expected a status of HTTP, or 0 for none; got 9", ""},
		{"error-without", "a plain call", "", "error: expected an object with kind and message", ""},
		{"supports-nothing", "a plain call", "that the call is made", "unsupported (no HTTP)", "take the capability out of hello"},
		{"never-closes", "a plain call", "closed for client 1 within 5s", "no such message", "without waiting for calls"},
		{"shares-a-pool", "clients of their own", "two clients that share nothing", "on the connection of the first", "make the pool"},
		{"one-kind", "lost connections", "the kind connect", "the error other", "take error-kind out of hello"},
		{"one-kind", "lost connections", "the kind reset", "the error other", "take error-kind out of hello"},
		{"always-200", "status", "status 404", "200", "take status out of hello"},
		{"wrong-hash", "response-body", "body_length 65536 and body_sha256 ", "65536 and 0000", "not a text made of them"},
		{"no-hash", "response-body", "body_sha256 and body_length of the answer", "none", "take response-body out of hello"},
		{"gets", "method", "the method DELETE", "GET", "take method out of hello"},
		{"drops-headers", "headers", "the header X-Faultsrv-Check: one, two", "[]", "take headers out of hello"},
		{"drops-bodies", "request-body", "the 65536 bytes of body.file", "0 bytes", "not a text made of them"},
		{"drops-bodies", "streamed-body", "read once, from its first byte to its last", "body.file was not opened within 5s", "a reader or an iterator"},
		{"rewinds", "streamed-body", "no way back", "it was not read to its end", "a reader or an iterator"},
		{"reads-twice", "streamed-body", "a result for each run", "not returned within 4s", "however the call ends"},
		{"makes-keys", "idempotency-key", "an Idempotency-Key on a POST", "none", "take idempotency-key out of hello"},
		{"counts-retries", "attempts", "1 attempt for a policy of so many", "2 attempts", "attempts - 1"},
		{"ignores-attempts", "attempts", "1 attempt for a policy of so many", "2 attempts", "attempts"},
		{"never-retries", "attempts", "or, where that is not retried, all reset", "1 attempt", "take attempts out of hello"},
		{"one-attempt", "attempts", "attempts: 2, as arrived at the server", "attempts: 1", "the first one included"},
		{"ignores-backoff", "backoff", "a pause of 500ms before the second attempt", "s", "take backoff out of hello"},
		{"ignores-deadline", "timeout", "by deadline_ms, 500ms", "no result 3.5s later", "take timeout out of hello"},
		{"in-nanoseconds", "timeout", "by deadline_ms, 500ms", "the error timeout", "is in milliseconds"},
		{"ignores-attempt-timeout", "attempt-timeout", "by timeouts.attempt_ms, 500ms", "no result 3.5s later", "take attempt-timeout out of hello"},
		{"ignores-cancel", "cancel", "a result soon after the call was cancelled", "no result 3s later", "take cancel out of hello"},
		{"one-kind", "cancel", "the kind canceled", "the error other", "take error-kind out of hello"},
		{"trusts-nobody", "tls", "200", "the error", "report the answer"},
		{"trusts-nobody", "tls", "a request over TLS", "none (the error", "ca_file of open, and no other"},
		{"trusts-all", "tls", "an error for a server whose certificate", "a response with status 200", "check certificates"},
		{"serialises", "parallel", "4 requests side by side for 4 calls side by side", "1 request within 5s", "max_parallel 1"},
		{"runs-on", "end", "ends with status 0 within 5s", "it ran on and had to be ended", "when standard input does"},
		{"ends-with-3", "end", "ends with status 0 within 5s", "exit status 3", "no error"},
	}
	var habits []string
	for _, test := range tests {
		habits = append(habits, test.habit)
	}
	reports := checkAll(t, habits)
	for _, test := range tests {
		t.Run(test.habit+" "+test.check, func(t *testing.T) {
			for _, checked := range reports[test.habit].Checks {
				for _, finding := range checked.Findings {
					if checked.Name == test.check && strings.Contains(finding.Expected, test.expected) &&
						strings.Contains(finding.Got, test.got) && strings.Contains(finding.Do, test.do) {
						return
					}
				}
			}
			t.Errorf("no finding of the check %q with expected %q, got %q, do %q in:\n%s", test.check, test.expected, test.got, test.do, findings(reports[test.habit]))
		})
	}
}

// sideBySide is how many drivers are checked at the same time: they wait more
// than they compute.
const sideBySide = 8

// limits are shortened for the drivers that are waited for in vain.
var limits = map[string]Options{
	"silent":         {StartTimeout: 2 * time.Second},
	"stalls":         {CallTimeout: 2 * time.Second},
	"reads-twice":    {CallTimeout: 2 * time.Second},
	"forgets-opened": {CallTimeout: 2 * time.Second},
}

// checkAll checks a driver with each of the habits, once.
func checkAll(t *testing.T, habits []string) map[string]Report {
	t.Helper()
	slices.Sort(habits)
	habits = slices.Compact(habits)
	reports := make([]Report, len(habits))
	places := make(chan struct{}, sideBySide)
	var working sync.WaitGroup
	for i, habit := range habits {
		places <- struct{}{}
		working.Go(func() {
			defer func() { <-places }()
			var err error
			if reports[i], err = Check(t.Context(), command(t, habit), asHelper(limits[habit])); err != nil {
				t.Errorf("%s: %v", habit, err)
			}
		})
	}
	working.Wait()
	byHabit := map[string]Report{}
	for i, habit := range habits {
		byHabit[habit] = reports[i]
	}
	return byHabit
}

// findings are those of a report, a line each.
func findings(report Report) string {
	var text strings.Builder
	for _, checked := range report.Checks {
		for _, finding := range checked.Findings {
			text.WriteString(checked.Name + ": expected " + finding.Expected + "; got " + finding.Got + "; " + finding.Do + "\n")
		}
	}
	return text.String()
}

// What is not said is not checked, and after a break nothing is.
func TestWhatIsNotCheckedHasAReason(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"cannot-cancel": "the driver does not say that it can",
		"silent":        "there is no proper hello",
		"dies":          "the driver broke before",
		"refuses-all":   "a plain call does not work yet",
	}
	reports := checkAll(t, slices.Collect(maps.Keys(reasons)))
	for habit, want := range reasons {
		for _, checked := range reports[habit].Checks {
			if checked.Name == "cancel" && checked.NotMade != want {
				t.Errorf("%s: cancel was not made for %q, want %q", habit, checked.NotMade, want)
			}
		}
	}
}

func TestAProgramThatIsNotThereCannotBeChecked(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{nil, {"no-such-driver"}, {"./no-such-driver"}} {
		if _, err := Check(t.Context(), args, Options{}); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
	if _, err := exec.LookPath("no-such-driver"); err == nil {
		t.Fatal("there is a program no-such-driver")
	}
}

func TestACheckThatIsCutShortEnds(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	began := time.Now()
	_, err := Check(ctx, command(t, "stalls"), asHelper(Options{CallTimeout: time.Minute}))
	if err == nil {
		t.Error("no error, want that of the context")
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("it took %v, want it to end with its context", took)
	}
}
