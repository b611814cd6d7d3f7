package assertions

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// count is a number with its thousands set off: "65,536".
func count[N int | int64](n N) string {
	digits := strconv.FormatInt(int64(n), 10)
	sign := ""
	if digits[0] == '-' {
		sign, digits = "-", digits[1:]
	}
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return sign + digits
}

// plural is a number and its noun: "1 attempt", "2 attempts", "3 more checks",
// "2 entries".
func plural[N int | int64](n N, noun string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(noun, "ry"):
		noun = strings.TrimSuffix(noun, "y") + "ies"
	default:
		noun += "s"
	}
	return count(n) + " " + noun
}

// dur rounds a duration to what a reader can use: microseconds below 100 ms,
// tenths of milliseconds above, and nothing below 10 µs.
func dur(d time.Duration) time.Duration {
	switch {
	case d.Abs() < 10*time.Microsecond:
		return d
	case d.Abs() < 100*time.Millisecond:
		return d.Round(time.Microsecond)
	default:
		return d.Round(100 * time.Microsecond)
	}
}

// beside rounds a duration for a sentence that compares it with another: never
// so far that a reader would take the two for equal.
func beside(d, other time.Duration) time.Duration {
	if dur(d) == dur(other) {
		return d
	}
	return dur(d)
}

// list shows a few of many values.
func list(values []string) string { return listOf(values, 5) }

func listOf(values []string, shown int) string {
	if len(values) <= shown {
		return strings.Join(values, ", ")
	}
	return fmt.Sprintf("%s, … (%s in all)", strings.Join(values[:shown], ", "), count(len(values)))
}

// orElse is a text, or another where it is empty.
func orElse(text, other string) string {
	if text == "" {
		return other
	}
	return text
}
