package service_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/internal/vacant"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// What a service that retries a PUT can be judged by.
var (
	exact    = [2]string{"a.exact", "calls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {attempts: policy}\nalso: {outcome: {error: any}}"}
	replayed = [2]string{"a.replayed", "policy: {methods: [PUT]}\ncalls: [{method: PUT, body: {size: 64KiB}}]\nscript: [{reset: request-end}, succeed]\npremise: {attempts: {min: 2}}\nexpect: {body: source, same: [target, method]}\nalso: {outcome: success}"}
	paused   = [2]string{"a.paused", "calls: [{}]\nscript: [{respond: 503, times: forever}]\nexpect: {gaps: {min: policy}}"}
	once     = [2]string{"a.once", "calls: [{}]\nscript: [succeed]\nexpect: {attempts: 1}\nalso: {outcome: success}"}
	thrice   = [2]string{"a.thrice", "calls: [{repeat: 3, script: [{respond: 503}, succeed]}]\nexpect: {attempts: {total: 6}}"}
	idle     = [2]string{"a.idle", "client: shared\ncalls: [{name: warm}, {name: next, after: {call: warm, attempt: 1, event: struck}}]\nscript: [stale, succeed]\nexpect: {next: {outcome: success}}"}
	herd     = [2]string{"a.herd", "calls: [{repeat: 20, parallel: 20, script: [{respond: 503}, succeed]}]\nexpect: {attempts: {each: 2}}"}
	final    = [2]string{"a.final", "policy: {methods: [GET]}\ncalls: [{method: POST}]\nscript: [{reset: request-end}]\nexpect: {attempts: 1}"}
)

func TestAServiceIsJudgedOneContractAfterAnother(t *testing.T) {
	t.Parallel()
	subject := start(t, profileOf(t, open(t, goodShop(t))))
	// More at the same time are asked for than it bears.
	results := judge(t, subject, contracts(t, exact, replayed, paused, once, idle, herd, final), suites.Options{Parallel: 4})
	expect(t, results, map[string]string{
		"a.exact": "pass", "a.replayed": "pass", "a.paused": "pass", "a.once": "pass", "a.idle": "pass",
		"a.herd": "unsupported", "a.final": "unsupported",
	})
	if reason := results["a.final"].Reason; !strings.Contains(reason, "must not be retried, and the service's PUT may be") {
		t.Errorf("the reason is %q", reason)
	}
	for id, result := range results {
		if len(result.Attempts) > 0 && result.Attempts[0].Use != 1 {
			t.Errorf("%s: its first attempt came on a connection of the contract before", id)
		}
	}
	call := results["a.replayed"].Calls[0]
	if call.Method != "PUT" || call.Path != "/stock" {
		t.Errorf("the report says that %s %s was asked; want the service's own request", call.Method, call.Path)
	}
	notes := strings.Join(subject.Notes(), "\n")
	for _, want := range []string{"stock: PUT /stock with 10 bytes", "up to 3 attempts, and may retry a PUT", "one after another, with 200ms of quiet"} {
		if !strings.Contains(notes, want) {
			t.Errorf("want %q in the notes:\n%s", want, notes)
		}
	}
}

func TestAServiceThatPassesBaggageOnIsJudgedSideBySide(t *testing.T) {
	t.Parallel()
	subject := start(t, profileOf(t, open(t, goodShop(t)), "baggage: true"))
	var list [][2]string
	want := map[string]string{}
	for i := range 20 {
		id := fmt.Sprintf("a.slow-%d", i+1)
		list = append(list, [2]string{id, "calls: [{}]\nscript: [{respond: 503, delay: 500ms}, succeed]\nexpect: {attempts: 2}\nalso: {outcome: success}"})
		want[id] = "pass"
	}
	list = append(list, exact, replayed, paused, once, thrice, idle, herd)
	for _, contract := range []string{"a.exact", "a.replayed", "a.paused", "a.once", "a.thrice", "a.herd"} {
		want[contract] = "pass"
	}
	want["a.idle"] = "unsupported"
	begun := time.Now()
	expect(t, judge(t, subject, contracts(t, list...), suites.Options{Parallel: 27}), want)
	// One after another, the pauses of 500 ms alone would take 10 s.
	if took := time.Since(begun); took > 8*time.Second {
		t.Errorf("it took %v: they did not run side by side", took)
	}
}

