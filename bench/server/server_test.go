package main

import (
	"bytes"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// TestEveryFaultIsSeen makes a few exchanges of each: the raw client has to tell
// what it saw, and to see what the fault is.
func TestEveryFaultIsSeen(t *testing.T) {
	ours := entrant{name: "faultsrv", fault: ourFault}
	for _, f := range faults() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			const exchanges = 3
			kept, why, err := trueExchanges(ours, f, exchanges)
			if err != nil || kept != exchanges {
				t.Errorf("%d of %d exchanges were true: %v, %v", kept, exchanges, why, err)
			}
		})
	}
}

// TestNoFaultIsTakenForAnother gives each fault's wants what another server does:
// one that answers everything with 204.
func TestNoFaultIsTakenForAnother(t *testing.T) {
	for _, f := range faults() {
		if f.name == "204" || f.name == "pass" {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			other := f
			other.name, other.connection, other.pass = "204", false, false
			other.raw.patience = patience
			served, err := ourFault(other)
			if err != nil {
				t.Fatal(err)
			}
			defer served.stop()
			if err := f.want(other.raw.exchange(served.address, served.path)); err == nil {
				t.Error("a 204 passes for it")
			}
		})
	}
}

// TestAnswersAreReadToTheirEnd has the load's client read lengths and chunks, in
// pieces too.
func TestAnswersAreReadToTheirEnd(t *testing.T) {
	for _, script := range []string{"503", "503:body=5000", "503:body=5000:framing=chunked", "503:framing=chunked", "raw:SFRUUC8xLjEgNTAzIFgNCkNvbnRlbnQtTGVuZ3RoOiAyDQo.DQphYg:every=1ms:end=keep"} {
		steps, err := faultserver.ParseScript(script)
		if err != nil {
			t.Fatal(err)
		}
		session, err := faultserver.Open(faultserver.Config{Script: steps, AfterScript: faultserver.RepeatAfterScript})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = session.Close() })
		l := load{address: strings.TrimPrefix(session.URL(), "http://"), path: "/", connections: 2, requests: 5, status: 503}
		times, _, err := l.run()
		if err != nil || len(times) != 10 {
			t.Errorf("%s: %d answers, %v; expected 10", script, len(times), err)
		}
		l.status = 200
		if _, _, err := l.run(); err == nil || !strings.Contains(err.Error(), "was answered 503, expected 200") {
			t.Errorf("%s: %v; expected it to say that the status is another", script, err)
		}
	}
}

func TestWhatIsEarlyIsSeen(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Write([]byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"))
			_ = conn.Close()
		}
	}()
	s := raw{method: "GET"}.exchange(listener.Addr().String(), "/")
	if err := lasts(time.Second)(s); err == nil {
		t.Errorf("an answer after %v passes for one after a second", s.took)
	}
}

func TestTable(t *testing.T) {
	measured := table{
		title: "Speed", about: "How fast.", head: []string{"", "a", "b"}, rows: [][]string{{"ours", "1", "2"}},
		limits: []limit{{"more than 0: 1", true}, {"more than 2: 1", false}},
	}
	const want = `
## Speed

How fast.

|  | a | b |
| --- | ---: | ---: |
| ours | 1 | 2 |

- more than 0: 1: kept
- more than 2: 1: **missed**
`
	if got := measured.markdown(); got != want || measured.missed() != 1 {
		t.Errorf("got %s\nand %d missed; expected %s", got, measured.missed(), want)
	}
}

func TestFigures(t *testing.T) {
	if got := quartilesOf([]float64{5, 1, 4, 2, 3}); got != (quartiles{2, 3, 4}) {
		t.Errorf("quartiles %v; expected 2, 3, 4", got)
	}
	if got := ratios([]float64{2, 9, 4}, []float64{1, 3, 2}).median; got != 2 {
		t.Errorf("a ratio of %v; expected 2, that of pairs", got)
	}
	if got := percentile([]time.Duration{3, 1, 2, 4}, 0.99); got != 4 {
		t.Errorf("percentile %v; expected 4", got)
	}
	if share(999, 1000) != "99.9 %" || share(9999, 10000) != "99.9 %" || share(10, 10) != "100 %" {
		t.Error("only all of them are 100 %")
	}
}

func TestUsage(t *testing.T) {
	for line, want := range map[string]struct {
		status int
		stderr string
	}{
		"-help":               {0, "-faultsrv"},
		"fast":                {statusUsage, `got ["fast"]`},
		"-faultsrv /nonesuch": {statusFailed, "expected a program that `make build` has built"},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(strings.Fields(line), &stdout, &stderr); status != want.status || !strings.Contains(stderr.String(), want.stderr) {
			t.Errorf("%s: status %d, expected %d with %q; stderr:\n%s", line, status, want.status, want.stderr, stderr.String())
		}
	}
}
