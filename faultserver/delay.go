package faultserver

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// longestDelay bounds the delays that may vary, where Delay.Max says nothing.
const longestDelay = 10 * time.Second

// drawsOf is the source of an attempt's random draws. It depends on nothing
// but the arguments, so that the order in which attempts arrive changes none.
func drawsOf(seed uint64, session, call string, attempt int) *rand.Rand {
	hash := sha256.New()
	for _, part := range []string{session, call} {
		_ = binary.Write(hash, binary.LittleEndian, uint64(len(part))) // a hash takes everything
		hash.Write([]byte(part))
	}
	_ = binary.Write(hash, binary.LittleEndian, []uint64{seed, uint64(attempt)})
	return rand.New(rand.NewChaCha8([sha256.Size]byte(hash.Sum(nil))))
}

// draws is the source of the exchange's random draws, which few need: it is set
// up by the first.
func (x *exchange) draws() *rand.Rand {
	if x.random == nil {
		x.random = drawsOf(x.session.config.Seed, x.session.id, x.drawsFor, x.drawsAt)
	}
	return x.random
}

// duration is the delay's length with this attempt's draws; for Until it is
// the longest wait.
func (d Delay) duration(draws func() *rand.Rand) time.Duration {
	most := d.Max
	if most == 0 {
		most = longestDelay
	}
	var drawn float64
	switch {
	case d.Until != nil:
		return most
	case d.Uniform != nil:
		drawn = float64(d.Uniform.Min) + draws().Float64()*float64(d.Uniform.Max-d.Uniform.Min)
	case d.Normal != nil:
		drawn = float64(d.Normal.Mean) + draws().NormFloat64()*float64(d.Normal.StdDev)
	case d.LogNormal != nil:
		drawn = float64(d.LogNormal.Median) * math.Exp(draws().NormFloat64()*d.LogNormal.Sigma)
	default:
		return d.Fixed
	}
	return time.Duration(min(max(drawn, 0), float64(most)))
}

// problems are what is wrong with the delay.
func (d Delay) problems() []error {
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf("delay: "+format, args...)) }
	kinds := 0
	for _, given := range []bool{d.Fixed != 0, d.Uniform != nil, d.Normal != nil, d.LogNormal != nil, d.Until != nil} {
		if given {
			kinds++
		}
	}
	if kinds > 1 {
		refuse("%d kinds at once; keep one of fixed, uniform, normal, lognormal and until", kinds)
	}
	if d.Fixed < 0 || d.Max < 0 {
		refuse("fixed %s, max %s; want none below 0", FormatDuration(d.Fixed), FormatDuration(d.Max))
	}
	if u := d.Uniform; u != nil && (u.Min < 0 || u.Max < u.Min) {
		refuse("uniform from %s to %s; want 0 ≤ min ≤ max", FormatDuration(u.Min), FormatDuration(u.Max))
	}
	if n := d.Normal; n != nil && (n.Mean < 0 || n.StdDev < 0) {
		refuse("normal with mean %s and stddev %s; want none below 0", FormatDuration(n.Mean), FormatDuration(n.StdDev))
	}
	if l := d.LogNormal; l != nil && (l.Median <= 0 || !(l.Sigma >= 0) || math.IsInf(l.Sigma, 0)) {
		refuse("lognormal with median %s and sigma %v; want a median above 0 and a sigma of 0 or more", FormatDuration(l.Median), l.Sigma)
	}
	if d.Until != nil {
		if err := d.Until.Validate(); err != nil {
			problems = append(problems, fmt.Errorf("delay: until: %w", err))
		}
	} else if d.Max != 0 && (d.Fixed != 0 || kinds == 0) {
		problems = append(problems, errors.New("delay: max bounds until and the random delays only; leave it out"))
	}
	return problems
}
