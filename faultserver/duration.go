package faultserver

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"
)

// durationUnits are the units of durations, from the largest down.
var durationUnits = []struct {
	name string
	size time.Duration
}{
	{"h", time.Hour}, {"m", time.Minute}, {"s", time.Second},
	{"ms", time.Millisecond}, {"us", time.Microsecond}, {"ns", time.Nanosecond},
}

// ParseDuration reads a duration: "0", or numbers with a unit (h, m, s, ms, us
// or ns), each unit at most once and the larger ones first: "40ms", "1.5s",
// "1m30s". It refuses signs, leading zeros (010s), numbers without a unit and
// parts finer than a nanosecond.
func ParseDuration(text string) (time.Duration, error) {
	if strings.HasPrefix(text, "-") {
		return 0, fmt.Errorf("duration %q: a time cannot be negative; want one from 0, such as 40ms", text)
	}
	total, err := parseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("duration %q: %w", text, err)
	}
	return total, nil
}

// ParseOffset reads a duration that may begin with "+" or "-", such as the
// offset of a date: "+2s", "-1h".
func ParseOffset(text string) (time.Duration, error) {
	unsigned := strings.TrimPrefix(text, "+")
	negative := strings.HasPrefix(text, "-")
	if negative {
		unsigned = text[1:]
	}
	offset, err := parseDuration(unsigned)
	if err != nil {
		return 0, fmt.Errorf("offset %q: %w", text, err)
	}
	if negative {
		offset = -offset
	}
	return offset, nil
}

// FormatDuration writes a duration so that ParseOffset reads it back, and
// ParseDuration too if it is not negative. It is plain ASCII: "1.5us".
func FormatDuration(d time.Duration) string {
	if d == 0 {
		return "0s"
	}
	return strings.ReplaceAll(d.String(), "µ", "u")
}

func parseDuration(text string) (time.Duration, error) {
	const want = "want numbers with the units h, m, s, ms, us or ns, such as 40ms, 1.5s or 1m30s"
	if text == "0" {
		return 0, nil
	}
	if text == "" {
		return 0, fmt.Errorf("it is empty; %s", want)
	}
	var total time.Duration
	units := durationUnits
	for rest := text; rest != ""; {
		number := rest[:len(rest)-len(strings.TrimLeft(rest, "0123456789."))]
		rest = rest[len(number):]
		name := rest[:len(rest)-len(strings.TrimLeft(rest, "abcdefghijklmnopqrstuvwxyz"))]
		rest = rest[len(name):]
		whole, fraction, decimal := strings.Cut(number, ".")
		if !isWholeNumber(whole) || decimal && !isDigits(fraction) {
			return 0, fmt.Errorf("%q is no number; %s", number, want)
		}
		for len(units) > 0 && units[0].name != name {
			units = units[1:]
		}
		if len(units) == 0 {
			return 0, fmt.Errorf("%q is no unit, or does not come after larger ones; %s", name, want)
		}
		part, err := scale(whole, fraction, units[0].size)
		if err != nil {
			return 0, err
		}
		if total > math.MaxInt64-part {
			return 0, fmt.Errorf("too long, the longest is %s", FormatDuration(math.MaxInt64))
		}
		total += part
		units = units[1:]
	}
	return total, nil
}

// scale is whole.fraction times unit, exactly.
func scale(whole, fraction string, unit time.Duration) (time.Duration, error) {
	n, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || n > math.MaxInt64/int64(unit) {
		return 0, fmt.Errorf("too long, the longest is %s", FormatDuration(math.MaxInt64))
	}
	result := time.Duration(n) * unit
	fraction = strings.TrimRight(fraction, "0")
	if fraction == "" {
		return result, nil
	}
	// A fraction of more than 15 digits cannot be whole nanoseconds: an hour
	// is 36·10¹¹ ns, which divides by 10¹¹ at most (and by 2 a few times more).
	parts, divisor := int64(0), int64(1)
	if len(fraction) <= 15 {
		parts, err = strconv.ParseInt(fraction, 10, 64)
		for range fraction {
			divisor *= 10
		}
	}
	high, low := bits.Mul64(uint64(parts), uint64(unit))
	nanoseconds, remainder := uint64(0), uint64(1)
	if err == nil && divisor > 1 && high < uint64(divisor) {
		nanoseconds, remainder = bits.Div64(high, low, uint64(divisor))
	}
	if remainder != 0 {
		return 0, fmt.Errorf("%s.%s has parts finer than a nanosecond", whole, fraction)
	}
	if result > math.MaxInt64-time.Duration(nanoseconds) {
		return 0, fmt.Errorf("too long, the longest is %s", FormatDuration(math.MaxInt64))
	}
	return result + time.Duration(nanoseconds), nil
}
