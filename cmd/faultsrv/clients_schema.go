package main

import (
	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/suites/profile"
)

func newClientsSchema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of profiles, for editors",
		Long: `Prints the JSON Schema of profiles of commands and drivers. An editor that knows
the language server for YAML checks a file by it, and completes its keys, when
the file says at its head where the schema is:

  # yaml-language-server: $schema=profile.schema.json

The profile of a service has other keys; docs/service-teams.md lists them.`,
		Example: `  faultsrv clients schema > profile.schema.json`,
		Args:    noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schema, err := profile.Schema()
			if err != nil {
				return err
			}
			return printText(cmd.OutOrStdout(), schema)
		},
	}
}
