package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

func newContractsLint() *cobra.Command {
	format := oneOf("text", "json")
	cmd := &cobra.Command{
		Use:   "lint FILE…",
		Short: "Find what is wrong with contracts of your own",
		Long: `Reads contract files, and the .yaml files of folders, and prints all that is
wrong with each: what cannot be read, and what a contract must not say. Exit
status 0 means that nothing is wrong, 2 that something is.`,
		Args: someArguments("file or folder"),
		RunE: func(cmd *cobra.Command, paths []string) error {
			count, problems := lint(paths)
			var err error
			if format.value == "json" {
				err = printJSON(cmd.OutOrStdout(), notNil(problems))
			} else {
				err = printText(cmd.OutOrStdout(), lintText(count, problems))
			}
			if err != nil {
				return err
			}
			if len(problems) > 0 {
				return endWith(statusUsage)
			}
			return nil
		},
	}
	format.flag(cmd, "format", "how to print what is wrong")
	return cmd
}

// lint reads each path by itself, so that one that cannot be read hides nothing
// of the others. It gives how many contracts it could read, and every problem.
func lint(paths []string) (count int, problems scenarios.Problems) {
	var contracts []*scenarios.Contract
	for _, path := range paths {
		loaded, err := scenarios.Load(path)
		var found scenarios.Problems
		switch {
		case errors.As(err, &found):
			problems = append(problems, found...)
		case err != nil:
			problems = append(problems, scenarios.Problem{File: path, Message: err.Error()})
		}
		contracts = append(contracts, loaded...)
	}
	return len(contracts), append(problems, scenarios.Lint(contracts, assertions.Evaluators()...)...)
}

func lintText(contracts int, problems scenarios.Problems) string {
	if len(problems) == 0 {
		return fmt.Sprintf("%s, nothing wrong.\n", plural(contracts, "contract"))
	}
	return fmt.Sprintf("%s\n%s.\n", problems.Error(), plural(len(problems), "problem"))
}
