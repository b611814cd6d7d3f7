package suites_test

import (
	"bytes"
	"context"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
	"github.com/faultsrv/faultsrv/suites/command"
)

// simple is a correct client, as a user would write it in an afternoon: it
// buffers, retries all but POST, and heeds no Retry-After. A field makes it
// differ from others in what is its own to choose.
type simple struct {
	policy scenarios.Policy
	wire   *http.Transport
	// pause is its own, where it follows no policy's; 0 means the policy's.
	pause time.Duration
	// key is given to every POST, which is then retried too; empty for none.
	key string
	// charset is added to the media type.
	charset string
	// hasty sends each body at once, whatever its caller says of expectations.
	hasty bool
	// strict gives up on an answer whose Retry-After is no number.
	strict bool
	// final ends each attempt in an error whose answer is not the first thing to come.
	final bool
}

func (c simple) RoundTrip(req *http.Request) (*http.Response, error) {
	var body []byte
	if req.Body != nil {
		body, _ = io.ReadAll(req.Body)
		_ = req.Body.Close()
	}
	for attempt := 1; ; attempt++ {
		again := req.Clone(req.Context())
		if body != nil {
			again.Body, again.GetBody = io.NopCloser(bytes.NewReader(body)), nil
		}
		if c.key != "" && req.Method == http.MethodPost {
			again.Header.Set("Idempotency-Key", c.key)
		}
		if kind := again.Header.Get("Content-Type"); kind != "" {
			again.Header.Set("Content-Type", kind+c.charset)
		}
		if c.hasty {
			again.Header.Del("Expect")
		}
		if c.final {
			again = again.WithContext(httptrace.WithClientTrace(again.Context(), &httptrace.ClientTrace{
				Got1xxResponse: func(int, textproto.MIMEHeader) error { return errors.New("an answer before the answer") },
			}))
		}
		resp, err := c.wire.RoundTrip(again)
		failed := err != nil || slices.Contains([]int{429, 502, 503, 504}, resp.StatusCode)
		if !failed || attempt >= *c.policy.Attempts || req.Method == http.MethodPost && c.key == "" || req.Context().Err() != nil {
			return resp, err
		}
		if err == nil && c.strict && !readable(resp.Header.Values("Retry-After")) {
			return resp, nil
		}
		if err == nil {
			_, _ = io.CopyN(io.Discard, resp.Body, 4096)
			_ = resp.Body.Close()
		}
		if err := c.rest(req, attempt); err != nil {
			return nil, err
		}
	}
}

// readable tells of a Retry-After that it is a number, or not there.
func readable(values []string) bool {
	return len(values) == 0 || values[0] != "" && strings.Trim(values[0], "0123456789") == ""
}

// rest is the pause before a retry.
func (c simple) rest(req *http.Request, retry int) error {
	pause := c.pause
	if pause == 0 {
		_, pause = c.policy.Backoff.Bounds(retry)
	}
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-req.Context().Done():
		return req.Context().Err()
	}
}

