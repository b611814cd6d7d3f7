package resilient

import (
	"math"
	"strings"
	"time"
)

// The three forms of an HTTP-date (RFC 9110 §5.6.7). "GMT" is literal text
// here: parsed as a zone name, it could mean whatever the local zone says,
// while an HTTP-date is always in UTC.
const (
	imfFixdate = "Mon, 02 Jan 2006 15:04:05 GMT"
	rfc850Date = "Monday, 02-Jan-06 15:04:05 GMT"
	asctime    = time.ANSIC
)

// farthestYears is how far in the future a two-digit year may lie before it
// means the past (RFC 9110 §5.6.7: "more than 50 years in the future").
const farthestYears = 50

// parseRetryAfter reads a Retry-After value (RFC 9110 §10.2.3): a number of
// seconds or an HTTP-date. The wait is 0 for a date in the past and saturates
// where it does not fit a Duration. Anything else, such as a negative number,
// a fraction or an empty value, is no hint: ok is false.
func parseRetryAfter(value string, now time.Time) (wait time.Duration, ok bool) {
	value = strings.Trim(value, " \t")
	if value == "" {
		return 0, false
	}
	if seconds, ok := parseDelaySeconds(value); ok {
		return seconds, true
	}
	date, ok := parseHTTPDate(value, now)
	if !ok {
		return 0, false
	}
	return max(date.Sub(now), 0), true // Sub saturates
}

// parseDelaySeconds reads 1*DIGIT. strconv would also take a sign, and fail
// where this saturates: a huge number is a long wait, never none.
func parseDelaySeconds(value string) (time.Duration, bool) {
	var wait time.Duration
	for _, r := range value {
		if r < '0' || r > '9' {
			return 0, false
		}
		digit := time.Duration(r-'0') * time.Second
		if wait > (math.MaxInt64-digit)/10 {
			wait = math.MaxInt64
			continue
		}
		wait = wait*10 + digit
	}
	return wait, true
}

func parseHTTPDate(value string, now time.Time) (time.Time, bool) {
	for _, layout := range []string{imfFixdate, asctime} {
		if date, err := time.Parse(layout, value); err == nil {
			return date, true
		}
	}
	date, err := time.Parse(rfc850Date, value)
	if err != nil {
		return time.Time{}, false
	}
	return nearestCentury(date, now.UTC()), true
}

// nearestCentury gives a two-digit year the latest century that does not put
// it more than fifty years ahead. The standard library's pivot is the fixed
// year 1969, which misreads "70" from 2020 on.
func nearestCentury(date, now time.Time) time.Time {
	century := now.Year()/100*100 + 100
	candidate := date.AddDate(century+date.Year()%100-date.Year(), 0, 0)
	for candidate.After(now.AddDate(farthestYears, 0, 0)) {
		candidate = candidate.AddDate(-100, 0, 0)
	}
	return candidate
}
