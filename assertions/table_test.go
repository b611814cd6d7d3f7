package assertions

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

func TestTable(t *testing.T) {
	t.Parallel()
	source := faultserver.Body{Size: 64 * faultserver.KiB, Seed: 7}
	happened := func(effect faultserver.Effect) edit[faultserver.Attempt] {
		return func(a *faultserver.Attempt) { a.Happened = effect }
	}
	step := func(text string) edit[faultserver.Attempt] {
		return func(a *faultserver.Attempt) { a.Step.Text = text }
	}
	var long []faultserver.Attempt
	for i := range 100 {
		long = append(long, failed(i+1, 50*ms*time.Duration(i), 50*ms*time.Duration(i)+ms))
	}
	pages := []struct {
		title    string
		attempts []faultserver.Attempt
	}{
		{"no attempt", nil},
		{"two attempts", []faultserver.Attempt{failed(1, 10*ms, 11*ms), served(2, 51*ms, 52*ms)}},
		{"every way to end", []faultserver.Attempt{
			struck(1, 0),
			failed(2, 50*ms, 51*ms, step("close"), happened(faultserver.Effect{Kind: "close", End: "fin"}), on(2, 1)),
			failed(3, 100*ms, 101*ms, step("reset@response-body@500"), happened(faultserver.Effect{Kind: "reset", Status: 200, Body: 500, End: "rst"}), on(3, 1)),
			failed(4, 150*ms, 151*ms, step("truncate@500"), happened(faultserver.Effect{Kind: "truncate", Status: 200, Body: 500, End: "fin"}), on(4, 1)),
			stalled(5, 200*ms, 300*ms, on(5, 1)),
			stalled(5, 320*ms, 330*ms, on(5, 1), func(a *faultserver.Attempt) { a.Answered, a.Client.How = 330*ms, "" }),
			failed(6, 350*ms, 351*ms, step("stale"), happened(faultserver.Effect{Kind: "stale", Status: 200, End: "rst"}), on(6, 1)),
			failed(7, 400*ms, 401*ms, happened(faultserver.Effect{Kind: "client-left"}), on(6, 2), func(a *faultserver.Attempt) { a.Client.How = "client-rst" }),
			failed(8, 420*ms, 421*ms, happened(faultserver.Effect{Kind: "bad-body"}), on(6, 3)),
			failed(8, 450*ms, 451*ms, func(a *faultserver.Attempt) { a.Step.Unscripted, a.Happened.Status = true, 500 }, on(7, 1)),
			failed(9, 500*ms, 501*ms, func(a *faultserver.Attempt) { a.Step.Unmatched, a.Happened.Status = true, 200 }, on(7, 2)),
			failed(10, 550*ms, 0, func(a *faultserver.Attempt) { a.Open = true }, on(8, 1)),
			failed(11, 600*ms, 601*ms, on(9, 1)),
		}},
		{"two calls", []faultserver.Attempt{
			failed(1, 0, ms, of("pay-1")), failed(1, 5*ms, 6*ms, of("pay-2"), on(2, 1)), served(2, 41*ms, 42*ms, of("pay-1"), on(1, 2)),
		}},
		{"bodies, and a long target", []faultserver.Attempt{
			failed(1, 0, ms, carrying(source), func(a *faultserver.Attempt) { a.Target = "/" + strings.Repeat("long/", 20) }),
			failed(2, 41*ms, 42*ms, cutAfter(source, 1000)),
			failed(3, 81*ms, 82*ms, cutAfter(source, 1000), func(a *faultserver.Attempt) { a.Body.Declared = -1 }),
		}},
		{"a hundred attempts", long},
	}
	var text strings.Builder
	for _, page := range pages {
		text.WriteString(page.title + "\n" + Table(faultserver.Journal{Attempts: page.attempts}) + "\n")
	}
	golden(t, "tables.golden", text.String())
}

// brokenWriter fails after so many writes.
type brokenWriter int

var errBroken = errors.New("the pipe is broken")

func (w *brokenWriter) Write(p []byte) (int, error) {
	if *w--; *w < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestATableTellsItsWritersError(t *testing.T) {
	t.Parallel()
	for _, e := range []Evidence{evidenceOf(), evidenceOf(failed(1, 0, ms))} {
		for writes := range brokenWriter(len(e.Journal.Attempts) + 1) {
			if err := WriteRows(&writes, Rows(e.Journal.Attempts)); !errors.Is(err, errBroken) {
				t.Errorf("%d attempts: got %v, want %v", len(e.Journal.Attempts), err, errBroken)
			}
		}
	}
}
