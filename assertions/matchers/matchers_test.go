package matchers_test

import (
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/assertions"
	. "github.com/faultsrv/faultsrv/assertions/matchers"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

var update = flag.Bool("update", false, "write the golden files anew")

const ms = time.Millisecond

var order = faultserver.Body{Text: "one order"}

// attempt is a PUT of an order that arrives at one time and is answered with
// 503 a millisecond later.
func attempt(number int, arrived time.Duration, changes ...func(*faultserver.Attempt)) faultserver.Attempt {
	a := faultserver.Attempt{
		Number: number, Index: number, Connection: 1, Use: number, Arrived: arrived, Answered: arrived + ms,
		End:    faultserver.Interval{Earliest: arrived + ms, Latest: arrived + ms},
		Method: "PUT", Target: "/orders/1", Proto: "HTTP/1.1",
		Headers:  faultserver.Headers{{Name: "Idempotency-Key", Value: "k1"}},
		Body:     faultserver.BodyReceipt{Declared: order.Len(), Received: order.Len(), SHA256: order.SHA256(), Complete: true},
		Step:     faultserver.StepRef{Index: number, Script: "script", Text: "503"},
		Happened: faultserver.Effect{Kind: "answer", Status: 503}, Met: true, Acked: 120,
	}
	for _, change := range changes {
		change(&a)
	}
	return a
}

func emptied(a *faultserver.Attempt) {
	a.Body = faultserver.BodyReceipt{SHA256: faultserver.Body{}.SHA256(), Complete: true}
}

func rekeyed(a *faultserver.Attempt) { a.Headers[0].Value = "k2" }

func of(call string) func(*faultserver.Attempt) {
	return func(a *faultserver.Attempt) { a.Call = call }
}

func journal(attempts ...faultserver.Attempt) faultserver.Journal {
	return faultserver.Journal{Session: "s1", Attempts: attempts, Effects: len(attempts)}
}

// judged is evidence of a contract that asks for two attempts of one call.
func judged(attempts int) assertions.Evidence {
	two := 2
	e := assertions.Evidence{
		Contract: &scenarios.Contract{Level: scenarios.Must, Calls: []scenarios.Call{{Name: "c"}}},
		Calls:    []assertions.CallRecord{{Token: "c", Name: "c", Body: order, Outcome: scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 503}}},
	}
	e.Contract.Expect.All.Attempts = &scenarios.Attempts{Each: &two}
	for i := range attempts {
		e.Journal.Attempts = append(e.Journal.Attempts, attempt(i+1, 50*ms*time.Duration(i), of("c")))
	}
	return e
}

var (
	twice    = journal(attempt(1, 0), attempt(2, 41*ms))
	broken   = journal(attempt(1, 0), attempt(2, 11*ms, emptied, rekeyed))
	twoCalls = journal(attempt(1, 0, of("a")), attempt(1, 5*ms, of("b"), rekeyed))
	sameKeys = journal(attempt(1, 0, of("a")), attempt(1, 0, of("b")))
	reset    = scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: scenarios.ErrReset}}
	answered = scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 503}
)

