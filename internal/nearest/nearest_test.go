package nearest

import (
	"strings"
	"testing"
)

func TestWord(t *testing.T) {
	t.Parallel()
	words := []string{"reset", "close", "stall", "list", "retry-after"}
	for written, want := range map[string]string{
		"resett":                    "reset", // one too many
		"rest":                      "reset", // one missing
		"stell":                     "stall", // another one
		"lsit":                      "list",  // two neighbours swapped, which is one slip
		"rtery-aftr":                "retry-after",
		"waltz":                     "",
		"":                          "",
		strings.Repeat("reset", 20): "",
	} {
		if got := Word(written, words); got != want {
			t.Errorf("%q: %q; expected %q", written, got, want)
		}
	}
}
