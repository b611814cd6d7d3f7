package faultserver

import (
	"fmt"
	"strconv"
	"time"
)

// A Span is a length of a script: a number of attempts, or a time. Its text form
// is a whole number or a duration: "5", "300ms". The zero value is none.
type Span struct {
	// Attempts is how many; 0 where it is a time.
	Attempts int
	// Time is how long; 0 where it is a number.
	Time time.Duration
}

// IsZero tells whether it has no length.
func (s Span) IsZero() bool { return s == Span{} }

// String is the text form; "0" for the zero value.
func (s Span) String() string {
	if s.Time != 0 {
		return FormatDuration(s.Time)
	}
	return strconv.Itoa(s.Attempts)
}

// MarshalText implements encoding.TextMarshaler; see String.
func (s Span) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Span) UnmarshalText(text []byte) error {
	if isWholeNumber(string(text)) {
		attempts, err := strconv.Atoi(string(text))
		if err != nil || attempts > mostSpan {
			return fmt.Errorf("%q; want a number of attempts up to %d, or a duration such as 300ms", text, mostSpan)
		}
		*s = Span{Attempts: attempts}
		return nil
	}
	length, err := ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("want a number of attempts or a duration, such as 5 or 300ms: %w", err)
	}
	*s = Span{Time: length}
	return nil
}

// mostSpan bounds a number of attempts.
const mostSpan = 1_000_000_000

// problems are what is wrong with spans that are counted together; names are
// theirs.
func spanProblems(names []string, spans ...Span) []error {
	var problems []error
	counted, timed := "", ""
	for i, s := range spans {
		switch {
		case s.Attempts < 0 || s.Attempts > mostSpan || s.Time < 0 || s.Attempts != 0 && s.Time != 0:
			problems = append(problems, fmt.Errorf("%s: %d attempts and %s; want one of them, and not below 0", names[i], s.Attempts, FormatDuration(s.Time)))
		case s.Attempts > 0:
			counted = names[i]
		case s.Time > 0:
			timed = names[i]
		}
	}
	if counted != "" && timed != "" {
		problems = append(problems, fmt.Errorf("%s counts attempts and %s is a time; count both, or time both", counted, timed))
	}
	return problems
}

// A progress is how far a window act has come when an attempt arrives: attempts
// that came before it, and the time since the first of them.
type progress struct {
	attempts int
	elapsed  time.Duration
}

// of is the progress in the span's measure.
func (p progress) of(s Span) float64 {
	if s.Time != 0 {
		return float64(p.elapsed)
	}
	return float64(p.attempts)
}

// length is the span in its own measure.
func (s Span) length() float64 {
	if s.Time != 0 {
		return float64(s.Time)
	}
	return float64(s.Attempts)
}
