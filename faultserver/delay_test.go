package faultserver

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// TestDrawsDependOnNothingElse has the same arguments give the same draws, and
// each of them change them.
func TestDrawsDependOnNothingElse(t *testing.T) {
	first := drawsOf(7, "s", "call", 1).Uint64()
	if again := drawsOf(7, "s", "call", 1).Uint64(); again != first {
		t.Errorf("drew %d, then %d; want the same", first, again)
	}
	others := map[string]uint64{
		"seed":               drawsOf(8, "s", "call", 1).Uint64(),
		"session":            drawsOf(7, "t", "call", 1).Uint64(),
		"call":               drawsOf(7, "s", "ball", 1).Uint64(),
		"attempt":            drawsOf(7, "s", "call", 2).Uint64(),
		"where a name ends":  drawsOf(7, "sc", "all", 1).Uint64(),
		"where the other is": drawsOf(7, "scall", "", 1).Uint64(),
	}
	for what, other := range others {
		if other == first {
			t.Errorf("another %s draws the same", what)
		}
	}
}

// TestDelaysStayInTheirBounds draws from every distribution.
func TestDelaysStayInTheirBounds(t *testing.T) {
	duration := rapid.Int64Range(0, int64(time.Hour))
	rapid.Check(t, func(t *rapid.T) {
		least := time.Duration(duration.Draw(t, "min"))
		most := least + time.Duration(duration.Draw(t, "range"))
		limit := time.Duration(duration.Draw(t, "limit"))
		delays := map[string]Delay{
			"uniform":   {Uniform: &UniformDelay{least, most}},
			"normal":    {Normal: &NormalDelay{least, most}},
			"lognormal": {LogNormal: &LogNormalDelay{least + 1, rapid.Float64Range(0, 1000).Draw(t, "sigma")}},
		}
		for name, delay := range delays {
			delay.Max = limit
			bound := limit
			if limit == 0 {
				bound = longestDelay
			}
			if problems := delay.problems(); len(problems) > 0 {
				t.Fatalf("%s: %v", name, problems)
			}
			d := delay.duration(func() *rand.Rand { return drawsOf(rapid.Uint64().Draw(t, "seed"), "", "", 1) })
			if d < 0 || d > bound || name == "uniform" && (d < min(least, bound) || d > most) {
				t.Fatalf("%s of [%v, %v] drew %v, limited to %v", name, least, most, d, bound)
			}
		}
	})
}

// TestDistributionsAreWhatTheySay compares the share of many draws below a bound
// with what the distribution's formula says. (At 20,000 draws five standard
// deviations of a share are 0.018 at most.)
func TestDistributionsAreWhatTheySay(t *testing.T) {
	const n, slack = 20_000, 0.018
	uniform := Delay{Uniform: &UniformDelay{time.Second, 3 * time.Second}}
	normal := Delay{Normal: &NormalDelay{time.Second, 100 * time.Millisecond}}
	lognormal := Delay{LogNormal: &LogNormalDelay{time.Second, 0.5}}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	for _, check := range []struct {
		name  string
		delay Delay
		bound time.Duration
		below float64
	}{
		{"uniform, its minimum", uniform, time.Second, 0},
		{"uniform, a quarter", uniform, seconds(1.5), 0.25},
		{"uniform, half", uniform, seconds(2), 0.5},
		{"uniform, its maximum", uniform, seconds(3) + 1, 1},
		{"normal, two deviations below", normal, seconds(0.8), 0.0228},
		{"normal, one deviation below", normal, seconds(0.9), 0.1587},
		{"normal, the mean", normal, seconds(1), 0.5},
		{"normal, one deviation above", normal, seconds(1.1), 0.8413},
		{"lognormal, one sigma below", lognormal, seconds(math.Exp(-0.5)), 0.1587},
		{"lognormal, the median", lognormal, seconds(1), 0.5},
		{"lognormal, one sigma above", lognormal, seconds(math.Exp(0.5)), 0.8413},
		{"lognormal, two sigma above", lognormal, seconds(math.Exp(1)), 0.9772},
	} {
		below := 0
		for i := range n {
			if check.delay.duration(func() *rand.Rand { return drawsOf(1, "", "", i) }) < check.bound {
				below++
			}
		}
		if share := float64(below) / n; math.Abs(share-check.below) > slack {
			t.Errorf("%s: %v of the draws lie below %v; want %v", check.name, share, check.bound, check.below)
		}
	}
}
