package main

import (
	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios/schema"
)

func newContractsSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of contract files, for editors",
		Long: `Prints the JSON Schema of contract files. An editor that knows the language
server for YAML checks a file by it, and completes its keys, when the file says
at its head where the schema is:

  # yaml-language-server: $schema=contract.schema.json`,
		Example: `  faultsrv contracts schema > contract.schema.json`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printText(cmd.OutOrStdout(), schema.Contract())
		},
	}
}
