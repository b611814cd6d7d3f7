package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
)

func newReport(invoked invocation) *cobra.Command {
	commands := []*cobra.Command{newReportBadge(), newReportMatrix(), newReportMerge(invoked)}
	for _, name := range formatNames() {
		commands = append(commands, newReportIn(name, invoked))
	}
	return group(&cobra.Command{
		Use:   "report",
		Short: "Read the results of a run again: in another form, or joined from its parts",
		Long: `Takes the results that 'faultsrv test --out' leaves as results.json. They are
read strictly: results of another format, or that were changed, are refused.`,
	}, commands...)
}

// newReportIn is the command that writes results in a format.
func newReportIn(name string, invoked invocation) *cobra.Command {
	return &cobra.Command{
		Use:     name + " FILE",
		Short:   "Print the results of a run as " + name,
		Example: "  faultsrv report " + name + " out/results.json",
		Args:    oneArgument("results.json"),
		RunE: func(cmd *cobra.Command, args []string) error {
			run, err := readResults(args[0])
			if err != nil {
				return err
			}
			screen, err := newScreen(cmd, reports.ColorAuto, invoked.env)
			if err != nil {
				return err
			}
			if err := renderer(name, screen.report)(cmd.OutOrStdout(), run); err != nil {
				return unprinted(err)
			}
			return nil
		},
	}
}

// readResults reads the results of a run from a file.
func readResults(name string) (reports.Run, error) {
	file, err := os.Open(name)
	if err != nil {
		return reports.Run{}, fmt.Errorf("expected the results of a run, as --out leaves them in results.json: %w", err)
	}
	run, err := reports.Read(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return reports.Run{}, fmt.Errorf("%s: %w", name, err)
	}
	return run, nil
}
