package command

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// answering is a server that answers each request with a status and a text.
func answering(t *testing.T, status int, text string) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return server
}

func TestACallIsSentAsAsked(t *testing.T) {
	t.Parallel()
	body := faultserver.Body{Size: 100_000, Seed: 7}
	var got *http.Request
	var received []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		received, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, "thanks")
	}))
	defer server.Close()
	subject := helper(t, Options{}, "call", "{url}", "{method}", "{body-file}", "{output}", "-H", "{header...}")
	outcome, _ := call(t.Context(), t, subject, policy(0), suites.Request{
		Method: "PUT", URL: server.URL + "/c/a/x?y=1", Body: &body,
		Headers: faultserver.Headers{{Name: "X-Key", Value: "a b"}, {Name: "X-Key", Value: "$c"}},
	})
	if outcome.Kind != scenarios.SuccessOutcome || outcome.Note != "" || outcome.Elapsed <= 0 {
		t.Errorf("outcome %+v, want a plain success that took time", outcome)
	}
	thanks := faultserver.Body{Text: "thanks"}
	if outcome.BodySHA256 != thanks.SHA256() || outcome.BodyLength != 6 {
		t.Errorf("body %s of %d bytes, want that of %q", outcome.BodySHA256, outcome.BodyLength, thanks.Text)
	}
	if got.Method != "PUT" || got.RequestURI != "/c/a/x?y=1" || !slices.Equal(got.Header.Values("X-Key"), []string{"a b", "$c"}) {
		t.Errorf("the server got %s %s %v", got.Method, got.RequestURI, got.Header)
	}
	if !slices.Equal(received, body.Bytes()) {
		t.Errorf("the server received %d bytes, want the %d of the body", len(received), body.Len())
	}
}

func TestFilesAreRemoved(t *testing.T) {
	t.Parallel()
	subject := helper(t, Options{}, "print", "{url}", "{body-file}", "{output}")
	_, run := call(t.Context(), t, subject, policy(0), suites.Request{Method: "GET", URL: "http://x"})
	for _, path := range run.Args[3:] {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s is still there after the call (%v)", path, err)
		}
	}
}

func TestExitStatusIsTheOutcome(t *testing.T) {
	t.Parallel()
	kinds := map[int]scenarios.ErrorKind{7: scenarios.ErrConnect}
	for name, test := range map[string]struct {
		options Options
		args    []string
		want    scenarios.Outcome
	}{
		"success":        {args: []string{"print", "{url}"}, want: scenarios.Outcome{Kind: scenarios.SuccessOutcome}},
		"unknown to us":  {args: []string{"fail", "7", "no connection", "{url}"}, want: failure(scenarios.ErrOther, "exit status 7: no connection")},
		"in the profile": {options: Options{ExitKinds: kinds}, args: []string{"fail", "7", "no connection", "{url}"}, want: failure(scenarios.ErrConnect, "exit status 7: no connection")},
		"not in profile": {options: Options{ExitKinds: kinds}, args: []string{"fail", "8", "odd", "{url}"}, want: failure(scenarios.ErrOther, "exit status 8: odd")},
		"no output file": {args: []string{"print", "{url}", "{output}"}, want: scenarios.Outcome{Kind: scenarios.SuccessOutcome}},
		"a real failure": {args: []string{"call", "{url}"}, want: failure(scenarios.ErrOther, "exit status 22: the answer was 503")},
		"with its body":  {args: []string{"call", "{url}", "{method}", "{body-file}", "{output}"}, want: withBody(failure(scenarios.ErrOther, "exit status 22: the answer was 503"), "busy")},
		"an answer by its exit": {
			options: Options{Answers: []int{22}, Status: fromStderr}, args: []string{"call", "{url}"},
			want: scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: http.StatusServiceUnavailable},
		},
		"an answer without its status": {
			options: Options{Answers: []int{22}, Status: &StatusSource{From: Stdout, Pattern: statusText}}, args: []string{"call", "{url}"},
			want: scenarios.Outcome{Kind: scenarios.UnknownOutcome, Note: "exit status 22 stands for an answer, and the command did not tell its status"},
		},
		"an error after an answer": {
			options: Options{Status: fromStderr}, args: []string{"fail", "18", "the answer was 200", "{url}"},
			want: lastStatus(failure(scenarios.ErrOther, "exit status 18: the answer was 200"), http.StatusOK),
		},
		"the last status counts": {
			options: Options{Status: &StatusSource{From: Stdout, Pattern: printed}}, args: []string{"print", "503", "200", "{url}"},
			want: scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: http.StatusOK},
		},
		"no status is none": {
			options: Options{Status: &StatusSource{From: Stdout, Pattern: printed}}, args: []string{"print", "200", "000", "{url}"},
			want: scenarios.Outcome{Kind: scenarios.SuccessOutcome},
		},
		"nothing on exit": {args: []string{"fail", "1", "", "{url}"}, want: failure(scenarios.ErrOther, "exit status 1: warning")},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := answering(t, http.StatusServiceUnavailable, "busy")
			got, _ := call(t.Context(), t, helper(t, test.options, test.args...), policy(0), suites.Request{Method: "GET", URL: server.URL})
			got.Elapsed, got.Starved = 0, 0
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("outcome %+v %+v, want %+v %+v", got, got.Error, test.want, test.want.Error)
			}
		})
	}
}

