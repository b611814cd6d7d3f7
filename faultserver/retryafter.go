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

// formatDate writes one of the three forms of an HTTP date.
func formatDate(date time.Time, form DateForm) string {
	date = date.UTC()
	switch form {
	case RFC850:
		return date.Format("Monday, 02-Jan-06 15:04:05 GMT")
	case Asctime:
		return date.Format(time.ANSIC)
	}
	return date.Format(http.TimeFormat)
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
	date, err := http.ParseTime(trimmed)
	if err != nil {
		return result
	}
	left := date.Sub(now)
	wait, until := max(left, 0), sent+left
	result.Wait, result.Until = &wait, &until
	return result
}
