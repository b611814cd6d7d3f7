package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios"
)

func newRoot(invoked invocation) *cobra.Command {
	root := group(&cobra.Command{
		Use:   "faultsrv",
		Short: "Tell whether an HTTP client retries correctly",
		Long: `faultsrv tells whether an HTTP client retries correctly. It scripts a server's
faults attempt by attempt, records every attempt as it really arrived, and
judges any client against contracts that read as a specification.`,
		Example: `  faultsrv demo
  faultsrv observe -- curl -sS --retry 3 {url}
  faultsrv test -- curl -sS --retry {retries} {url}
  faultsrv contracts show body.replay-after-503
  faultsrv serve --script 503x2,200`,
		Version:       buildOf(version).String(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}, newDemo(invoked), newTest(invoked), newObserve(invoked), newContracts(), newClients(), newMatrix(invoked), newServe(invoked), newDoctor(invoked), newReady(), newReport(invoked), newVersion())
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetUsageTemplate(strings.Replace(root.UsageTemplate(),
		"{{if .Runnable}}", "{{if and .Runnable (not .HasAvailableSubCommands)}}", 1)) // a group runs only to complain
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = noEmptyValues
	return root
}

// group is a command that does nothing but hold others.
func group(cmd *cobra.Command, commands ...*cobra.Command) *cobra.Command {
	cmd.AddCommand(commands...)
	cmd.Args = cobra.ArbitraryArgs
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		var names []string
		for _, command := range cmd.Commands() {
			if command.IsAvailableCommand() {
				names = append(names, command.Name())
			}
		}
		problem := "no command given"
		if len(args) > 0 {
			problem = fmt.Sprintf("unknown command %q", args[0])
			if meant := scenarios.Nearest(args[0], names); meant != "" {
				problem += fmt.Sprintf(" (did you mean %q?)", meant)
			}
		}
		return fmt.Errorf("%s: expected one of %s; `%s --help` explains them",
			problem, strings.Join(names, ", "), cmd.CommandPath())
	}
	return cmd
}