// Every matcher matches one value and does not match another; both messages
// are read in the golden file.
func TestMessages(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	for _, test := range []struct {
		name      string
		matcher   func() types.GomegaMatcher
		yes, isNo any
	}{
		{"HaveAttempts", func() types.GomegaMatcher { return HaveAttempts(2) }, twice, journal(attempt(1, 0))},
		{"HaveAttempts of evidence", func() types.GomegaMatcher { return HaveAttempts(2) }, judged(2), judged(3)},
		{"HaveAttemptsBetween", func() types.GomegaMatcher { return HaveAttemptsBetween(2, 3) }, twice, journal()},
		{"HaveTotalAttempts", func() types.GomegaMatcher { return HaveTotalAttempts(2) }, twoCalls, journal(attempt(1, 0))},
		{"HaveSourceBodies", func() types.GomegaMatcher { return HaveSourceBodies() }, twice, broken},
		{"HaveSourceBodies of evidence", func() types.GomegaMatcher { return HaveSourceBodies() }, judged(2), func() assertions.Evidence {
			e := judged(2)
			emptied(&e.Journal.Attempts[1])
			return e
		}()},
		{"HaveSourceBodies of a string", func() types.GomegaMatcher { return HaveSourceBodies("one order") }, twice, broken},
		{"HaveSourceBodies, one a call", func() types.GomegaMatcher { return HaveSourceBodies([]byte("one order"), order) }, twoCalls,
			journal(attempt(1, 0, of("a")), attempt(1, 5*ms, of("b"), emptied))},
		{"HaveGaps at least", func() types.GomegaMatcher { return HaveGaps(AtLeast(40 * ms)) }, twice, broken},
		{"HaveGaps at most", func() types.GomegaMatcher { return HaveGaps(AtMost(40*ms), BeforeRetry(1)) }, twice, journal(attempt(1, 0), attempt(2, time.Second))},
		{"HaveGaps as Retry-After asks", func() types.GomegaMatcher { return HaveGaps(AtLeastRetryAfter()) },
			journal(attempt(1, 0, retryAfter), attempt(2, 1001*ms)), journal(attempt(1, 0, retryAfter), attempt(2, 41*ms))},
		{"HaveOutcome", func() types.GomegaMatcher { return HaveOutcome(Error(scenarios.ErrReset, scenarios.ErrConnect)) }, reset, answered},
		{"HaveOutcome of any error", func() types.GomegaMatcher { return HaveOutcome(Error()) }, reset, answered},
		{"HaveOutcome of evidence", func() types.GomegaMatcher { return HaveOutcome(Status(503)) }, judged(1),
			assertions.CallRecord{Outcome: reset}},
		{"HaveOutcome of alternatives", func() types.GomegaMatcher { return HaveOutcome(AnyOf(Success(), Error())) }, reset, answered},
		{"HaveSame", func() types.GomegaMatcher { return HaveSame("method", "header.Idempotency-Key") }, twice, broken},
		{"HaveDistinct", func() types.GomegaMatcher { return HaveDistinct("header.idempotency-key") }, twoCalls, sameKeys},
		{"HavePresent", func() types.GomegaMatcher { return HavePresent("header.Idempotency-Key") }, twice, journal(attempt(1, 0, func(a *faultserver.Attempt) { a.Headers = nil }))},
		{"HaveAbsent", func() types.GomegaMatcher { return HaveAbsent("header.Cookie") }, twice, journal(attempt(1, 0, func(a *faultserver.Attempt) { a.Headers[0].Name = "cookie" }))},
		{"HaveDropped", func() types.GomegaMatcher { return HaveDropped("header.Idempotency-Key") },
			journal(attempt(1, 0), attempt(2, 41*ms, func(a *faultserver.Attempt) { a.Headers = nil })), twice},
		{"HaveConnections", func() types.GomegaMatcher { return HaveConnections(1) }, twice, journal(attempt(1, 0), attempt(2, 41*ms, func(a *faultserver.Attempt) { a.Connection, a.Use = 2, 1 }))},
		{"HaveEffects", func() types.GomegaMatcher { return HaveEffects(1) }, journal(attempt(1, 0)), twice},
		{"HaveOverlapAtMost", func() types.GomegaMatcher { return HaveOverlapAtMost(1) }, twice, journal(attempt(1, 0), attempt(2, ms/2))},
		{"HaveDrainedAtMost", func() types.GomegaMatcher { return HaveDrainedAtMost(4 * faultserver.KiB) }, twice, journal(attempt(1, 0, func(a *faultserver.Attempt) { a.Acked = 1 << 20 }), attempt(2, 41*ms))},
		{"Meet", func() types.GomegaMatcher { return Meet(scenarios.Expectation{Same: []scenarios.Field{"target"}}) }, twice, journal(attempt(1, 0), attempt(2, 41*ms, func(a *faultserver.Attempt) { a.Target = "/" }))},
		{"HaveVerdict", func() types.GomegaMatcher { return HaveVerdict(assertions.Pass) }, judged(2), judged(3)},
	} {
		match := func(actual any, want bool) types.GomegaMatcher {
			matcher := test.matcher()
			matched, err := matcher.Match(actual)
			if err != nil || matched != want {
				t.Errorf("%s: got %t, %v, want %t of %+v", test.name, matched, err, want, actual)
			}
			return matcher
		}
		fmt.Fprintf(&page, "== %s ==\n%s\n-- negated --\n%s\n", test.name,
			match(test.isNo, false).FailureMessage(test.isNo), match(test.yes, true).NegatedFailureMessage(test.yes))
	}
	golden(t, "messages.golden", page.String())
}

