package faultserver_test

import (
	"fmt"
	"io"
	"net/http"
	"regexp"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// The rules that the server is for, each under load. That it is exact and that
// sessions are isolated is in isolation_test.go.

// TestReceiptsSayWhatTheClientGot has clients that read what is sent and then
// leave, one way or the other.
func TestReceiptsSayWhatTheClientGot(t *testing.T) {
	const n, sent = 400, 64 << 10
	keepBusy(t)
	s := open(t, faultserver.Config{Script: script("stall@response-body@64KiB:forever")})
	heads := make([]int, n)
	many(t, n, 50, func(i int) error {
		p, err := connect(s.URL())
		if err != nil {
			return err
		}
		p.say(get("/" + strconv.Itoa(i)))
		for line := ""; line != "\r\n"; heads[i] += len(line) {
			if line, err = p.reader.ReadString('\n'); err != nil {
				return err
			}
		}
		if _, err := io.CopyN(io.Discard, p.reader, sent); err != nil {
			return err
		}
		if i%2 == 1 {
			if err := setLinger(p); err != nil {
				return err
			}
		}
		return p.Close()
	})
	journal := eventually(t, s, "all are over", func(j faultserver.Journal) bool {
		return len(j.Attempts) == n && !slices.ContainsFunc(j.Attempts, func(a faultserver.Attempt) bool { return a.Open })
	})
	for _, a := range journal.Attempts {
		i, _ := strconv.Atoi(strings.TrimPrefix(a.Target, "/"))
		want := []string{"client-fin", "client-rst"}[i%2]
		if a.Acked != int64(heads[i]+sent) || a.Client.How != want || a.Happened.Body != sent {
			t.Fatalf("attempt %s: %d bytes acknowledged, left by %s; want %d and %s", a.Target, a.Acked, a.Client.How, heads[i]+sent, want)
		}
	}
}

// TestAttemptsAreRecordedOnArrival has requests whose bodies are still to come.
func TestAttemptsAreRecordedOnArrival(t *testing.T) {
	const n = 300
	s := open(t, faultserver.Config{Script: script("200:forever")})
	peers := make([]*peer, n)
	asked := make([]time.Duration, n)
	many(t, n, 50, func(i int) (err error) {
		if peers[i], err = connect(s.URL()); err == nil {
			asked[i] = s.Elapsed()
			peers[i].say(fmt.Sprintf("PUT /%d HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n", i))
		}
		return err
	})
	journal := eventually(t, s, "all have arrived", func(j faultserver.Journal) bool { return len(j.Attempts) == n })
	for i, a := range journal.Attempts {
		number, _ := strconv.Atoi(strings.TrimPrefix(a.Target, "/"))
		if !a.Open || a.Body.Received != 0 || a.Arrived < asked[number] || a.Index != i+1 {
			t.Fatalf("attempt %+v; want it open, and arrived after %v", a, asked[number])
		}
	}
	many(t, n, 50, func(i int) error {
		defer func() { _ = peers[i].Close() }()
		peers[i].say("x")
		if status := peers[i].status(); status != 200 {
			return fmt.Errorf("status %d; want 200", status)
		}
		return nil
	})
}

// TestTheSameSeedReplaysTheSameRun has calls side by side, in another order each
// time: what each attempt of each gets is the same.
func TestTheSameSeedReplaysTheSameRun(t *testing.T) {
	const n, attempts = 100, 3
	run := func(seed uint64, order func(i int) int) map[string]string {
		cfg := faultserver.Config{Seed: seed, Script: []faultserver.Step{
			{Act: respond(503), Times: faultserver.Forever, Probability: pointerTo(0.5), Delay: faultserver.Delay{Uniform: &faultserver.UniformDelay{Max: 10 * time.Millisecond}}},
		}}
		for i := range n {
			cfg.Calls = append(cfg.Calls, faultserver.CallConfig{Token: strconv.Itoa(i)})
		}
		s := open(t, cfg)
		many(t, n, 20, func(i int) error {
			p, err := connect(s.URL())
			if err != nil {
				return err
			}
			defer func() { _ = p.Close() }()
			for range attempts {
				p.say(get(fmt.Sprintf("/c/%d/", order(i))))
				p.status()
			}
			return nil
		})
		got := map[string]string{}
		for _, a := range s.Journal().Attempts {
			got[fmt.Sprintf("%s/%d", a.Call, a.Number)] = fmt.Sprint(a.Happened.Status, a.Happened.Detail)
		}
		return got
	}
	first := run(1, func(i int) int { return i })
	if again := run(1, func(i int) int { return n - 1 - i }); len(first) != n*attempts || fmt.Sprint(again) != fmt.Sprint(first) {
		t.Errorf("the same seed gave\n%v\nthen\n%v", first, again)
	}
	if other := run(2, func(i int) int { return i }); fmt.Sprint(other) == fmt.Sprint(first) {
		t.Error("another seed gave the same")
	}
}

// date is the one header that differs between two answers.
var date = regexp.MustCompile(`\r\nDate: [^\r]*`)

// TestAFaultThatDoesNotStrikeChangesNothing compares the bytes of answers with
// those of one that no fault stands beside, and has none of its delays kept.
func TestAFaultThatDoesNotStrikeChangesNothing(t *testing.T) {
	exchange := func(t *testing.T, cfg faultserver.Config) string {
		s := open(t, cfg)
		var heard [8]string
		many(t, len(heard), len(heard), func(i int) error {
			p, err := connect(s.URL())
			if err != nil {
				return err
			}
			defer func() { _ = p.Close() }()
			begun := time.Now()
			p.say(put("hello") + "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			text, end := p.hear()
			heard[i] = date.ReplaceAllString(text, "") + end
			if took := time.Since(begun); took > 5*time.Second {
				return fmt.Errorf("it took %v", took)
			}
			return nil
		})
		for _, other := range heard {
			if other != heard[0] {
				t.Fatalf("%q, and %q", heard[0], other)
			}
		}
		return heard[0]
	}
	want := exchange(t, faultserver.Config{Script: script("succeed:forever")})
	if strings.Count(want, "HTTP/1.1 200 OK\r\n") != 2 || !strings.HasSuffix(want, "ok\nfin") {
		t.Fatalf("without a fault: %q", want)
	}
	for _, line := range []string{
		"503", "reset", "reset@request-head", "close@response-body@5", "stall:8s", "truncate@1", "redirect", "stale", "raw:SFRUUA", "malformed:two-lengths",
		"dribble:8s", "bandwidth:1B", "bandwidth:1B:way=up", "slow-read:after=8s", "expect-continue:late:after=8s",
	} {
		t.Run(line, func(t *testing.T) {
			if got := exchange(t, faultserver.Config{Script: script(line + ":probability=0:forever")}); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
	for _, line := range []string{"outage:after=1000", "flap:1h:down=1s", "throttle:1000000000:burst=1000", "capacity:1000000000:queue=1000", "ramp:1h:to=0.000000001"} {
		t.Run(line, func(t *testing.T) {
			if got := exchange(t, faultserver.Config{Script: script(line)}); got != want {
				t.Errorf("%q; want %q", got, want)
			}
		})
	}
	t.Run("connections", func(t *testing.T) {
		cfg := faultserver.Config{Script: script("succeed:forever"), Connections: script("reset:probability=0:forever")}
		if got := exchange(t, cfg); got != want {
			t.Errorf("%q; want %q", got, want)
		}
	})
}

// TestNothingIsBlocked has a session answer while the connections of another one
// stall, dribble and are read slowly, and has that one closed at once.
func TestNothingIsBlocked(t *testing.T) {
	const n = 1500
	slow := open(t, faultserver.Config{Calls: []faultserver.CallConfig{
		{Token: "stall", Script: script("stall:forever")},
		{Token: "dribble", Script: script("dribble:10s:forever")},
		{Token: "read", Script: script("slow-read:after=60s:forever")},
	}})
	brisk := open(t, faultserver.Config{Script: script("200:forever")})
	threads := pprof.Lookup("threadcreate").Count()
	many(t, n, 50, func(i int) error {
		p, err := connect(slow.URL())
		if err == nil {
			t.Cleanup(func() { _ = p.Close() })
			p.say(fmt.Sprintf("PUT /c/%s/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", []string{"stall", "dribble", "read"}[i%3]))
		}
		return err
	})
	eventually(t, slow, "all are held", func(j faultserver.Journal) bool {
		met := 0
		for _, a := range j.Attempts {
			if a.Met && a.Open {
				met++
			}
		}
		return met == n
	})
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	begun := time.Now()
	for range 100 {
		if _, err := fetch(client, brisk.URL()); err != nil {
			t.Fatal(err)
		}
	}
	// On an idle machine it takes 20 ms.
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("100 requests took %v beside %d held connections", took, n)
	}
	if more := pprof.Lookup("threadcreate").Count() - threads; more > 50 {
		t.Errorf("%d more threads for %d held connections; want none held by one", more, n)
	}
	begun = time.Now()
	if err := slow.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("closing %d held connections took %v", n, took)
	}
	for _, c := range slow.Journal().Connections {
		if c.Closed == 0 {
			t.Fatalf("connection %d is open after the session's end", c.ID)
		}
	}
}
