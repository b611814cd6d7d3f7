package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios"
)

// completeClients completes the names of the built-in clients, with what each
// is; files are completed by the shell.
func completeClients(_ *cobra.Command, given []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	known, err := builtIn()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []cobra.Completion
	for _, k := range known {
		// The mutants are many, and asked for by their prefix.
		if strings.HasPrefix(k.name, begun) && (!k.isMutant() || begun != "") && !slices.Contains(given, k.name) {
			names = append(names, cobra.CompletionWithDesc(k.name, k.about))
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// completeContracts completes the ids of the built-in contracts, with their
// titles.
func completeContracts(_ *cobra.Command, given []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	contracts, err := scenarios.Catalogue()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var ids []cobra.Completion
	for _, c := range contracts {
		if strings.HasPrefix(c.ID, begun) && !slices.Contains(given, c.ID) {
			ids = append(ids, cobra.CompletionWithDesc(c.ID, c.Title))
		}
	}
	return ids, cobra.ShellCompDirectiveNoFileComp
}

// completeFlag says how the value of a flag of the command is completed.
func completeFlag(cmd *cobra.Command, name string, complete cobra.CompletionFunc) {
	// An error means that there is no such flag, which a test of it would show.
	_ = cmd.RegisterFlagCompletionFunc(name, complete)
}
