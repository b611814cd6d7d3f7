package main

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"text/tabwriter"
)

// A scenario is what every contender does in a table.
type scenario struct {
	title    string
	layer    layer
	to       target
	statuses []int  // in memory: the answers in turn
	script   string // over loopback: the same as a script
	want     int
	success  bool
}

const (
	bodySize = 64 << 10
	nowhere  = "http://upstream.test/"
)

// scenarios are the tables of clients, in the order in which they are printed.
func scenarios() []scenario {
	get := target{method: http.MethodGet, url: nowhere}
	put := target{method: http.MethodPut, url: nowhere, body: make([]byte, bodySize)}
	var all []scenario
	for _, on := range []layer{overRoundTripper, overHTTPClient} {
		all = append(all,
			scenario{title: "GET, 200", layer: on, to: get, statuses: []int{200}, want: 200, success: true},
			scenario{title: "PUT of 64 KiB, 503 and then 200", layer: on, to: put, statuses: []int{503, 200}, want: 200},
			scenario{title: "GET, 503 three times", layer: on, to: get, statuses: []int{503}, want: 503},
		)
	}
	return append(all,
		scenario{title: "GET, 200", layer: behindBreaker, to: get, statuses: []int{200}, want: 200, success: true},
		scenario{title: "GET, 200, real sockets", layer: overHTTPClient, to: get, script: "200", want: 200, success: true},
		scenario{title: "PUT of 64 KiB, 503 and then 200, real sockets", layer: overHTTPClient, to: put, script: "503,200", want: 200},
	)
}

// field are the contenders of a scenario, each with a server of its own; the
// first is the bare one, the second ours.
func (s scenario) field() (runners []runner, closed func() error, err error) {
	closed = func() error { return nil }
	to := s.to
	server := func() http.RoundTripper { return &inMemory{statuses: s.statuses} }
	if s.script != "" {
		session, err := overLoopback(s.script)
		if err != nil {
			return nil, nil, err
		}
		base := http.DefaultTransport.(*http.Transport).Clone()
		base.Proxy = nil
		to.url = session.URL()
		server = func() http.RoundTripper { return base }
		closed = func() error {
			base.CloseIdleConnections()
			return session.Close()
		}
	}
	for _, c := range contenders() {
		if c.layer != s.layer || c.successOnly && !s.success {
			continue
		}
		call, err := c.prepare(server(), to)
		if err != nil {
			return nil, closed, fmt.Errorf("%s: %w", c.name, err)
		}
		runners = append(runners, runner{name: c.name, call: call, want: s.want})
	}
	return runners, closed, nil
}

// clientTable measures a scenario and prints it.
func clientTable(w io.Writer, s scenario, rounds int, each spell) error {
	runners, closed, err := s.field()
	if err != nil {
		return err
	}
	samples, err := compare(runners, rounds, each)
	if err != nil {
		return err
	}
	if err := closed(); err != nil {
		return err
	}
	bare, ours := samples[0], samples[1]
	rows := [][]string{{"", "a call", "at best", "over bare", "ratio to ours", "allocations", "over bare", "bytes"}}
	for i, r := range runners {
		times, allocations := of(samples[i], sample.time), of(samples[i], sample.counts)
		rows = append(rows, []string{
			r.name, nanoseconds(times.median), nanoseconds(times.least), nanoseconds(times.least - of(bare, sample.time).least),
			ratio(samples[i], ours), count(allocations.median), count(allocations.median - of(bare, sample.counts).median),
			count(of(samples[i], sample.size).median),
		})
	}
	return printTable(w, fmt.Sprintf("%s, %s", s.title, s.layer), rows)
}

const breakerTitle = "a closed breaker, a success"

// breakerTable measures the breakers, from one goroutine or from several.
func breakerTable(w io.Writer, rounds int, each spell) error {
	asked := breakers()
	runners := make([]runner, len(asked))
	for i, b := range asked {
		call, err := b.ask()
		if err != nil {
			return fmt.Errorf("%s: %w", b.name, err)
		}
		runners[i] = runner{name: b.name, call: call}
	}
	samples, err := compare(runners, rounds, each)
	if err != nil {
		return err
	}
	rows := [][]string{{"", "a call", "at best", "ratio to ours", "allocations", "bytes"}}
	for i, r := range runners {
		times := of(samples[i], sample.time)
		rows = append(rows, []string{
			r.name, nanoseconds(times.median), nanoseconds(times.least), ratio(samples[i], samples[0]),
			count(of(samples[i], sample.counts).median), count(of(samples[i], sample.size).median),
		})
	}
	title := breakerTitle
	if each.goroutines > 1 {
		title += fmt.Sprintf(", %d goroutines on %d processors", each.goroutines, runtime.GOMAXPROCS(0))
	}
	return printTable(w, title, rows)
}

func nanoseconds(n float64) string { return fmt.Sprintf("%.0f ns", n) }

func ratio(samples, ours []sample) string {
	r := ratios(samples, ours)
	return fmt.Sprintf("%.2f (%.2f–%.2f)", r.median, r.quarter, r.threeQuarters)
}

// count rounds: what the runtime allocates now and then is not the contender's.
func count(n float64) string { return fmt.Sprintf("%.0f", n) }

// nameWidth fits the longest name, so that names stand on the left.
const nameWidth = 34

func printTable(w io.Writer, title string, rows [][]string) error {
	if _, err := fmt.Fprintf(w, "\n%s\n", title); err != nil {
		return err
	}
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, row := range rows {
		row[0] = fmt.Sprintf("%-*s", nameWidth, row[0])
		_, _ = fmt.Fprintln(columns, strings.Join(row, "\t")+"\t") // the error comes with Flush
	}
	return columns.Flush()
}
