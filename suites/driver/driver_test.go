package driver

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// soon is the upper bound for what takes no time of its own.
const soon = 10 * time.Second

// ok is a server that answers 200, and tells the calls that came.
func ok(t *testing.T) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/stall") {
			<-r.Context().Done()
		}
		_, _ = w.Write([]byte("ok\n"))
	}))
	t.Cleanup(server.Close)
	return server
}

func TestACallAndItsOutcome(t *testing.T) {
	t.Parallel()
	srv := faultserver.New(t, "503,succeed")
	client := open(t, start(t, Options{}))
	outcome := client.Do(t.Context(), suites.Request{
		Method: "PUT", URL: srv.URL + "/orders", Headers: faultserver.Headers{{Name: "X-One", Value: "1"}},
		Body: &faultserver.Body{Size: 70 << 10, Seed: 1},
	})
	want := faultserver.Body{Text: faultserver.DefaultSuccessBody}
	if outcome.Kind != scenarios.ResponseOutcome || outcome.Status != 200 || outcome.BodySHA256 != want.SHA256() || outcome.BodyLength != want.Len() ||
		outcome.Attempts != 2 || outcome.Elapsed != 1500*time.Microsecond || outcome.Headers.Get("Content-Length") != "1" {
		t.Errorf("outcome %+v %+v", outcome, outcome.Error)
	}
	for _, attempt := range srv.Journal().Attempts {
		if attempt.Method != "PUT" || attempt.Headers.Get("X-One") != "1" || attempt.Body.Received != 70<<10 {
			t.Errorf("attempt %d: %s, X-One %q, %d bytes; want PUT, 1 and %d", attempt.Number, attempt.Method, attempt.Headers.Get("X-One"), attempt.Body.Received, 70<<10)
		}
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestCallsSideBySideGetTheirOwnResults(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.URL.Path))
	}))
	defer server.Close()
	client := open(t, start(t, Options{}))
	var calls sync.WaitGroup
	for i := range 200 {
		calls.Go(func() {
			path := "/" + strconv.Itoa(i)
			outcome := client.Do(t.Context(), suites.Request{URL: server.URL + path})
			if want := (faultserver.Body{Text: path}).SHA256(); outcome.BodySHA256 != want {
				t.Errorf("call %d: %+v, want the hash of its own path", i, outcome)
			}
		})
	}
	calls.Wait()
}

func TestACancelledCallReturnsAsTheDriverTells(t *testing.T) {
	t.Parallel()
	server := ok(t)
	client := open(t, start(t, Options{}))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	outcome := client.Do(ctx, suites.Request{URL: server.URL + "/stall"})
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrCanceled {
		t.Errorf("outcome %+v %+v, want the error canceled", outcome, outcome.Error)
	}
	if took := time.Since(began); took > soon {
		t.Errorf("it took %v, want no longer than the driver", took)
	}
}

