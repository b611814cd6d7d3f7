package assertions

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/scenarios"
)

var update = flag.Bool("update", false, "write the golden files anew")

// state is what became of a check.
type state string

const (
	isOK    state = "ok"
	isRed   state = "failed"
	isNoise state = "noise"
	isBlind state = "not observed"
)

func stateOf(c Check) state {
	switch {
	case c.Noise:
		return isNoise
	case c.OK == nil:
		return isBlind
	case *c.OK:
		return isOK
	default:
		return isRed
	}
}

// wordCase is one use of a word, and what it says.
type wordCase struct {
	name string
	e    Evidence
	// call is the call that it is about; empty for all.
	call string
	want scenarios.Expectation
	// states are those of the checks it makes.
	states []state
}

// wordCases are the cases of every word, in the order of the vocabulary.
func wordCases() []wordCase {
	return slices.Concat(
		attemptsCases(), bodyCases(), fieldCases(), gapsCases(), returnsCases(), outcomeCases(), outcomesCases(),
		connectionCases(), effectsCases(), windowCases(), overlapCases(), spreadCases(), amplificationCases(), evaluatorCases(),
	)
}

// The golden file is read as a page of the manual: what each word says of
// right clients, wrong ones, and those it cannot judge.
func TestWords(t *testing.T) {
	t.Parallel()
	var page strings.Builder
	seen := make(map[string][]state)
	for _, test := range wordCases() {
		checks := Checks(test.e, PartExpect, test.call, test.want)
		var states []state
		for _, check := range checks {
			states = append(states, stateOf(check))
			word, _, _ := strings.Cut(check.Name, ".")
			if test.want.Evaluator != "" {
				word = "evaluator"
			}
			seen[word] = append(seen[word], stateOf(check))
			fmt.Fprintf(&page, "%s: %s\n  %s\n  expected  %s\n  observed  %s\n", check.Name, test.name, stateOf(check), check.Expected, check.Observed)
			if check.Explanation != "" {
				fmt.Fprintf(&page, "  so        %s\n", check.Explanation)
			}
			if len(check.Attempts) > 0 {
				fmt.Fprintf(&page, "  attempts  %v\n", check.Attempts)
			}
		}
		if !slices.Equal(states, test.states) {
			t.Errorf("%s: got %v, want %v: %+v", test.name, states, test.states, checks)
		}
	}
	for _, word := range vocabulary() {
		for _, needed := range []state{isOK, isRed} {
			if !slices.Contains(seen[word], needed) {
				t.Errorf("word %q has no case that is %s: a check that cannot be both proves nothing", word, needed)
			}
		}
	}
	golden(t, "words.golden", page.String())
}

// vocabulary is the words of scenarios.Expectation as they are written.
func vocabulary() []string {
	var words []string
	expectation := reflect.TypeFor[scenarios.Expectation]()
	for i := range expectation.NumField() {
		words = append(words, expectation.Field(i).Tag.Get("yaml"))
	}
	return words
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("%v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs; run the test with -update and read the change (-want +got):\n%s", file, diff)
	}
}
