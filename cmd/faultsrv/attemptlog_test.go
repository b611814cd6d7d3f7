package main

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
)

// stuck is a writer that takes nothing until it is released, such as a
// terminal that was paused.
type stuck struct {
	released chan struct{}
	text     strings.Builder
}

func (s *stuck) Write(p []byte) (int, error) {
	<-s.released
	return s.text.Write(p)
}

func TestObservingNeverWaitsForTheReader(t *testing.T) {
	t.Parallel()
	const attempts = 10_000
	terminal := &stuck{released: make(chan struct{})}
	log := newAttemptLog(terminal, reports.NewRedactor(reports.Secrets{}))
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() { written <- log.write(ctx) }()

	observed := make(chan struct{})
	go func() {
		defer close(observed)
		for i := range attempts {
			log.observe(faultserver.Attempt{Index: i + 1, Open: true})
		}
	}()
	select {
	case <-observed:
	case <-time.After(patience):
		t.Fatal("observe waits for the writer")
	}

	close(terminal.released)
	cancel()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if err := log.close(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(terminal.text.String(), "\n"); lines != attempts {
		t.Errorf("%d lines; expected one for each of %d attempts", lines, attempts)
	}
}

// full is a writer without room, such as a file on a full disk.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// kept is a journal in memory.
type kept struct{ strings.Builder }

func (*kept) Close() error { return nil }

func TestJournalGetsAllWhereLinesCannotBeShown(t *testing.T) {
	t.Parallel()
	log := newAttemptLog(full{}, reports.NewRedactor(reports.Secrets{}))
	journal := new(kept)
	log.journal = journal
	log.observe(faultserver.Attempt{Index: 1, Open: true})
	log.observe(faultserver.Attempt{Index: 1})
	if err := log.write(t.Context()); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("got the error %v; expected it to say that the lines could not be written", err)
	}
	log.observe(faultserver.Attempt{Index: 2, Open: true})
	log.observe(faultserver.Attempt{Index: 2})
	if err := log.close(); err != nil {
		t.Errorf("the same is said again: %v", err)
	}
	if entries := strings.Count(journal.String(), "\n"); entries != 2 {
		t.Errorf("%d entries; expected both attempts:\n%s", entries, journal)
	}
}

func TestLiveLine(t *testing.T) {
	t.Parallel()
	arrived := faultserver.Attempt{
		Index: 2, Number: 1, Connection: 3, Use: 1, Arrived: 1500 * time.Millisecond, Open: true,
		Method: "GET", Target: "/orders", Step: faultserver.StepRef{Text: "reset@response-body@100"},
	}
	for _, test := range []struct {
		name   string
		change func(*faultserver.Attempt)
		want   string
	}{
		{"arrived", func(*faultserver.Attempt) {}, "#2 1.500s GET /orders on connection 3, request 1: reset@response-body@100\n"},
		{"of a call", func(a *faultserver.Attempt) { a.Call = "pay-2" }, "#2 1.500s GET /orders (call pay-2, attempt 1) on connection 3, request 1: reset@response-body@100\n"},
		{"beyond the script", func(a *faultserver.Attempt) { a.Step = faultserver.StepRef{Unscripted: true} }, "#2 1.500s GET /orders on connection 3, request 1: beyond the script\n"},
		{"no step for it", func(a *faultserver.Attempt) { a.Step = faultserver.StepRef{Unmatched: true} }, "#2 1.500s GET /orders on connection 3, request 1: no step applies, so it succeeds\n"},
		{"hostile", func(a *faultserver.Attempt) { a.Target = "/\x1b[2J" }, `#2 1.500s GET /\x1b[2J on connection 3, request 1: reset@response-body@100` + "\n"},
		{"long", func(a *faultserver.Attempt) { a.Target = "/" + strings.Repeat("a", 1<<20) },
			"#2 1.500s GET /" + strings.Repeat("a", 199) + "… (1048377 bytes more) on connection 3, request 1: reset@response-body@100\n"},
		{"a long step", func(a *faultserver.Attempt) { a.Step.Text = "raw:" + strings.Repeat("A", 1000) + ":end=fin" },
			"#2 1.500s GET /orders on connection 3, request 1: raw:" + strings.Repeat("A", 196) + "… (812 bytes more)\n"},
		{"as scripted", func(a *faultserver.Attempt) { a.Open, a.Met = false, true }, ""},
		{"not as scripted", func(a *faultserver.Attempt) {
			a.Open, a.End.Latest = false, 2*time.Second
			a.Happened = faultserver.Effect{Kind: "client-left", Detail: "before byte 100"}
		}, "#2 2.000s not as scripted: client-left, before byte 100\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			attempt := arrived
			test.change(&attempt)
			if got := liveLine(attempt); got != test.want {
				t.Errorf("%q; expected %q", got, test.want)
			}
		})
	}
}

func TestAReaderWhoDoesNotKeepUpIsToldWhatItMissed(t *testing.T) {
	t.Parallel()
	var shown strings.Builder
	log := newAttemptLog(&shown, reports.NewRedactor(reports.Secrets{}))
	for i := range mostQueued + 7 {
		log.observe(faultserver.Attempt{Index: i + 1, Open: true})
	}
	if err := log.flush(); err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(shown.String(), "\n"); lines != mostQueued+1 || !strings.HasSuffix(shown.String(), "… 7 lines more: they came faster than they could be shown\n") {
		t.Errorf("%d lines, the last %q", lines, shown.String()[strings.LastIndex(strings.TrimSuffix(shown.String(), "\n"), "\n")+1:])
	}
	shown.Reset()
	log.observe(faultserver.Attempt{Index: 1, Session: "other", Open: true})
	if err := log.flush(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(shown.String(), "other #1 ") || strings.Contains(shown.String(), "lines more") {
		t.Errorf("then %q; want one line that names its session", shown.String())
	}
}