// The places where a helper tells a status.
var (
	statusText = regexp.MustCompile(`the answer was (\d+)`)
	printed    = regexp.MustCompile(`(?m)^arg (\d{3})$`)
	fromStderr = &StatusSource{From: Stderr, Pattern: statusText}
)

func lastStatus(outcome scenarios.Outcome, status int) scenarios.Outcome {
	outcome.Error.LastStatus = status
	return outcome
}

func failure(kind scenarios.ErrorKind, message string) scenarios.Outcome {
	return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: kind, Message: message}}
}

func withBody(outcome scenarios.Outcome, text string) scenarios.Outcome {
	body := faultserver.Body{Text: text}
	outcome.BodySHA256, outcome.BodyLength = body.SHA256(), body.Len()
	return outcome
}

func TestValuesAreInTheEnvironment(t *testing.T) {
	t.Setenv("NO_PROXY", "example.org")
	attempt := policy(20 * time.Millisecond)
	attempt.Timeouts = &scenarios.Timeouts{Attempt: 300 * time.Millisecond}
	subject := helper(t, Options{Reads: []string{"timeout-ms", "attempt-timeout-ms", "header..."}}, "print", "{url}")
	_, run := call(t.Context(), t, subject, attempt, suites.Request{
		URL: "http://127.0.0.1:1/c/a/", Timeout: 1500 * time.Millisecond,
		Headers: faultserver.Headers{{Name: "A", Value: "b"}, {Name: "C", Value: "d"}},
	})
	lines := strings.Split(string(run.Stdout.Head), "\n")
	for _, want := range []string{
		"arg http://127.0.0.1:1/c/a/", "FAULTSRV_URL=http://127.0.0.1:1/c/a/", "FAULTSRV_METHOD=GET",
		"FAULTSRV_ATTEMPTS=3", "FAULTSRV_RETRIES=2", "FAULTSRV_BACKOFF=1", "FAULTSRV_BACKOFF_MS=20",
		"FAULTSRV_TIMEOUT=2", "FAULTSRV_TIMEOUT_MS=1500", "FAULTSRV_ATTEMPT_TIMEOUT=1", "FAULTSRV_ATTEMPT_TIMEOUT_MS=300",
		"FAULTSRV_HEADERS=A: b|C: d", "NO_PROXY=example.org,127.0.0.1,localhost,::1",
	} {
		if !slices.Contains(lines, want) {
			t.Errorf("the command got\n%s\nwant %q among it", run.Stdout.Head, want)
		}
	}
	for _, unwanted := range []string{"FAULTSRV_BODY_FILE", "FAULTSRV_OUTPUT"} {
		if strings.Contains(string(run.Stdout.Head), unwanted) {
			t.Errorf("%s is set, and nothing uses it", unwanted)
		}
	}
}

// The file is there for the call alone, whether an argument names it or not, and
// brings no other.
func TestACommandIsToldWhomToTrust(t *testing.T) {
	t.Parallel()
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for name, subject := range map[string]*Subject{
		"by an argument":     helper(t, Options{}, "print", "{url}", "{ca-file}"),
		"by its environment": helper(t, Options{Reads: []string{"ca-file"}}, "print", "{url}"),
	} {
		_, run := call(t.Context(), t, subject, policy(0), suites.Request{URL: "https://127.0.0.1:1/"})
		printed := string(run.Stdout.Head)
		_, rest, _ := strings.Cut(printed, "FAULTSRV_CA_FILE=")
		path, _, _ := strings.Cut(rest, "\n")
		if path == "" || strings.Contains(printed, "FAULTSRV_OUTPUT") {
			t.Errorf("%s: the command got\n%s\nwant FAULTSRV_CA_FILE and no other file", name, printed)
		}
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %s is still there after the call (%v)", name, path, err)
		}
		if !subject.Profile().Can(scenarios.CanTLS) {
			t.Errorf("%s: the command cannot tls; it can %v", name, subject.Profile().Capabilities)
		}
		if _, run = call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://127.0.0.1:1/"}); strings.Contains(string(run.Stdout.Head), "CA_FILE") {
			t.Errorf("%s: without TLS the command got\n%s\nwant nobody to trust", name, run.Stdout.Head)
		}
	}
	path := filepath.Join(t.TempDir(), "ca.pem")
	if err := writeAuthority(path); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != string(authority.PEM()) {
		t.Errorf("the file has %q (%v), want the authority's certificate", got, err)
	}
}

