package faultsrv_test

import (
	"os"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
	"github.com/faultsrv/faultsrv/suites/mutants"
)

// ownRules is the guide whose contract, areas and mutant are held to be true.
const ownRules = "docs/own-rules.md"

// TestTheGuidesRuleIsOne takes the contract of the guide to own rules through
// the steps of the guide: it is well written, the reference client keeps it, and
// the mutant that the guide names breaks it.
func TestTheGuidesRuleIsOne(t *testing.T) {
	guide := read(t, ownRules)
	rules, err := scenarios.Parse("rules.yaml", []byte(block(t, guide, "yaml")))
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range scenarios.Lint(rules) {
		t.Error(problem)
	}
	if got := verdict(t, resilient.Client(), rules); got != assertions.Pass {
		t.Errorf("the reference client: %s; expected pass", got)
	}
	_, name, _ := strings.Cut(guide, "--client mutant:")
	name, _, _ = strings.Cut(name, " ")
	for _, mutant := range mutants.All() {
		if mutant.Name != name {
			continue
		}
		if got := verdict(t, mutant.Subject(), rules); got != assertions.Fail {
			t.Errorf("mutant:%s: %s; expected fail", name, got)
		}
		return
	}
	t.Errorf("the guide names mutant:%s, which is none", name)
}

func TestTheGuideListsTheAreas(t *testing.T) {
	if areas := "`" + strings.Join(scenarios.Areas(), "`, `") + "`"; !strings.Contains(read(t, ownRules), areas) {
		t.Errorf("%s does not list the areas as they are: %s", ownRules, areas)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// block is the first fenced block of a language.
func block(t *testing.T, text, language string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, "```"+language+"\n")
	inside, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		t.Fatalf("expected a block of %s, got none", language)
	}
	return inside
}

func verdict(t *testing.T, subject suites.Subject, rules []*scenarios.Contract) assertions.Verdict {
	t.Helper()
	run, err := suites.Judge(t.Context(), subject, rules, suites.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Results) != 1 {
		t.Fatalf("%d results; expected that of the guide's rule", len(run.Results))
	}
	return run.Results[0].Verdict
}
