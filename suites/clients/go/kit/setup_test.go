package kit_test

import (
	"encoding/json"
	"encoding/pem"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func TestAPolicyIsRead(t *testing.T) {
	const message = `{"policy": {"attempts": 4, "backoff": {"kind": "exponential", "base_ms": 20.5, "factor": 3, "max_ms": 1e300,
		"jitter": "none"}, "timeouts": {"attempt_ms": 250}, "methods": ["GET"], "statuses": [503], "retry_after_cap_ms": 1000,
		"breaker": {"failures": 3, "open_ms": 400, "probes": 1}, "budget": {"ratio": 0.1, "reserve": 5}, "hedge": {"delay_ms": 50, "max": 2}}}`
	var setup kit.Setup
	if err := json.Unmarshal([]byte(message), &setup); err != nil {
		t.Fatal(err)
	}
	p := setup.Policy
	for _, field := range []struct {
		name      string
		got, want any
	}{
		{"retries", p.Retries(), 3},
		{"base", p.Backoff.Base.Duration, 20500 * time.Microsecond},
		{"the longest pause", p.Backoff.Longest(), time.Duration(math.MaxInt64)},
		{"the attempt's timeout", p.Timeouts.Attempt.Duration, 250 * time.Millisecond},
		{"the cap on Retry-After", p.RetryAfterCap.Duration, time.Second},
		{"the breaker", *p.Breaker, kit.Breaker{Failures: 3, Open: kit.Duration{Duration: 400 * time.Millisecond}, Probes: 1}},
		{"the budget", *p.Budget, kit.Budget{Ratio: 0.1, Reserve: 5}},
		{"the hedge", *p.Hedge, kit.Hedge{Delay: kit.Duration{Duration: 50 * time.Millisecond}, Max: 2}},
	} {
		if field.got != field.want {
			t.Errorf("%s: got %v, want %v", field.name, field.got, field.want)
		}
	}
}

func TestThePausesOfABackoff(t *testing.T) {
	const ms = time.Millisecond
	backoff := func(kind string, factor float64, limit time.Duration) kit.Backoff {
		return kit.Backoff{Kind: kind, Base: kit.Duration{Duration: 10 * ms}, Factor: factor, Max: kit.Duration{Duration: limit}, Jitter: "none"}
	}
	for _, c := range []struct {
		name  string
		of    kit.Backoff
		retry int
		want  time.Duration
	}{
		{"constant", backoff("constant", 0, 0), 5, 10 * ms},
		{"linear", backoff("linear", 0, 0), 3, 30 * ms},
		{"the first exponential", backoff("exponential", 3, 0), 1, 10 * ms},
		{"the third exponential", backoff("exponential", 3, 0), 3, 90 * ms},
		{"capped", backoff("exponential", 3, 50*ms), 3, 50 * ms},
		{"the longest", backoff("exponential", 2, 0), 2000, math.MaxInt64},
	} {
		if got := c.of.Pause(c.retry); got != c.want {
			t.Errorf("%s: got a pause of %v before retry %d, want %v", c.name, got, c.retry, c.want)
		}
	}
}

// A jitter's range is [middle × (1 - factor), middle × (1 + factor)].
func TestTheSpreadOfAJitter(t *testing.T) {
	for jitter, want := range map[string][2]time.Duration{
		"none": {1200, 1200}, "full": {0, 1200}, "equal": {600, 1200},
	} {
		middle, factor, ok := kit.Backoff{Kind: "constant", Base: kit.Duration{Duration: 1200}, Jitter: jitter}.Spread()
		got := [2]time.Duration{}
		for i, sign := range []float64{-1, 1} {
			got[i] = time.Duration(math.Round(float64(middle.Base.Duration) * (1 + sign*factor)))
		}
		if !ok || got != want {
			t.Errorf("%s jitter of 1200: got %v, want %v", jitter, got, want)
		}
	}
	if _, _, ok := (kit.Backoff{Jitter: "decorrelated"}).Spread(); ok {
		t.Error("decorrelated jitter was taken for a factor either way")
	}
}

func TestATransportTrustsTheAuthoritiesOfItsSetup(t *testing.T) {
	server := httptest.NewTLSServer(http.NotFoundHandler())
	defer server.Close()
	file := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(file, certificate, 0o600); err != nil {
		t.Fatal(err)
	}
	get := func(setup kit.Setup) error {
		transport, err := setup.Transport()
		if err != nil {
			t.Fatal(err)
		}
		response, err := (&http.Client{Transport: transport}).Get(server.URL)
		if err == nil {
			err = response.Body.Close()
		}
		return err
	}
	if err := get(kit.Setup{CAFile: file}); err != nil {
		t.Errorf("with the server's authority: %v", err)
	}
	if err := get(kit.Setup{}); err == nil {
		t.Error("a server of no known authority was trusted")
	}
}

func TestAFileWithoutAuthoritiesIsAnError(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, filepath.Join(t.TempDir(), "missing.pem")} {
		if _, err := (kit.Setup{CAFile: file}).Transport(); err == nil {
			t.Errorf("%s was taken for authorities", filepath.Base(file))
		}
	}
}
