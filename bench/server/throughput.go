package main

import (
	"fmt"
	"time"
)

// loadConnections is how many clients ask at the same time for throughput: more
// than the processors of a small machine, so that none of them waits for work.
const loadConnections = 16

// slowShare is how many times fewer requests a server gets that is slow at everything.
const slowShare = 4

// warmUp is how many requests a server gets before it is measured, on each
// connection.
const warmUp = 50

// A spell is what was measured of a server in a round.
type spell struct {
	rate, cpu float64 // requests a second; seconds of processor time a request
	times     []time.Duration
}

// throughput compares how many 503s a second the servers give.
func throughput(b bench) (table, error) {
	spells, err := takeTurns(b, refuseAll, b.size.rounds, func(e entrant, t *target) (spell, error) {
		l := load{address: t.address, path: t.path, connections: loadConnections, requests: warmUp, status: t.status}
		if _, _, err := l.run(); err != nil {
			return spell{}, err
		}
		l.requests = b.size.requests / loadConnections
		if e.slow {
			l.requests /= slowShare
		}
		before, err := t.cpu()
		if err != nil {
			return spell{}, err
		}
		times, took, err := l.run()
		if err != nil {
			return spell{}, err
		}
		after, err := t.cpu()
		return spell{float64(len(times)) / took.Seconds(), (after - before).Seconds() / float64(len(times)), times}, err
	})
	if err != nil {
		return table{}, err
	}
	rate := func(s spell) float64 { return s.rate }
	t := table{
		title: "Throughput of a 503",
		about: fmt.Sprintf("%d keep-alive connections, %d requests a spell (a quarter of that for those that run on Node and Java), %d rounds; each server that starts fast is started anew for each. "+
			"faultsrv keeps its journal of every attempt and writes a line for each to /dev/null. Medians, with the quartiles of the rounds in parentheses; "+
			"processor time is the server's alone, and where it is a proxy that of the server behind it, too.", loadConnections, b.size.requests, b.size.rounds),
		head: []string{"", "requests/s", "ratio to net/http", "p99", "processor time a request"},
	}
	for i, e := range b.entrants {
		rates, r := quartilesOf(figures(spells[i], rate)), ratios(figures(spells[i], rate), figures(spells[0], rate))
		t.rows = append(t.rows, []string{
			e.name, fmt.Sprintf("%.0f", rates.median), r.ratio(),
			milliseconds(time.Duration(quartilesOf(figures(spells[i], func(s spell) float64 { return float64(percentile(s.times, 0.99)) })).median)),
			fmt.Sprintf("%.1f µs", 1e6*quartilesOf(figures(spells[i], func(s spell) float64 { return s.cpu })).median),
		})
		switch i {
		case 0:
		case 1:
			t.limits = append(t.limits, limit{fmt.Sprintf("at least 1.0 × bare net/http: %.2f", r.median), r.median >= 1})
		default:
			over := ratios(figures(spells[1], rate), figures(spells[i], rate))
			t.limits = append(t.limits, limit{fmt.Sprintf("above %s: %.1f ×", e.name, over.median), over.median > 1})
		}
	}
	return t, nil
}

// takeTurns measures every server in every round, each round begun by another of
// them; peers take part in the first few. It gives the spells of each, by round.
func takeTurns(b bench, on task, peerRounds int, measure func(entrant, *target) (spell, error)) ([][]spell, error) {
	lasting := make([]*target, len(b.entrants))
	defer func() {
		for _, t := range lasting {
			if t != nil {
				t.stop()
			}
		}
	}()
	spells := make([][]spell, len(b.entrants))
	for round := range b.size.rounds {
		for turn := range b.entrants {
			i := (round + turn) % len(b.entrants)
			e := b.entrants[i]
			if i > 1 && round >= peerRounds {
				continue
			}
			s, err := oneSpell(e, on, &lasting[i], measure)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", e.name, err)
			}
			spells[i] = append(spells[i], s)
		}
	}
	return spells, nil
}

// oneSpell measures a server that is started for it, or the one that lasts.
func oneSpell(e entrant, on task, lasting **target, measure func(entrant, *target) (spell, error)) (spell, error) {
	if *lasting != nil {
		return measure(e, *lasting)
	}
	served, err := e.serve(on)
	if err != nil {
		return spell{}, err
	}
	if e.slow {
		*lasting = served
	} else {
		defer served.stop()
	}
	return measure(e, served)
}

// figures are one figure of each spell.
func figures(spells []spell, of func(spell) float64) []float64 {
	all := make([]float64, len(spells))
	for i, s := range spells {
		all[i] = of(s)
	}
	return all
}