func retryAfter(a *faultserver.Attempt) {
	wait := time.Second
	a.RetryAfter = &faultserver.SentRetryAfter{Value: "1", Wait: &wait}
}

// What cannot be judged is an error: neither To nor NotTo passes.
func TestErrors(t *testing.T) {
	t.Parallel()
	late := judged(2)
	late.Lateness = time.Minute
	for _, test := range []struct {
		name    string
		matcher types.GomegaMatcher
		actual  any
		want    string
	}{
		{"a wrong type", HaveAttempts(2), 42, "HaveAttempts(2): the actual value must be a faultserver.Journal"},
		{"no value", HaveAttempts(2), nil, "the actual value must be"},
		{"a nil journal", HaveAttempts(2), (*faultserver.Journal)(nil), "the actual value must be"},
		{"nil evidence", HaveOutcome(Success()), (*assertions.Evidence)(nil), "the actual value must be a scenarios.Outcome"},
		{"an outcome of a journal", HaveOutcome(Success()), twice, "HaveOutcome: the actual value must be a scenarios.Outcome"},
		{"a verdict of a journal", HaveVerdict(assertions.Pass), twice, "HaveVerdict(pass): the actual value must be an assertions.Evidence"},
		{"a pause that was not", HaveGaps(AtLeast(ms)), journal(attempt(1, 0)), "HaveGaps(AtLeast(1ms)) cannot be judged: no retry"},
		{"a late machine", HaveGaps(AtMost(ms)), late, "cannot be judged on this machine now"},
		{"no bound", HaveGaps(BeforeRetry(1, 2)), twice, "HaveGaps(BeforeRetry(1, 2)): it needs a bound"},
		{"no field", HaveSame(), twice, "HaveSame(): it asks for nothing"},
		{"a source of a wrong type", HaveSourceBodies(42), twice, "source 1 is a int"},
		{"too many sources", HaveSourceBodies("a", "b"), twice, "got 2 sources for 1 calls"},
		{"sources of no journal", HaveSourceBodies("a"), 42, "the actual value must be"},
	} {
		matched, err := test.matcher.Match(test.actual)
		if matched || err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %t, %v; want …%s…", test.name, matched, err, test.want)
		}
	}
}

// Evidence is also taken by its address, by every matcher alike.
func TestEvidenceByAddress(t *testing.T) {
	t.Parallel()
	kept, broken := judged(2), judged(3)
	for _, matcher := range []types.GomegaMatcher{HaveAttempts(2), HaveVerdict(assertions.Pass)} {
		for e, want := range map[*assertions.Evidence]bool{&kept: true, &broken: false} {
			if matched, err := matcher.Match(e); err != nil || matched != want {
				t.Errorf("%T: got %t, %v; want %t", matcher, matched, err, want)
			}
		}
	}
}

// A server is an actual value: what a Go test sees of a client that retries.
func TestServer(t *testing.T) {
	t.Parallel()
	g := NewWithT(t)
	server := faultserver.New(t, "503,503,200")
	for range 3 {
		time.Sleep(10 * ms)
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, server.URL+"/orders/1", strings.NewReader("one order"))
		g.Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Idempotency-Key", "k1")
		response, err := http.DefaultTransport.RoundTrip(request)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(response.Body.Close()).To(Succeed())
	}
	g.Expect(server).To(HaveAttempts(3))
	g.Expect(server).NotTo(HaveAttempts(2))
	g.Expect(server.Journal()).To(HaveSourceBodies("one order"))
	g.Expect(server).To(HaveGaps(AtLeast(10 * ms)))
	g.Expect(server).To(HaveSame("method", "target", "header.idempotency-key", "header.Content-Length"))
	g.Expect(server).To(And(HavePresent("header.Idempotency-Key"), HaveAbsent("header.Cookie"), HaveOverlapAtMost(1)))
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs; run the test with -update and read the change (-want +got):\n%s", file, diff)
	}
}
