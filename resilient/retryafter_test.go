package resilient

import (
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// now is an instant with a fraction of a second, as every real one has.
var now = time.Date(2026, time.March, 5, 10, 30, 15, 250_000_000, time.UTC)

func TestParseRetryAfter(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		row, value string
		want       time.Duration // none: no hint
	}{
		{"T1: delay-seconds", "120", 2 * time.Minute},
		{"T1: leading zeros are digits", "007", 7 * time.Second},
		{"T1: white space around it", " \t3 ", 3 * time.Second},
		{"T2: IMF-fixdate", "Thu, 05 Mar 2026 10:30:17 GMT", 1750 * time.Millisecond},
		{"T2: RFC 850", "Thursday, 05-Mar-26 10:30:17 GMT", 1750 * time.Millisecond},
		{"T2: asctime, its day padded with a space", "Thu Mar  5 10:30:17 2026", 1750 * time.Millisecond},
		{"T2: asctime, two digits of day", "Sun Mar 15 10:30:15 2026", 10*24*time.Hour - 250*time.Millisecond},
		{"T2: a wrong day name changes nothing", "Mon, 05 Mar 2026 10:30:17 GMT", 1750 * time.Millisecond},
		{"T3: 0", "0", 0},
		{"T3: a date in the past", "Thu, 05 Mar 2026 10:30:15 GMT", 0},
		{"T3: a date long past", "Sun, 06 Nov 1994 08:49:37 GMT", 0},
		{"T4: negative", "-1", none},
		{"T4: empty", "", none},
		{"T4: only white space", "  ", none},
		{"T4: a sign", "+5", none},
		{"T4: a fraction", "1.5", none},
		{"T4: an exponent", "1e3", none},
		{"T4: a unit", "5s", none},
		{"T4: hexadecimal", "0x10", none},
		{"T4: digits that are not ASCII", "٣", none},
		{"T4: a word", "soon", none},
		{"T4: a list", "1, 2", none},
		{"T4: a date that does not exist", "Wed, 99 Foo 2026", none},
		{"T4: a date of 30 February", "Mon, 30 Feb 2026 10:30:17 GMT", none},
		{"T4: another zone is no HTTP-date", "Thu, 05 Mar 2026 10:30:17 EST", none},
		{"T4: an ISO 8601 date is no HTTP-date", "2026-03-05T10:30:17Z", none},
		{"T5: the largest 64-bit number", "9223372036854775807", math.MaxInt64},
		{"T5: one more", "9223372036854775808", math.MaxInt64},
		{"T5: the first number of seconds that does not fit", "9223372037", math.MaxInt64},
		{"T5: the last that does", "9223372036", 9223372036 * time.Second},
		{"T5: a hundred digits", strings.Repeat("9", 100), math.MaxInt64},
		{"T5: a far date", "Fri, 31 Dec 9999 23:59:59 GMT", math.MaxInt64},
	} {
		t.Run(c.row, func(t *testing.T) {
			got, ok := parseRetryAfter(c.value, now)
			if c.want == none {
				if ok {
					t.Fatalf("%q was taken as %v; expected no hint", c.value, got)
				}
				return
			}
			if !ok || got != c.want {
				t.Fatalf("%q: got %v, %v; expected %v", c.value, got, ok, c.want)
			}
		})
	}
}

func TestHTTPDatesAreUTCWhateverTheLocalZone(t *testing.T) {
	// London had zones named GMT and BST; a zone name parsed there could be
	// an hour off. The instant given as now lies in that zone as well.
	zone := time.FixedZone("GMT", 3600)
	for _, form := range []string{imfFixdate, rfc850Date, asctime} {
		date := now.Truncate(time.Second).Add(90 * time.Second)
		got, ok := parseRetryAfter(date.Format(form), now.In(zone))
		if want := 90*time.Second - 250*time.Millisecond; !ok || got != want {
			t.Errorf("%s: got %v, %v; expected %v", form, got, ok, want)
		}
	}
}

func TestTwoDigitYears(t *testing.T) {
	for _, c := range []struct {
		now, year, want int
	}{
		{2026, 26, 2026}, {2026, 27, 2027}, {2026, 25, 2025},
		{2026, 75, 2075}, // 49 years ahead
		{2026, 77, 1977}, // 51 years ahead means the past
		{2026, 99, 1999},
		{2026, 0, 2000},
		{2071, 70, 2070}, // where the standard library reads 1970
		{2071, 20, 2120},
		{2071, 22, 2022},
		{2099, 1, 2101},
		{2000, 99, 1999},
	} {
		clock := time.Date(c.now, time.June, 15, 12, 0, 0, 0, time.UTC)
		text := fmt.Sprintf("Sunday, 15-Jun-%02d 12:00:00 GMT", c.year)
		date, ok := parseHTTPDate(text, clock)
		if !ok || date.Year() != c.want {
			t.Errorf("in %d, %q: got %v, %v; expected %d", c.now, text, date, ok, c.want)
		}
	}
	t.Run("50 years ahead to the second is not yet the past", func(t *testing.T) {
		clock := time.Date(2026, time.June, 15, 12, 0, 0, 0, time.UTC)
		if date, _ := parseHTTPDate("Monday, 15-Jun-76 12:00:00 GMT", clock); date.Year() != 2076 {
			t.Errorf("got %v", date)
		}
		if date, _ := parseHTTPDate("Monday, 15-Jun-76 12:00:01 GMT", clock); date.Year() != 1976 {
			t.Errorf("got %v", date)
		}
	})
}

func TestEveryDateFormIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		clock := time.Unix(rapid.Int64Range(0, 1<<33).Draw(t, "now"), 0).UTC()
		ahead := time.Duration(rapid.Int64Range(1, 49*365*24*3600).Draw(t, "ahead")) * time.Second
		date := clock.Add(ahead)
		for _, form := range []string{imfFixdate, rfc850Date, asctime} {
			if got, ok := parseRetryAfter(date.Format(form), clock); !ok || got != ahead {
				t.Fatalf("%q at %v: got %v, %v; expected %v", date.Format(form), clock, got, ok, ahead)
			}
		}
	})
}

func FuzzParseRetryAfter(f *testing.F) {
	for _, seed := range []string{
		"", "0", "1", "-1", "+1", "1.5", "99999999999999999999", "soon", "Thu, 05 Mar 2026 10:30:17 GMT",
		"Thursday, 05-Mar-26 10:30:17 GMT", "Thu Mar  5 10:30:17 2026", "Wed, 99 Foo 2026", "\x00", "0000000000000000000000001",
	} {
		f.Add(seed, now.Unix())
	}
	f.Fuzz(func(t *testing.T, value string, unix int64) {
		wait, ok := parseRetryAfter(value, time.Unix(unix%(1<<36), 0))
		if wait < 0 || !ok && wait != 0 {
			t.Fatalf("%q: %v, %v", value, wait, ok)
		}
		trimmed := strings.Trim(value, " \t")
		digits := trimmed != "" && strings.Trim(trimmed, "0123456789") == ""
		if digits && (!ok || strings.Trim(trimmed, "0") != "" && wait < time.Second) {
			t.Fatalf("%q: %v, %v: a positive number of seconds must not become an immediate retry", value, wait, ok)
		}
	})
}

func TestPause(t *testing.T) {
	answer := func(value string) *http.Response {
		return &http.Response{StatusCode: 503, Header: http.Header{"Retry-After": {value}}}
	}
	check := func(t *testing.T, p *policy, ordinary time.Duration, value string, low, high time.Duration) {
		t.Helper()
		for range 1000 {
			wait, ok := p.pause(ordinary, answer(value), now)
			if !ok || wait < low || wait > high {
				t.Fatalf("Retry-After %q: got %v, %v; expected %v to %v", value, wait, ok, low, high)
			}
		}
	}
	p := newPolicy()
	t.Run("T1, T7: at least the seconds; jitter never shortens them", func(t *testing.T) {
		check(t, p, 0, "1", time.Second, 1100*time.Millisecond)
		check(t, p, 300*time.Millisecond, "1", time.Second, 1100*time.Millisecond)
	})
	t.Run("T7: the spread is at most a second", func(t *testing.T) {
		check(t, p, 0, "50", 50*time.Second, 51*time.Second)
	})
	t.Run("the longer of the two counts", func(t *testing.T) {
		check(t, p, 5*time.Second, "1", 5*time.Second, 5*time.Second)
	})
	t.Run("T3: 0 or a date in the past → the ordinary backoff", func(t *testing.T) {
		check(t, p, time.Second, "0", time.Second, time.Second)
		check(t, p, time.Second, "Sun, 06 Nov 1994 08:49:37 GMT", time.Second, time.Second)
	})
	t.Run("T4: negative, junk, empty → the ordinary backoff", func(t *testing.T) {
		for _, value := range []string{"-5", "soon", ""} {
			check(t, p, time.Second, value, time.Second, time.Second)
		}
	})
	t.Run("T5, T6: above the cap → no retry", func(t *testing.T) {
		for _, value := range []string{"61", "3600", strings.Repeat("9", 40), "Fri, 31 Dec 9999 23:59:59 GMT"} {
			if wait, ok := p.pause(0, answer(value), now); ok {
				t.Errorf("%q: a retry in %v", value, wait)
			}
		}
	})
	t.Run("T6: at the cap → a retry, and the spread stays within the cap", func(t *testing.T) {
		check(t, p, 0, "60", time.Minute, time.Minute)
		check(t, p, 0, "59", 59*time.Second, time.Minute)
	})
	t.Run("T5: without a cap a huge value saturates", func(t *testing.T) {
		uncapped := *p
		uncapped.retryAfterCap = 0
		check(t, &uncapped, 0, strings.Repeat("9", 40), math.MaxInt64, math.MaxInt64)
	})
	t.Run("a negative backoff is no wait", func(t *testing.T) {
		check(t, p, -time.Second, "", 0, 0)
		if wait, ok := p.pause(-time.Second, nil, now); wait != 0 || !ok {
			t.Errorf("got %v, %v", wait, ok)
		}
	})
	t.Run("D6: the clients of one Retry-After do not come back together", func(t *testing.T) {
		seen := map[time.Duration]bool{}
		for range 100 {
			wait, _ := p.pause(0, answer("10"), now)
			seen[wait] = true
		}
		// 100 draws of a billion values: two equal ones in 200,000 runs.
		if len(seen) < 99 {
			t.Errorf("%d of 100 waits differ", len(seen))
		}
	})
}
