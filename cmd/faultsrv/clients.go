package main

import "github.com/spf13/cobra"

func newClients() *cobra.Command {
	return group(&cobra.Command{
		Use:   "clients",
		Short: "Read what is known of the clients that can be judged",
		Long: `The clients that can be judged by name: the reference client, net/http, those of
real programs that have a profile, and the mutants, which are wrong on purpose.
A client of your own is judged as a command, or by the path of its profile.`,
	}, newClientsList(), newClientsShow(), newClientsCheck(), newClientsSchema())
}
