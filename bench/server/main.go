package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// Exit statuses: 1 something could not be measured, 2 wrong usage, 3 measured, and
// one of the limits was missed.
const (
	statusFailed = 1
	statusUsage  = 2
	statusMissed = 3
)

// The roles are the arguments with which this program is a server itself: the one
// that others are compared with, and our engine in a process that tells its memory.
const (
	bareRole = "serve-bare"
	ourRole  = "serve-ours"
)

func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 2 && args[0] == bareRole {
		_, _ = fmt.Fprintln(stderr, serveBare(args[1])) // it serves until it is ended
		return statusFailed
	}
	if len(args) == 3 && args[0] == ourRole {
		_, _ = fmt.Fprintln(stderr, serveOursInProcess(args[1], args[2])) // as above
		return statusFailed
	}
	var o options
	flags := flag.NewFlagSet("server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&o.faultsrv, "faultsrv", "bin/faultsrv", "the `program` under test")
	flags.StringVar(&o.peers, "peers", "", "the `folder` with the peers that are programs; without it, no peer takes part")
	flags.StringVar(&o.packages, "packages", "bench/server/peers/node_modules", "the `folder` with the peers that are packages")
	flags.BoolVar(&o.quick, "quick", false, "measure everything less often: about a minute, for a look")
	flags.StringVar(&o.write, "write", "", "also write the report to this `file`")
	only := flags.String("only", "", "measure only the tables whose name has this `text` in it: "+strings.Join(names(), ", "))
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return 0
	case err != nil:
		return statusUsage
	case flags.NArg() > 0:
		_, _ = fmt.Fprintf(stderr, "server: expected no arguments, got %q; see -help\n", flags.Args())
		return statusUsage
	}
	o.size = full
	if o.quick {
		o.size = quick
	}
	missed, err := report(stdout, stderr, o, *only)
	if err != nil {
		_, _ = fmt.Fprintln(stderr, "server:", err)
		return statusFailed
	}
	if missed > 0 {
		_, _ = fmt.Fprintf(stderr, "server: %d limits were missed; the report marks them\n", missed)
		return statusMissed
	}
	return 0
}

// options are what the flags say.
type options struct {
	faultsrv, peers, packages string
	quick                     bool
	write                     string
	size                      size
}

// A size is how much is measured.
type size struct {
	rounds int // of throughput and delay, each with a spell of every server
	// peerRounds are those in which the peers take part in the latter.
	peerRounds int
	requests   int // of a spell of throughput, over all its connections
	delays     int // of a spell of delays, on each connection
	starts     int // of each server that starts fast, and
	slowStarts int // of each that does not
	stalled    int // connections
	exchanges  int // a fault
	answers    int // of a script whose answers are each to be given once
}

var (
	full  = size{rounds: 15, peerRounds: 3, requests: 32_000, delays: 10, starts: 20, slowStarts: 5, stalled: 10_000, exchanges: 1000, answers: 1000}
	quick = size{rounds: 3, peerRounds: 1, requests: 8_000, delays: 2, starts: 5, slowStarts: 1, stalled: 1000, exchanges: 32, answers: 200}
)

// tables are what is measured, in the order of the report.
var tables = []struct {
	name    string
	measure func(bench) (table, error)
}{
	{"throughput", throughput},
	{"delay", delayError},
	{"memory", memory},
	{"start", startUp},
	{"fidelity", fidelity},
	{"exactness", exactness},
}

func names() []string {
	var all []string
	for _, t := range tables {
		all = append(all, t.name)
	}
	return all
}

// A bench is what a table is measured with.
type bench struct {
	size     size
	entrants []entrant
	progress io.Writer
}

// report measures the tables and prints them; missed is how many limits were.
func report(stdout, progress io.Writer, o options, only string) (missed int, err error) {
	all, err := entrants(o)
	if err != nil {
		return 0, err
	}
	var text strings.Builder
	began := time.Now()
	text.WriteString(heading(o, all))
	printed := 0
	for _, t := range tables {
		if !strings.Contains(t.name, only) {
			continue
		}
		printed++
		since := time.Now()
		measured, err := t.measure(bench{o.size, all, progress})
		if err != nil {
			return 0, fmt.Errorf("%s: %w", t.name, err)
		}
		missed += measured.missed()
		text.WriteString(measured.markdown())
		_, _ = fmt.Fprintf(progress, "%s took %.0f s\n", t.name, time.Since(since).Seconds())
	}
	if printed == 0 {
		return 0, fmt.Errorf("no table's name has %q in it; -only takes a part of one of %s", only, strings.Join(names(), ", "))
	}
	fmt.Fprintf(&text, "\nThe run took %.0f s.\n", time.Since(began).Seconds())
	if _, err := io.WriteString(stdout, text.String()); err != nil {
		return 0, err
	}
	if o.write != "" {
		return missed, os.WriteFile(o.write, []byte(text.String()), 0o644) //nolint:gosec // it is for everybody to read
	}
	return missed, nil
}
