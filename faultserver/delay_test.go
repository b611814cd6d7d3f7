package faultserver

import (
	"math"
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
			d := delay.duration(drawsOf(rapid.Uint64().Draw(t, "seed"), "", "", 1))
			if d < 0 || d > bound || name == "uniform" && (d < min(least, bound) || d > most) {
				t.Fatalf("%s of [%v, %v] drew %v, limited to %v", name, least, most, d, bound)
			}
		}
	})
}

// TestDistributionsAreWhatTheySay compares means of many draws.
func TestDistributionsAreWhatTheySay(t *testing.T) {
	const n = 20_000
	draw := func(delay Delay) (mean, median float64) {
		below := 0
		for i := range n {
			d := float64(delay.duration(drawsOf(1, "", "", i)))
			mean += d / n
			if d < float64(time.Second) {
				below++
			}
		}
		return mean, float64(below) / n
	}
	mean, _ := draw(Delay{Uniform: &UniformDelay{0, 2 * time.Second}})
	if math.Abs(mean-float64(time.Second)) > float64(20*time.Millisecond) {
		t.Errorf("uniform: mean %v; want 1s", time.Duration(mean))
	}
	mean, _ = draw(Delay{Normal: &NormalDelay{time.Second, 100 * time.Millisecond}})
	if math.Abs(mean-float64(time.Second)) > float64(5*time.Millisecond) {
		t.Errorf("normal: mean %v; want 1s", time.Duration(mean))
	}
	_, below := draw(Delay{LogNormal: &LogNormalDelay{time.Second, 0.5}})
	if math.Abs(below-0.5) > 0.02 {
		t.Errorf("lognormal: %v of the draws lie below the median; want half", below)
	}
}
