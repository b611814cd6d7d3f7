package main

import (
	"fmt"
	"slices"
	"time"
)

// delayConnections are how many clients wait at the same time.
var delayConnections = []int{1, 50, 500}

// delayLimit is how much larger than bare net/http's the error may be.
const delayLimit = 1.2

// delayError compares how much later than asked delayed answers come.
func delayError(b bench) (table, error) {
	t := table{
		title: fmt.Sprintf("Error of a delay of %v", delay),
		about: fmt.Sprintf("How much later than %v after its request an answer has come, as its client sees it, with 1, 50 and 500 keep-alive connections that ask without pause. "+
			"%d rounds, in which the servers take turns, the peers in the first %d; the medians of the rounds. The ratio is of the p99 to that of bare net/http in the same round. "+
			"An answer that came before its time is early.", delay, b.size.rounds, b.size.peerRounds),
		head: []string{"", "connections", "p50", "p99", "ratio of the p99 to net/http", "early"},
	}
	for _, connections := range delayConnections {
		spells, err := takeTurns(b, delayAll, b.size.peerRounds, func(_ entrant, t *target) (spell, error) {
			l := load{address: t.address, path: t.path, connections: connections, requests: 1, status: t.status}
			if _, _, err := l.run(); err != nil {
				return spell{}, err
			}
			// A single client has to ask more often for its p99 to mean anything.
			l.requests = b.size.delays * max(1, leastDelays/(connections*b.size.delays))
			times, _, err := l.run()
			for i := range times {
				times[i] -= delay
			}
			slices.Sort(times)
			return spell{times: times}, err
		})
		if err != nil {
			return table{}, err
		}
		p99 := func(s spell) float64 { return float64(percentile(s.times, 0.99)) }
		for i, e := range b.entrants {
			r := ratios(figures(spells[i], p99), figures(spells[0], p99))
			early, all := 0, 0
			for _, s := range spells[i] {
				all += len(s.times)
				for _, late := range s.times {
					if late < 0 {
						early++
					}
				}
			}
			p50 := quartilesOf(figures(spells[i], func(s spell) float64 { return float64(percentile(s.times, 0.5)) })).median
			t.rows = append(t.rows, []string{
				e.name, fmt.Sprint(connections), milliseconds(time.Duration(p50)), milliseconds(time.Duration(quartilesOf(figures(spells[i], p99)).median)),
				r.ratio(), fmt.Sprintf("%d of %d", early, all),
			})
			if i == 1 {
				t.limits = append(t.limits,
					limit{fmt.Sprintf("with %d connections, p99 within %.1f × bare net/http's: %.2f", connections, delayLimit, r.median), r.median <= delayLimit},
					limit{fmt.Sprintf("with %d connections, never early", connections), early == 0})
			}
		}
	}
	return t, nil
}

// leastDelays is how many delays a spell measures at least.
const leastDelays = 20
