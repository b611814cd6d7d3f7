package driver

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Fault is what a driver did against the protocol, or that it ended. Every
// error of a driver that could not be talked with is one.
type Fault struct {
	// Expected is what the protocol asks for, Got what came, and Do what the
	// driver's author is to do about it.
	Expected, Got, Do string
	// Ended is how the process ended and its last words on standard error; empty
	// where it has not been ended.
	Ended string
}

// Error implements error.
func (f *Fault) Error() string {
	text := fmt.Sprintf("expected %s; got %s; %s", f.Expected, f.Got, f.Do)
	if f.Ended != "" {
		text += " (" + f.Ended + ")"
	}
	return text
}

// quoted is what came, cut to what a message bears.
func quoted(text string) string {
	const longest = 200
	if len(text) <= longest {
		return fmt.Sprintf("%q", text)
	}
	cut := longest
	for cut > 0 && !utf8.RuneStart(text[cut]) {
		cut--
	}
	return fmt.Sprintf("%q… (%d bytes)", text[:cut], len(text))
}

// plural is a number and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// orNone is a list for a reader.
func orNone(words []string) string {
	if len(words) == 0 {
		return "none"
	}
	return strings.Join(words, ", ")
}
