package main

import (
	"bytes"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestEveryContenderDoesTheSameWork counts what the server sees: a contender
// that sends less would look fast.
func TestEveryContenderDoesTheSameWork(t *testing.T) {
	for _, s := range scenarios() {
		if s.script != "" {
			continue
		}
		want := len(s.statuses)
		if s.want != http.StatusOK {
			want = attempts
		}
		for _, c := range contenders() {
			if c.layer != s.layer || c.successOnly && !s.success {
				continue
			}
			t.Run(s.title+" "+string(s.layer)+" "+c.name, func(t *testing.T) {
				server := &inMemory{statuses: s.statuses}
				call, err := c.prepare(server, s.to)
				if err != nil {
					t.Fatal(err)
				}
				for n := 1; n <= 3; n++ {
					status, err := call()
					if err != nil || status != s.want {
						t.Fatalf("call %d: status %d and error %v, expected status %d", n, status, err, s.want)
					}
					if server.attempts != n*want {
						t.Errorf("%d calls made %d attempts, expected %d", n, server.attempts, n*want)
					}
					if sent := int64(n * want * len(s.to.body)); server.bytes != sent {
						t.Errorf("%d calls sent %d bytes of bodies, expected %d", n, server.bytes, sent)
					}
				}
			})
		}
	}
}

func TestTheReportHasEveryTable(t *testing.T) {
	var printed bytes.Buffer
	if err := report(&printed, 1, time.Microsecond, ""); err != nil {
		t.Fatal(err)
	}
	for _, s := range scenarios() {
		if title := "\n" + s.title + ", " + string(s.layer) + "\n"; !strings.Contains(printed.String(), title) {
			t.Errorf("no table %q in\n%s", title, printed.String())
		}
	}
	for _, c := range contenders() {
		if !strings.Contains(printed.String(), "\n  "+c.name+" ") {
			t.Errorf("no row %q in\n%s", c.name, printed.String())
		}
	}
	for _, b := range breakers() {
		if rows := strings.Count(printed.String(), "\n  "+b.name+" "); rows != 2 {
			t.Errorf("%d rows %q, expected one for one goroutine and one for several, in\n%s", rows, b.name, printed.String())
		}
	}
}

// TestAContenderThatFailsEndsTheReport shows that a status is looked at.
func TestAContenderThatFailsEndsTheReport(t *testing.T) {
	call := func() (int, error) { return 503, nil }
	_, err := compare([]runner{{name: "lazy", call: call, want: 200}}, 1, spell{lasts: time.Microsecond, goroutines: 2})
	if err == nil || !strings.Contains(err.Error(), "lazy: the call ended with status 503, expected 200") {
		t.Errorf("got the error %v", err)
	}
}

func TestQuartiles(t *testing.T) {
	got := spreadOf([]float64{5, 1, 4, 2, 3})
	if want := (spread{least: 1, quarter: 2, median: 3, threeQuarters: 4}); got != want {
		t.Errorf("got %v, expected %v", got, want)
	}
}

func TestUsage(t *testing.T) {
	for line, want := range map[string]struct {
		status int
		stderr string
	}{
		"-help":          {0, "-spell"},
		"-rounds 0":      {statusUsage, "expected no arguments, 1 round or more"},
		"fast":           {statusUsage, `got ["fast"]`},
		"-only nonesuch": {statusFailed, `no table's title has "nonesuch"`},
	} {
		var stdout, stderr bytes.Buffer
		if status := run(strings.Fields(line), &stdout, &stderr); status != want.status || !strings.Contains(stderr.String(), want.stderr) {
			t.Errorf("bench %s: status %d, expected %d with %q; stderr:\n%s", line, status, want.status, want.stderr, stderr.String())
		}
	}
}