// TestCorrectClientsAreNotBlamed judges clients that do what is theirs to choose:
// nobody may be blamed for it, and nobody praised for what only looks like it.
func TestCorrectClientsAreNotBlamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		make func(simple) simple
		// lacks are capabilities that the client does not have.
		lacks     []scenarios.Capability
		contracts []string
		want      assertions.Verdict
	}{
		{
			name: "a POST that carries a key of the client's is retried",
			make: func(c simple) simple { c.key = `"one"`; return c },
			contracts: []string{
				"idempotency.a-post-is-not-retried-on-a-status", "idempotency.a-post-is-not-retried-on-a-reset",
				"connection.a-stale-post-is-not-replayed",
			},
			want: assertions.Pass,
		},
		{
			name:      "a charset is added to the media type",
			make:      func(c simple) simple { c.charset = "; charset=utf-8"; return c },
			contracts: []string{"idempotency.every-attempt-is-the-same-request"},
			want:      assertions.Pass,
		},
		{
			name:      "a short pause of its own is no immediate retry",
			make:      func(c simple) simple { c.pause = 70 * time.Millisecond; return c },
			lacks:     []scenarios.Capability{scenarios.CanBackoff},
			contracts: []string{"retry-after.huge-is-no-immediate-retry", "cancellation.ends-the-retries", "cancellation.wakes-the-sleep"},
			want:      assertions.Unsupported,
		},
		{
			name:      "a long pause of its own keeps no Retry-After",
			make:      func(c simple) simple { c.pause = 3500 * time.Millisecond; return c },
			lacks:     []scenarios.Capability{scenarios.CanBackoff},
			contracts: []string{"retry-after.seconds-on-*", "retry-after.http-date-*"},
			want:      assertions.NotExercised,
		},
		{
			name: "one that heeds no Retry-After sleeps no long one",
			make: func(c simple) simple { return c },
			contracts: []string{
				"retry-after.beyond-the-deadline-returns-now", "retry-after.above-the-cap-is-not-slept",
				"retry-after.huge-is-no-immediate-retry", "retry-after.the-deadline-ends-its-pause",
			},
			want: assertions.NotExercised,
		},
		{
			name:      "one that heeds no Retry-After is not held by one",
			make:      func(c simple) simple { return c },
			contracts: []string{"retry-after.no-time-to-come-is-not-slept"},
			want:      assertions.Pass,
		},
		{
			name:      "one that gives up on a Retry-After that it cannot read comes back",
			make:      func(c simple) simple { c.strict = true; return c },
			contracts: []string{"retry-after.no-time-to-come-is-not-slept"},
			want:      assertions.Pass,
		},
		{
			name:      "one that takes no interim answer, and says so, takes none for another's",
			make:      func(c simple) simple { c.final = true; return c },
			contracts: []string{"response.after-an-interim-answer-each-gets-its-own"},
			want:      assertions.Pass,
		},
		{
			name:      "one that keeps no connection leaves nothing on one",
			make:      func(c simple) simple { c.wire.DisableKeepAlives = true; return c },
			contracts: []string{"response.after-an-interim-answer-each-gets-its-own"},
			want:      assertions.NotExercised,
		},
		{
			name:      "a long pause of its own is nobody's Retry-After",
			make:      func(c simple) simple { c.pause = 3500 * time.Millisecond; return c },
			lacks:     []scenarios.Capability{scenarios.CanBackoff},
			contracts: []string{"retry-after.no-time-to-come-is-not-slept"},
			want:      assertions.NotExercised,
		},
		{
			name: "one that trusts nobody at all tells no stranger from the server",
			make: func(c simple) simple { c.wire.TLSClientConfig.RootCAs = x509.NewCertPool(); return c },
			contracts: []string{
				"tls.an-untrusted-server-gets-no-request", "tls.a-server-of-another-name-gets-no-request",
				"tls.a-server-with-an-expired-certificate-gets-no-request", "tls.an-untrusted-certificate-is-final",
			},
			want: assertions.NotExercised,
		},
		{
			name:      "one that expects nothing has no expectation to drop",
			make:      func(c simple) simple { c.hasty = true; return c },
			contracts: []string{"body.a-refused-expectation-is-dropped", "body.is-sent-*"},
			want:      assertions.NotExercised,
		},
		{
			name: "one that hands over the first answer has no retries",
			make: func(c simple) simple { once := 1; c.policy.Attempts = &once; return c },
			contracts: []string{
				"cancellation.the-deadline-spans-the-retries", "body.a-refused-replay-keeps-the-failure",
				"body.a-refused-replay-is-not-waited-for", "attempts.each-call-has-its-own",
				"attempts.calls-side-by-side-do-not-share", "backoff.begins-anew-with-each-call",
				"retry-after.the-deadline-ends-its-pause",
			},
			want: assertions.NotExercised,
		},
		{
			name:      "jitter that a client cannot be told is not asked of it",
			make:      func(c simple) simple { c.pause = 50 * time.Millisecond; return c },
			lacks:     []scenarios.Capability{scenarios.CanBackoff},
			contracts: []string{"jitter.*", "retry-after.jitter-does-not-shorten-it"},
			want:      assertions.Unsupported,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			subject := suites.FromRoundTripper("simple", func(policy scenarios.Policy) (http.RoundTripper, error) {
				wire, err := suites.NewTransport()
				return test.make(simple{policy: policy, wire: wire}), err
			})
			can := slices.Concat(subject.About.Capabilities, []scenarios.Capability{scenarios.CanTLS})
			subject.About.Capabilities = slices.DeleteFunc(can, func(can scenarios.Capability) bool {
				return slices.Contains(test.lacks, can)
			})
			for _, result := range judged(t, subject, suites.Contracts(test.contracts...)) {
				if result.Verdict != test.want {
					t.Errorf("want %s\n%s", test.want, reports.Explain(result))
				}
			}
		})
	}
}

