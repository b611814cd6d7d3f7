package main

import (
	"regexp"
	"testing"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios"
)

// exampleContract is how an example names a contract or several.
var exampleContract = regexp.MustCompile(`(?:--contracts|--scenario|contracts show) '?([a-z0-9-]+\.[a-z0-9*-]+)`)

func TestTheExamplesNameContractsThatThereAre(t *testing.T) {
	t.Parallel()
	contracts, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	named := 0
	var examine func(cmd *cobra.Command)
	examine = func(cmd *cobra.Command) {
		for _, match := range exampleContract.FindAllStringSubmatch(cmd.Example, -1) {
			named++
			if _, err := scenarios.Select(contracts, scenarios.Selection{Patterns: []string{match[1]}, Level: scenarios.Observe}); err != nil {
				t.Errorf("%s --help: %v", cmd.CommandPath(), err)
			}
		}
		for _, child := range cmd.Commands() {
			examine(child)
		}
	}
	examine(newRoot(invocation{env: noEnvironment}))
	if named < 5 {
		t.Errorf("%d contracts in all examples: they are not looked for as they are written", named)
	}
}