func TestUsersEnvironmentWins(t *testing.T) {
	t.Parallel()
	subject := helper(t, Options{Env: []string{"NO_PROXY=mine", "FAULTSRV_URL=theirs"}}, "print", "{url}")
	_, run := call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"})
	got := string(run.Stdout.Head)
	if !strings.Contains(got, "NO_PROXY=mine\n") || !strings.Contains(got, "FAULTSRV_URL=http://x\n") {
		t.Errorf("the command got\n%s\nwant the user's NO_PROXY, and our FAULTSRV_URL", got)
	}
}

func TestWhatCannotBeToldIsUnsupported(t *testing.T) {
	t.Parallel()
	attemptTimeout := policy(0)
	attemptTimeout.Timeouts = &scenarios.Timeouts{Attempt: time.Second}
	totalTimeout := policy(0)
	totalTimeout.Timeouts = &scenarios.Timeouts{Total: 2 * time.Second}
	for name, test := range map[string]struct {
		args    []string
		policy  scenarios.Policy
		request suites.Request
		want    string
	}{
		"deadline":        {[]string{"{attempt-timeout}"}, policy(0), suites.Request{Timeout: time.Second}, "the call's deadline of 1s: that would need {timeout} or {timeout-ms}"},
		"total timeout":   {nil, totalTimeout, suites.Request{}, "the call's deadline of 2s"},
		"attempt timeout": {[]string{"{timeout}"}, attemptTimeout, suites.Request{}, "an attempt's deadline of 1s"},
		"method":          {nil, policy(0), suites.Request{Method: "PUT"}, "the method PUT: that would need {method}"},
		"headers":         {nil, policy(0), suites.Request{Headers: faultserver.Headers{{Name: "A"}}}, "{header...}"},
		"body":            {nil, policy(0), suites.Request{Body: &faultserver.Body{Text: "x"}}, "{body-file}"},
		"whom to trust":   {nil, policy(0), suites.Request{URL: "https://127.0.0.1:1/"}, "{ca-file}"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, run := call(t.Context(), t, helper(t, Options{}, append([]string{"print", "{url}"}, test.args...)...), test.policy, test.request)
			if outcome.Kind != scenarios.UnsupportedOutcome || !strings.Contains(outcome.Note, test.want) {
				t.Errorf("outcome %+v, want unsupported and %q", outcome, test.want)
			}
			if run != nil {
				t.Errorf("the command was run: %q", run.Args)
			}
		})
	}
}

func TestACommandThatVanishedIsAClientError(t *testing.T) {
	t.Parallel()
	subject := helper(t, Options{}, "print", "{url}")
	subject.program += ".gone"
	outcome, _ := call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"})
	if outcome.Kind != scenarios.ClientErrorOutcome || !strings.Contains(outcome.Note, "start ") {
		t.Errorf("outcome %+v, want a client error that says that it did not start", outcome)
	}
}

func TestACallThatWasCalledOffBeforeIsNotStarted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the command was started") }))
	defer server.Close()
	outcome, _ := call(ctx, t, helper(t, Options{}, "call", "{url}"), policy(0), suites.Request{URL: server.URL})
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrCanceled {
		t.Errorf("outcome %+v, want the error canceled", outcome)
	}
}

func TestAHangingCommandIsEndedByTheLimit(t *testing.T) {
	t.Parallel()
	server := answering(t, http.StatusOK, "")
	outcome, _ := call(t.Context(), t, helper(t, Options{Name: "it", CallTimeout: 300 * time.Millisecond}, "hang", "{url}"), policy(0), suites.Request{URL: server.URL})
	want := "it had not returned after 300ms, and was ended"
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrTimeout || outcome.Error.Message != want || outcome.Note != "it: "+want {
		t.Errorf("outcome %+v %+v, want the error timeout and the note %q", outcome, outcome.Error, want)
	}
	if outcome.Elapsed < 300*time.Millisecond {
		t.Errorf("ended after %s, want no sooner than after 300ms", outcome.Elapsed)
	}
}

func TestARunSharesNothingWithItsNeighbours(t *testing.T) {
	t.Parallel()
	subject := helper(t, Options{}, "call", "{url}", "{method}", "{body-file}", "{output}")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.URL.Path)
	}))
	defer server.Close()
	client, err := subject.Open(policy(0))
	if err != nil {
		t.Fatal(err)
	}
	outcomes := make([]chan scenarios.Outcome, 8)
	for i := range outcomes {
		outcomes[i] = make(chan scenarios.Outcome, 1)
		go func() {
			outcomes[i] <- client.Do(t.Context(), suites.Request{Method: "POST", URL: fmt.Sprintf("%s/%d", server.URL, i)})
		}()
	}
	for i, outcome := range outcomes {
		want := faultserver.Body{Text: fmt.Sprintf("/%d", i)}
		if got := <-outcome; got.BodySHA256 != want.SHA256() {
			t.Errorf("call %d got %+v, want the body %q", i, got, want.Text)
		}
	}
}
