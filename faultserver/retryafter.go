package faultserver

import (
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// DatePhase is the sub-second part of the wall clock at which an answer with a
// relative Retry-After date is sent. A date has whole seconds: at any other
// phase the wait it asks for would vary by up to a second.
const DatePhase = 500 * time.Millisecond

// untilDatePhase is how long it is from now until the next DatePhase.
func untilDatePhase(now time.Time) time.Duration {
	phase := time.Duration(now.Nanosecond())
	return (DatePhase - phase + time.Second) % time.Second
}

// value is the header's value as it is sent now.
func (r RetryAfter) value(now time.Time) string {
	if r.Date == nil {
		return r.Value
	}
	return formatDate(now.Truncate(time.Second).Add(*r.Date), r.Form)
}

// A dateText is the text of a second's date.
type dateText struct {
	unix int64
	text string
}

// latestDate is the last that was sent: all answers of a second have the same.
var latestDate atomic.Pointer[dateText]

// dateLine is the value of the Date header of an answer that is sent now.
func dateLine(now time.Time) string {
	latest := latestDate.Load()
	if latest == nil || latest.unix != now.Unix() {
		latest = &dateText{now.Unix(), formatDate(now, IMFFixdate)}
		latestDate.Store(latest)
	}
	return latest.text
}

// layout is the form as package time knows it. "GMT" is text in it, and not the name
// of a zone, of which each machine knows others.
func (f DateForm) layout() string {
	switch f {
	case RFC850:
		return "Monday, 02-Jan-06 15:04:05 GMT"
	case Asctime:
		return time.ANSIC
	}
	return http.TimeFormat
}

// formatDate writes one of the three forms of an HTTP date.
func formatDate(date time.Time, form DateForm) string { return date.UTC().Format(form.layout()) }

// parseDate reads any of them.
func parseDate(text string, now time.Time) (date time.Time, is bool) {
	for _, form := range []DateForm{IMFFixdate, RFC850, Asctime} {
		date, err := time.Parse(form.layout(), text)
		if err != nil {
			continue
		}
		// Two digits say the latest year that is not more than fifty ahead (RFC 9110,
		// section 5.6.7); package time reads 69 as 1969.
		if later := date.AddDate(100, 0, 0); form == RFC850 && !later.After(now.AddDate(50, 0, 0)) {
			date = later
		}
		return date, true
	}
	return time.Time{}, false
}

// readRetryAfter is what a Retry-After value that is sent at a moment asks for
// (RFC 9110, section 10.2.3); sent is that moment on the session's clock.
func readRetryAfter(value string, now time.Time, sent time.Duration) *SentRetryAfter {
	result := &SentRetryAfter{Value: value}
	trimmed := strings.Trim(value, " \t")
	if isDigits(trimmed) {
		wait := time.Duration(math.MaxInt64)
		if seconds, err := strconv.ParseInt(trimmed, 10, 64); err == nil && seconds <= int64(wait/time.Second) {
			wait = time.Duration(seconds) * time.Second
		}
		result.Wait = &wait
		return result
	}
	date, is := parseDate(trimmed, now)
	if !is {
		return result
	}
	left := date.Sub(now) // which saturates
	wait, until := max(left, 0), min(left, math.MaxInt64-sent)+sent
	result.Wait, result.Until = &wait, &until
	return result
}