func TestADriverThatCannotCancelIsLeftToItself(t *testing.T) {
	t.Parallel()
	server := ok(t)
	client := open(t, start(t, Options{}, "cannot-cancel"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	outcome := client.Do(ctx, suites.Request{URL: server.URL + "/stall"})
	if outcome.Kind != scenarios.ErrorOutcome || !strings.Contains(outcome.Note, "the driver cannot cancel") {
		t.Errorf("outcome %+v, want an error that says why", outcome)
	}
	if err := client.Close(); err != nil {
		t.Errorf("close, with a call left behind: %v", err)
	}
	// The result that nobody waits for any more does no harm.
	server.CloseClientConnections()
	if outcome := client.Do(t.Context(), suites.Request{URL: server.URL}); outcome.Status != 200 {
		t.Errorf("the next call: %+v, want 200", outcome)
	}
}

func TestAPolicyThatTheDriverRefusesIsUnsupported(t *testing.T) {
	t.Parallel()
	subject := start(t, Options{}, "refuses-jitter")
	policy := plainPolicy(2)
	policy.Backoff.Jitter = scenarios.FullJitter
	client, err := subject.Open(policy)
	if err != nil {
		t.Fatal(err)
	}
	outcome := client.Do(t.Context(), suites.Request{URL: "http://127.0.0.1:1"})
	if outcome.Kind != scenarios.UnsupportedOutcome || !strings.Contains(outcome.Note, "no jitter") {
		t.Errorf("outcome %+v, want unsupported with the driver's reason", outcome)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestWhatTheCapabilitiesDoNotCoverIsNotLookedAt(t *testing.T) {
	t.Parallel()
	told := func() scenarios.Outcome {
		return scenarios.Outcome{
			Kind: scenarios.ErrorOutcome, Status: 503, BodySHA256: "x", BodyLength: 1,
			Error: &scenarios.OutcomeError{Kind: scenarios.ErrReset, Chain: []scenarios.ErrorKind{scenarios.ErrTimeout}, LastStatus: 503, Message: "m"},
		}
	}
	bare := scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: scenarios.ErrOther, Message: "m"}}
	if diff := cmp.Diff(bare, covered(told(), suites.Profile{})); diff != "" {
		t.Errorf("without capabilities:\n%s", diff)
	}
	all := suites.Profile{Capabilities: []scenarios.Capability{scenarios.CanStatus, scenarios.CanResponseBody, scenarios.CanErrorKind}}
	if diff := cmp.Diff(told(), covered(told(), all)); diff != "" {
		t.Errorf("with the capabilities:\n%s", diff)
	}
}

func TestTheProfileIsWhatHelloSays(t *testing.T) {
	t.Parallel()
	profile := start(t, Options{}, "promises").Profile()
	if profile.Name != "helper" || profile.Version != "1.2" || profile.Kind != "driver" || profile.MaxCalls != 0 {
		t.Errorf("profile %+v", profile)
	}
	base := 500 * time.Microsecond
	promised := profile.Promises
	if promised == nil || *promised.Attempts != 5 || *promised.Backoff.Exponential != base || promised.Backoff.Jitter != scenarios.FullJitter {
		t.Errorf("promises %+v", promised)
	}
	if limited := start(t, Options{}, "one-at-a-time").Profile(); limited.MaxCalls != 1 || limited.Can(scenarios.CanParallel) {
		t.Errorf("profile %+v, want one call at a time", limited)
	}
}

// counted has the helper count its starts.
func counted(t *testing.T) (options Options, starts func() int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "starts")
	return Options{Env: []string{"DRIVER_TEST_COUNT=" + file}}, func() int {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(content), "\n")
	}
}

func TestADriverThatDiesIsStartedAnewForWhatComesNext(t *testing.T) {
	t.Parallel()
	server := ok(t)
	options, starts := counted(t)
	subject := start(t, options, "dies-once")
	first := open(t, subject)
	outcome := first.Do(t.Context(), suites.Request{URL: server.URL})
	if outcome.Kind != scenarios.ClientErrorOutcome || !strings.Contains(outcome.Note, "segmentation fault") {
		t.Errorf("outcome %+v, want a client error with the driver's last words", outcome)
	}
	if err := first.Close(); err == nil {
		t.Error("closing a client that is gone: no error")
	}
	if outcome := open(t, subject).Do(t.Context(), suites.Request{URL: server.URL}); outcome.Status != 200 {
		t.Errorf("the next client's call: %+v, want 200", outcome)
	}
	if got := starts(); got != 2 {
		t.Errorf("it was started %d times, want 2", got)
	}
}

func TestADriverThatAlwaysDiesIsGivenUp(t *testing.T) {
	t.Parallel()
	options, starts := counted(t)
	subject := start(t, options, "dies")
	var err error
	for range maxStarts + 2 {
		var client suites.Client
		if client, err = subject.Open(plainPolicy(1)); err == nil {
			client.Do(t.Context(), suites.Request{URL: "http://127.0.0.1:1"})
		}
	}
	if err == nil || !strings.Contains(err.Error(), "it has broken 10 times in this run, at last: ") {
		t.Errorf("error %v, want the times that it broke, and how", err)
	}
	if got := starts(); got != maxStarts {
		t.Errorf("it was started %d times, want %d", got, maxStarts)
	}
}

func TestADriverThatBecomesAnotherIsNotJudged(t *testing.T) {
	t.Parallel()
	options, _ := counted(t)
	subject := start(t, options, "dies", "changes")
	open(t, subject).Do(t.Context(), suites.Request{URL: "http://127.0.0.1:1"})
	if _, err := subject.Open(plainPolicy(1)); err == nil || !strings.Contains(err.Error(), "the hello of the first start: helper 1.2") {
		t.Errorf("error %v, want that its hello has changed", err)
	}
}

func TestADriverWhoseOnlyCallHangsIsStartedAnew(t *testing.T) {
	t.Parallel()
	server := ok(t)
	options, starts := counted(t)
	subject := start(t, options, "one-at-a-time", "hangs")
	hanging := open(t, subject)
	subject.options.CallTimeout = time.Millisecond // beyond it the result is awaited for a while
	outcome := hanging.Do(t.Context(), suites.Request{URL: server.URL + "/hang"})
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrTimeout {
		t.Errorf("outcome %+v %+v, want the error timeout", outcome, outcome.Error)
	}
	subject.options.CallTimeout = soon
	if outcome := open(t, subject).Do(t.Context(), suites.Request{URL: server.URL}); outcome.Status != 200 {
		t.Errorf("the next client's call: %+v, want 200", outcome)
	}
	if got := starts(); got != 2 {
		t.Errorf("it was started %d times, want 2", got)
	}
}