func TestBaggageThatIsNotPassedOn(t *testing.T) {
	t.Parallel()
	silent := func(w http.ResponseWriter, r *http.Request, upstream string) {
		answers(w, asks(r.Context(), http.DefaultClient, "PUT", upstream+"/stock", "", nil))
	}
	message := refused(t, profileOf(t, open(t, silent), "baggage: true"))
	if want := "1 request that matches reached upstream stock, "; !strings.Contains(message, want) || !strings.Contains(message, "leave `baggage` out") {
		t.Errorf("want %q, got: %s", want, message)
	}

	forgets := func(w http.ResponseWriter, r *http.Request, upstream string) {
		err := asks(r.Context(), http.DefaultClient, "PUT", upstream+"/stock", r.Header.Get("Baggage"), nil)
		if err != nil {
			err = asks(r.Context(), http.DefaultClient, "PUT", upstream+"/stock", "", nil)
		}
		answers(w, err)
	}
	subject := start(t, profileOf(t, open(t, forgets), "baggage: true"))
	results := judge(t, subject, contracts(t, exact), suites.Options{})
	expect(t, results, map[string]string{"a.exact": "harness-error"})
	if reason := results["a.exact"].Reason; !strings.Contains(reason, "1 request that matches came without the trigger's baggage") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestAnAttemptThatComesTooLate(t *testing.T) {
	t.Parallel()
	var background sync.WaitGroup
	t.Cleanup(background.Wait)
	// It answers after its first failure, and goes on behind its caller's back.
	late := func(w http.ResponseWriter, r *http.Request, upstream string) {
		err := asks(r.Context(), http.DefaultClient, "PUT", upstream+"/stock", "", nil)
		if err != nil {
			background.Go(func() {
				time.Sleep(150 * time.Millisecond)
				_ = asks(context.WithoutCancel(r.Context()), http.DefaultClient, "PUT", upstream+"/stock", "", nil)
			})
		}
		answers(w, err)
	}
	shop := open(t, late)
	disturbed := contracts(t,
		[2]string{"a.first", "watch: 0ms\ncalls: [{}]\nscript: [{respond: 500, times: forever}]\nexpect: {outcome: {error: any}}"},
		[2]string{"a.second", once[1]}, [2]string{"a.third", once[1]})
	for _, contract := range disturbed[1:] {
		contract.Watch = new(time.Duration)
	}
	// The quiet is long enough for the late attempt to fall into it on a busy machine.
	subject := start(t, profileOf(t, shop, "quiet: 1500ms"))
	results := judge(t, subject, disturbed, suites.Options{})
	expect(t, results, map[string]string{"a.first": "pass", "a.second": "harness-error", "a.third": "pass"})
	if reason := results["a.second"].Reason; !strings.Contains(reason, "PUT /stock came ") || !strings.Contains(reason, "set `quiet`") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestTheRehearsal(t *testing.T) {
	t.Parallel()
	times := func(n int, path string) shop {
		return func(w http.ResponseWriter, r *http.Request, upstream string) {
			var err error
			for range n {
				err = asks(r.Context(), http.DefaultClient, "PUT", upstream+path, "", nil)
			}
			answers(w, err)
		}
	}
	for name, test := range map[string]struct {
		shop  shop
		lines []string
		want  []string
	}{
		"asks nobody":             {shop: times(0, ""), want: []string{"no request that matches (PUT /stock) reached upstream stock", "nothing else did: is the service configured with that address?", "the service answered 200"}},
		"asks for something else": {shop: times(1, "/stocks"), want: []string{"no request that matches (PUT /stock)", "there came: unmatched PUT /stocks"}},
		"asks twice":              {shop: times(2, "/stock"), want: []string{"2 requests that match reached", "PUT /stock; narrow `match` to one of them"}},
		"takes success for failure": {
			shop: func(w http.ResponseWriter, r *http.Request, upstream string) {
				_ = asks(r.Context(), http.DefaultClient, "PUT", upstream+"/stock", "", nil)
				http.Error(w, "no tea in {}", http.StatusBadGateway)
			},
			want: []string{"the service answered 502: no tea in {}, which is no success by its profile", "upstreams.stock.succeed"},
		},
		"breaks off": {
			shop: func(http.ResponseWriter, *http.Request, string) { panic(http.ErrAbortHandler) },
			want: []string{"no request that matches", "EOF"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			message := refused(t, profileOf(t, open(t, test.shop), test.lines...))
			for _, want := range test.want {
				if !strings.Contains(message, want) {
					t.Errorf("want %q in: %s", want, message)
				}
			}
		})
	}
}

func TestWhatIsNotTheJudgedCall(t *testing.T) {
	t.Parallel()
	behind := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "real "+r.URL.Path)
	}))
	t.Cleanup(behind.Close)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("- {match: {path: /stub}, respond: {status: 203, body: stubbed}}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	rates, ledger := vacant.Address(t), vacant.Address(t)
	var problems atomic.Value
	of := func(w http.ResponseWriter, r *http.Request, upstream string) {
		for url, want := range map[string]string{
			upstream + "/stub": "203 stubbed", upstream + "/other": "404 ", "http://" + rates + "/any": "200 real /any", "http://" + ledger + "/any": "202 booked",
		} {
			response, err := http.Get(url)
			if err != nil {
				problems.Store(err.Error())
				continue
			}
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if got := fmt.Sprintf("%d %s", response.StatusCode, body); !strings.HasPrefix(got, want) {
				problems.Store(fmt.Sprintf("%s gave %q; want %q", url, got, want))
			}
		}
		answers(w, asks(r.Context(), http.DefaultClient, "PUT", upstream+"/stock", "", nil))
	}
	shop := open(t, of)
	subject := start(t, parse(t, fmt.Sprintf(`kind: service
name: shop
upstreams:
  stock: {listen: %q, otherwise: {stub: %q}}
  rates: {listen: %q}
  ledger: {listen: %q, succeed: {status: 202, body: booked}}
otherwise: {pass: %q}
trigger: {url: %q}
match: {upstream: stock, method: PUT}
policy: {attempts: 1}
`, shop.upstream, dir, rates, ledger, behind.URL, shop.url)))
	results := judge(t, subject, contracts(t, once), suites.Options{})
	expect(t, results, map[string]string{"a.once": "pass"})
	if problem := problems.Load(); problem != nil {
		t.Error(problem)
	}
}

