package main

import (
	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/suites/profile"
	"github.com/faultsrv/faultsrv/suites/service"
)

func newClientsSchema() *cobra.Command {
	of := oneOf("client", "service")
	cmd := &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of profiles, for editors",
		Long: `Prints the JSON Schema of profiles: of those of commands and drivers, or of
services. An editor that knows the language server for YAML checks a file by it,
and completes its keys, when the file says at its head where the schema is:

  # yaml-language-server: $schema=profile.schema.json`,
		Example: `  faultsrv clients schema > profile.schema.json
  faultsrv clients schema --of service > service.schema.json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			schemaOf := profile.Schema
			if of.value == "service" {
				schemaOf = service.Schema
			}
			schema, err := schemaOf()
			if err != nil {
				return err
			}
			return printText(cmd.OutOrStdout(), schema)
		},
	}
	of.flag(cmd, "of", "whose profiles: kinds exec and driver, or kind service")
	return cmd
}
