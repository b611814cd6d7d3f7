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
		spells, err := takeTurns(b, delayAll, b.size.peerRounds, func(_ entrant, served *target) (spell, error) {
			return delaySpell(b, served, connections)
		})
		if err != nil {
			return table{}, err
		}
		for i, e := range b.entrants {
			t.addDelays(e.name, connections, spells[i], spells[0], i == 1)
		}
	}
	return t, nil
}

// leastDelays is how many delays a spell measures at least: one client has to ask
// more often than many for its p99 to mean anything.
const leastDelays = 20

// delaySpell measures how much later than asked the answers come.
func delaySpell(b bench, served *target, connections int) (spell, error) {
	l := load{address: served.address, path: served.path, connections: connections, requests: 1, status: served.status}
	if _, _, err := l.run(); err != nil {
		return spell{}, err
	}
	l.requests = max(b.size.delays, leastDelays/connections)
	times, _, err := l.run()
	for i := range times {
		times[i] -= delay
	}
	slices.Sort(times)
	return spell{times: times}, err
}

// addDelays adds a server's row, and if it is ours its limits.
func (t *table) addDelays(name string, connections int, spells, bare []spell, ours bool) {
	at := func(share float64) func(spell) float64 {
		return func(s spell) float64 { return float64(percentile(s.times, share)) }
	}
	r := ratios(figures(spells, at(0.99)), figures(bare, at(0.99)))
	early, all := 0, 0
	for _, s := range spells {
		all += len(s.times)
		for _, late := range s.times {
			if late < 0 {
				early++
			}
		}
	}
	median := func(share float64) string {
		return milliseconds(time.Duration(quartilesOf(figures(spells, at(share))).median))
	}
	t.rows = append(t.rows, []string{name, fmt.Sprint(connections), median(0.5), median(0.99), r.ratio(), fmt.Sprintf("%d of %d", early, all)})
	if ours {
		t.limits = append(t.limits,
			limit{fmt.Sprintf("with %d connections, p99 within %.1f × bare net/http's: %.2f", connections, delayLimit, r.median), r.median <= delayLimit},
			limit{fmt.Sprintf("with %d connections, never early", connections), early == 0})
	}
}
