package scenarios_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// examples are contracts that stretch the vocabulary.
func examples(t *testing.T) []*scenarios.Contract {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "contract-examples.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	contracts, err := scenarios.Parse("contract-examples.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if len(contracts) != 10 {
		t.Fatalf("the file holds 10 contracts; parsed %d", len(contracts))
	}
	return contracts
}

func example(t *testing.T, id string) *scenarios.Contract {
	t.Helper()
	for _, c := range examples(t) {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("no example has the id %s", id)
	return nil
}

func TestLintMissesExactlyTheRuleFieldsOfTheExamples(t *testing.T) {
	want := map[string]bool{"title-given": true, "level-given": true, "basis-given": true, "why-given": true, "cites-given": true}
	for _, c := range examples(t) {
		got := map[string]bool{}
		for _, p := range scenarios.Lint([]*scenarios.Contract{c}) {
			if !want[p.Rule] || got[p.Rule] {
				t.Errorf("%s: unexpected: %v", c.ID, p)
			}
			got[p.Rule] = true
		}
		for rule := range want {
			if !got[rule] {
				t.Errorf("%s: lint did not report %s", c.ID, rule)
			}
		}
	}
}

func TestAnActThatIsNotBuiltParsesAndRefusesToRun(t *testing.T) {
	c := example(t, "http2.goaway-above-last-stream")
	if act := c.Script[1].Act; act != (faultserver.Unbuilt{Name: "h2-goaway"}) {
		t.Errorf("the second step is %#v", act)
	}
	want := "http2.goaway-above-last-stream: act h2-goaway is not built yet\n" +
		"http2.goaway-above-last-stream: server protocol h2c is not built yet"
	if err := c.Runnable(); err == nil || err.Error() != want {
		t.Errorf("Runnable: got %v, want %s", err, want)
	}
}

func TestWhatTheServerRefusesIsNotRunnable(t *testing.T) {
	c := parseOne(t, "script: [{reset: accept}, h2-window]")
	want := []string{"body.one: act h2-window is not built yet", "body.one: script: step 1, reset: at accept: "}
	got := strings.Split(fmt.Sprint(c.Runnable()), "\n")
	if len(got) != 2 || got[0] != want[0] || !strings.HasPrefix(got[1], want[1]) {
		t.Errorf("got %q, want what begins with %q", got, want)
	}
}

func TestTheOtherExamplesAreRunnable(t *testing.T) {
	for _, c := range examples(t) {
		if err := c.Runnable(); err != nil && c.Area() != "http2" {
			t.Error(err)
		}
	}
}
