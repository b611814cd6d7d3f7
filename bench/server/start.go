package main

import (
	"fmt"
	"time"
)

// startLimit is how much longer than go-httpbin ours may take to start.
const startLimit = 30 * time.Millisecond

// startUp compares how long it is from the start of a process to its first answer.
func startUp(b bench) (table, error) {
	times := make([][]float64, len(b.entrants))
	for round := range b.size.starts {
		for i, e := range b.entrants {
			if e.slow && round >= b.size.slowStarts {
				continue
			}
			took, err := firstAnswer(e)
			if err != nil {
				return table{}, fmt.Errorf("%s: %w", e.name, err)
			}
			times[i] = append(times[i], float64(took))
		}
	}
	t := table{
		title: "Start",
		about: fmt.Sprintf("From the start of the process, or of both where it is a proxy, until a 503 has come; what it takes to tell a server about that included. "+
			"Medians of %d starts, of %d for those that start slowly.", b.size.starts, b.size.slowStarts),
		head: []string{"", "median", "quartiles"},
	}
	medians := map[string]time.Duration{}
	for i, e := range b.entrants {
		q := quartilesOf(times[i])
		medians[e.name] = time.Duration(q.median)
		t.rows = append(t.rows, []string{e.name, milliseconds(time.Duration(q.median)), milliseconds(time.Duration(q.lower)) + " – " + milliseconds(time.Duration(q.upper))})
	}
	if peer, there := medians["go-httpbin"]; there {
		ours := medians["faultsrv"]
		t.limits = []limit{{fmt.Sprintf("within %v of go-httpbin: %+.1f ms", startLimit, (ours-peer).Seconds()*1e3), ours <= peer+startLimit}}
	}
	return t, nil
}

// firstAnswer is how long a server takes to give one.
func firstAnswer(e entrant) (time.Duration, error) {
	began := time.Now()
	served, err := e.serve(refuseAll)
	if err != nil {
		return 0, err
	}
	defer served.stop()
	_, _, err = load{address: served.address, path: served.path, connections: 1, requests: 1, status: served.status}.run()
	return time.Since(began), err
}