// TestACommandThatCannotRunIsNotJudged: a program that ends in an error before it
// has sent anything is broken, and no client that gives up early.
func TestACommandThatCannotRunIsNotJudged(t *testing.T) {
	t.Parallel()
	// The test's own binary does not know the flag.
	subject, err := command.New([]string{os.Args[0], "-no-such-flag", "{url}", "{attempts}"}, command.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range judged(t, subject, suites.Contracts("attempts.*", "connection.*", "errors.*"), suites.AtLevel(scenarios.Must)) {
		switch result.Verdict {
		case assertions.ClientError, assertions.Unsupported, assertions.NotExercised:
		default:
			t.Errorf("a client that never ran is judged\n%s", reports.Explain(result))
		}
	}
}

// asOneRequest is the variable that makes this test binary a command that makes
// one request.
const asOneRequest = "FAULTSRV_TEST_ONE_REQUEST"

// oneRequest ends with 7 where there was no answer, and with 22 where it was none
// to be glad of.
func oneRequest(url string) int {
	resp, err := http.Get(url)
	if err != nil {
		return 7
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return 22
	}
	return 0
}

// TestACommandThatIsToldAnErrorIsJudged: one that has sent something and then
// ends in an error is a client, whatever its exit status.
func TestACommandThatIsToldAnErrorIsJudged(t *testing.T) {
	t.Parallel()
	subject, err := command.New([]string{os.Args[0], "{url}"}, command.Options{Env: []string{asOneRequest + "=1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, result := range judged(t, subject, suites.Contracts("attempts.retries-503", "connection.a-reset-get-is-sent-again")) {
		if result.Verdict != assertions.Weak {
			t.Errorf("a client that does not retry: want %s\n%s", assertions.Weak, reports.Explain(result))
		}
	}
}

func judged(t *testing.T, subject suites.Subject, choices ...suites.Choice) []reports.Result {
	t.Helper()
	plan, err := suites.NewPlan(subject, choices...)
	if err != nil {
		t.Fatal(err)
	}
	run, err := suites.Judge(t.Context(), plan.Subject, plan.Contracts, plan.Options)
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Results) != len(plan.Contracts) {
		t.Fatalf("%d of %d contracts have a result", len(run.Results), len(plan.Contracts))
	}
	return run.Results
}

// starving is a subject whose calls return late, and that tells for how much of
// it the machine let it wait.
type starving struct {
	suites.Subject

	late, starved time.Duration
}

func (s starving) Open(policy scenarios.Policy) (suites.Client, error) {
	client, err := s.Subject.Open(policy)
	return starvingClient{client, s}, err
}

type starvingClient struct {
	suites.Client

	is starving
}

func (c starvingClient) Do(ctx context.Context, request suites.Request) scenarios.Outcome {
	outcome := c.Client.Do(ctx, request)
	time.Sleep(c.is.late)
	outcome.Starved = c.is.starved
	return outcome
}

// TestAStarvedClientIsNotBlamed: what a process had to wait for its turn is the
// machine's lateness, though the runner's own timers were in time.
func TestAStarvedClientIsNotBlamed(t *testing.T) {
	t.Parallel()
	for starved, want := range map[time.Duration]assertions.Verdict{
		0:               assertions.Fail,
		2 * time.Second: assertions.HarnessError,
	} {
		subject := starving{Subject: resilient.Client(), late: 1800 * time.Millisecond, starved: starved}
		for _, result := range judged(t, subject, suites.Contracts("attempts.no-trailing-sleep")) {
			if result.Verdict != want {
				t.Errorf("starved for %v: want %s\n%s", starved, want, reports.Explain(result))
			}
		}
	}
}
