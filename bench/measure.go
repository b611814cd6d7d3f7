package main

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"
)

// A runner is a contender of one table, ready to be measured.
type runner struct {
	name string
	call call
	// want is the status that each call has to end with; 0 looks at none.
	want int
}

// A sample is a spell of one runner, by the call.
type sample struct {
	nanoseconds, allocations, bytes float64
}

// A spell says how long, and by how many goroutines at a time, calls are made.
type spell struct {
	lasts      time.Duration
	goroutines int
}

// compare lets the runners take turns, round after round, each round begun by
// another of them. It gives the samples of each, by round.
func compare(runners []runner, rounds int, each spell) ([][]sample, error) {
	counts := make([]int, len(runners))
	for i, r := range runners {
		n, err := r.calibrate(each)
		if err != nil {
			return nil, err
		}
		counts[i] = n
	}
	samples := make([][]sample, len(runners))
	for round := range rounds {
		for turn := range runners {
			i := (round + turn) % len(runners)
			s, err := runners[i].measure(counts[i], each.goroutines)
			if err != nil {
				return nil, err
			}
			samples[i] = append(samples[i], s)
		}
	}
	return samples, nil
}

// calibrate finds how many calls fill a spell, and warms the runner up.
func (r runner) calibrate(each spell) (int, error) {
	for n := 1; ; n *= 2 {
		started := time.Now()
		if err := r.make(n, each.goroutines); err != nil {
			return 0, err
		}
		if took := time.Since(started); took >= each.lasts/2 {
			return max(int(float64(n)*float64(each.lasts)/float64(took)), 1), nil
		}
	}
}

// measure makes n calls on each goroutine. The time is the wall's: with more
// goroutines than one it is what a call costs while all are busy.
func (r runner) measure(n, goroutines int) (sample, error) {
	runtime.GC() // so that nobody pays for another's garbage
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	started := time.Now()
	err := r.make(n, goroutines)
	took := time.Since(started)
	runtime.ReadMemStats(&after)
	calls := float64(n * goroutines)
	return sample{
		nanoseconds: float64(took.Nanoseconds()) / calls,
		allocations: float64(after.Mallocs-before.Mallocs) / calls,
		bytes:       float64(after.TotalAlloc-before.TotalAlloc) / calls,
	}, err
}

// make makes n calls on each goroutine.
func (r runner) make(n, goroutines int) error {
	if goroutines == 1 {
		return r.repeat(n)
	}
	var running sync.WaitGroup
	errs := make([]error, goroutines)
	for i := range goroutines {
		running.Go(func() { errs[i] = r.repeat(n) })
	}
	running.Wait()
	return cmp.Or(errs...)
}

// repeat makes n calls, and looks at each: a contender that does less than the
// others is not faster.
func (r runner) repeat(n int) error {
	for range n {
		status, err := r.call()
		if err != nil {
			return fmt.Errorf("%s: %w", r.name, err)
		}
		if r.want != 0 && status != r.want {
			return fmt.Errorf("%s: the call ended with status %d, expected %d", r.name, status, r.want)
		}
	}
	return nil
}

// spread is the median of some figures, with their quartiles and the least.
type spread struct{ least, quarter, median, threeQuarters float64 }

func spreadOf(figures []float64) spread {
	sorted := slices.Sorted(slices.Values(figures))
	at := func(share float64) float64 { return sorted[int(share*float64(len(sorted)-1)+0.5)] }
	return spread{least: sorted[0], quarter: at(0.25), median: at(0.5), threeQuarters: at(0.75)}
}

// of is the spread of a figure of some samples.
func of(samples []sample, figure func(sample) float64) spread {
	figures := make([]float64, len(samples))
	for i, s := range samples {
		figures[i] = figure(s)
	}
	return spreadOf(figures)
}

// ratios is the spread of the times of some samples to others of the same round.
func ratios(samples, to []sample) spread {
	figures := make([]float64, len(samples))
	for i := range samples {
		figures[i] = samples[i].nanoseconds / to[i].nanoseconds
	}
	return spreadOf(figures)
}

func (s sample) time() float64   { return s.nanoseconds }
func (s sample) counts() float64 { return s.allocations }
func (s sample) size() float64   { return s.bytes }
