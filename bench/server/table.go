package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A table is what was measured of one thing.
type table struct {
	title string
	// about says how it was measured, and how to read it.
	about string
	head  []string
	rows  [][]string
	// limits are what has to hold, and whether it does.
	limits []limit
}

// A limit is one that ours has to keep.
type limit struct {
	says string
	kept bool
}

func (t *table) missed() int {
	n := 0
	for _, l := range t.limits {
		if !l.kept {
			n++
		}
	}
	return n
}

// markdown is the table as Markdown.
func (t *table) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n## %s\n\n%s\n\n", t.title, t.about)
	row := func(cells []string) { fmt.Fprintf(&text, "| %s |\n", strings.Join(cells, " | ")) }
	row(t.head)
	marks := make([]string, len(t.head))
	for i := range marks {
		marks[i] = "---:"
	}
	marks[0] = "---"
	row(marks)
	for _, cells := range t.rows {
		row(cells)
	}
	if len(t.limits) > 0 {
		text.WriteString("\n")
	}
	for _, l := range t.limits {
		mark := "kept"
		if !l.kept {
			mark = "**missed**"
		}
		fmt.Fprintf(&text, "- %s: %s\n", l.says, mark)
	}
	return text.String()
}

// cannot stands where a server has nothing to be measured by.
const cannot = "cannot"

// quartiles are of some figures.
type quartiles struct{ lower, median, upper float64 }

func quartilesOf(figures []float64) quartiles {
	if len(figures) == 0 {
		return quartiles{}
	}
	sorted := slices.Sorted(slices.Values(figures))
	at := func(share float64) float64 { return sorted[int(share*float64(len(sorted)-1)+0.5)] }
	return quartiles{at(0.25), at(0.5), at(0.75)}
}

// ratios are of figures to others of the same rounds.
func ratios(figures, to []float64) quartiles {
	n := min(len(figures), len(to))
	all := make([]float64, n)
	for i := range n {
		all[i] = figures[i] / to[i]
	}
	return quartilesOf(all)
}

func (q quartiles) ratio() string {
	return fmt.Sprintf("%.2f (%.2f–%.2f)", q.median, q.lower, q.upper)
}

// milliseconds writes a time.
func milliseconds(d time.Duration) string { return fmt.Sprintf("%.2f ms", d.Seconds()*1e3) }

// percentile is the least of some times that a share of them does not exceed. It
// sorts them.
func percentile(times []time.Duration, share float64) time.Duration {
	slices.Sort(times)
	return times[min(int(share*float64(len(times))), len(times)-1)]
}