func TestAServiceThatGoesAway(t *testing.T) {
	t.Parallel()
	shop := open(t, goodShop(t))
	subject := start(t, profileOf(t, shop))
	shop.close()
	results := judge(t, subject, contracts(t, once), suites.Options{})
	expect(t, results, map[string]string{"a.once": "client-error"})
	if reason := results["a.once"].Reason; !strings.Contains(reason, "the service cannot be asked") {
		t.Errorf("the reason is %q", reason)
	}
}

func TestAServiceIsASubjectOnAStageOnly(t *testing.T) {
	t.Parallel()
	subject := start(t, profileOf(t, open(t, goodShop(t)), "known-failures: [{contract: body.*, reason: old, link: 'https://example.com'}]"))
	if _, err := subject.Open(scenarios.Policy{}); err == nil {
		t.Error("a client was opened without a stage")
	}
	about := subject.Profile()
	if about.Kind != "service" || about.Parallel != 1 || about.MaxCalls != 1 || len(about.KnownFailures) != 1 || *about.Promises.Attempts != 3 {
		t.Errorf("the profile is %+v", about)
	}
	want := []scenarios.Capability{scenarios.CanRetry, scenarios.CanAttempts, scenarios.CanBackoff, scenarios.CanMethod, scenarios.CanRequestBody, scenarios.CanShared}
	if !slices.Equal(about.Capabilities, want) {
		t.Errorf("it can %q; want %q", about.Capabilities, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if run, err := suites.Judge(ctx, subject, contracts(t, exact), suites.Options{}); err != nil || !run.Meta.Partial {
		t.Errorf("a run that is cut short: %v, %+v", err, run.Meta)
	}
}
