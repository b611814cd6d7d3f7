package main

import "github.com/spf13/cobra"

func newContracts() *cobra.Command {
	return group(&cobra.Command{
		Use:   "contracts",
		Short: "Read the contracts, and check those of your own",
		Long: `The contracts are the rules of retrying that a client is judged by. Each has an
id, a level (must, should or observe), the basis that it rests on, and its
sources.`,
	}, newContractsList(), newContractsShow(), newContractsLint(), newContractsSchema())
}