func TestNothingIsLeftWhenASubjectIsClosed(t *testing.T) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	server := ok(t)
	for _, habit := range []string{"right", "runs-on", "stubborn", "ends-with-3", "floods-stderr", "dies", "stalls"} {
		t.Run(habit, func(t *testing.T) {
			options, _ := counted(t)
			options.CallTimeout = 500 * time.Millisecond
			file := strings.TrimPrefix(options.Env[0], "DRIVER_TEST_COUNT=")
			subject, err := New(t.Context(), command(t, habit), asHelper(options))
			if err != nil {
				t.Fatal(err)
			}
			open(t, subject).Do(t.Context(), suites.Request{Method: "PUT", URL: server.URL, Body: &faultserver.Body{Size: 10}})
			for range 2 { // closing twice does nothing
				if err := subject.Close(); err != nil {
					t.Error(err)
				}
			}
			if _, err := subject.Open(plainPolicy(1)); err == nil {
				t.Error("a closed subject opened a client")
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for field := range strings.FieldsSeq(string(content)) {
				pid, _ := strconv.Atoi(field)
				if process, err := os.FindProcess(pid); err == nil && process.Signal(syscall.Signal(0)) == nil {
					t.Errorf("process %d is left", pid)
				}
			}
			if left, _ := os.ReadDir(temporary); slices.ContainsFunc(left, func(e fs.DirEntry) bool { return strings.HasPrefix(e.Name(), "faultsrv-driver-") }) {
				t.Errorf("files are left: %v", left)
			}
			stacks := make([]byte, 1<<20)
			stacks = stacks[:runtime.Stack(stacks, true)]
			if strings.Contains(string(stacks), "driver.(*conversation)") {
				t.Errorf("a goroutine is left:\n%s", stacks)
			}
		})
	}
}

func TestWhatCannotBeADriver(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	plain := filepath.Join(folder, "plain")
	if err := os.WriteFile(plain, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		args    []string
		options Options
		is      error
		text    string
	}{
		"nothing":          {nil, Options{}, nil, "give a program"},
		"no such program":  {[]string{"no-such-driver"}, Options{}, exec.ErrNotFound, "name a program on the PATH"},
		"no such file":     {[]string{"./none"}, Options{Dir: folder}, fs.ErrNotExist, folder},
		"not executable":   {[]string{plain}, Options{}, fs.ErrPermission, "executable"},
		"a negative limit": {[]string{"true"}, Options{CallTimeout: -1}, nil, "a limit is negative"},
	} {
		_, err := New(t.Context(), test.args, test.options)
		if err == nil || test.is != nil && !errors.Is(err, test.is) || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: error %v, want one that is %v and says %q", name, err, test.is, test.text)
		}
	}
	var fault *Fault
	if _, err := New(t.Context(), []string{"true"}, Options{}); !errors.As(err, &fault) {
		t.Errorf("a program that says nothing: error %v, want a fault", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	began := time.Now()
	if _, err := New(ctx, command(t, "silent"), asHelper(Options{})); !errors.Is(err, context.Canceled) {
		t.Errorf("a start that is cut short: error %v, want that of the context", err)
	}
	if took := time.Since(began); took > endPatience {
		t.Errorf("a start that is cut short took %v: the driver was waited for, and has nothing to finish", took)
	}
}

func TestARelativeDriverIsFoundWhereItRuns(t *testing.T) {
	t.Parallel()
	program := command(t)[0]
	subject, err := New(t.Context(), []string{"./" + filepath.Base(program)}, asHelper(Options{Dir: filepath.Dir(program)}))
	if err != nil {
		t.Fatal(err)
	}
	if err := subject.Close(); err != nil {
		t.Error(err)
	}
}

func TestNotesSayWhatIsJudged(t *testing.T) {
	t.Parallel()
	notes := strings.Join(start(t, Options{}, "one-at-a-time").Notes(), "\n")
	for _, want := range []string{"by its own word: retry, attempts", "in Go", "at most 1 call at the same time"} {
		if !strings.Contains(notes, want) {
			t.Errorf("notes %q, want %q among them", notes, want)
		}
	}
}
