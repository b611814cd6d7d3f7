package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
)

func newReportMerge(invoked invocation) *cobra.Command {
	var out string
	format := oneOf(formatNames()...)
	cmd := &cobra.Command{
		Use:   "merge FILE…",
		Short: "Join the parts of a run that was cut by --shard",
		Long: `Joins the results of all parts of one run to those of the whole run. They must be
of one client, one selection and one version of faultsrv; a part that is missing
or comes twice is an error.

Exit status: that of the whole run: 0 the client conforms; 1 a contract failed;
3 a part was cut short or could not be run. 2 means that the files are not the
parts of one run, or that nothing was judged.`,
		Example: "  faultsrv report merge shard-*/results.json --out out",
		Args:    someArguments("results.json"),
		RunE: func(cmd *cobra.Command, names []string) error {
			run, err := merge(names)
			if err != nil {
				return err
			}
			screen, err := newScreen(cmd, reports.ColorAuto, invoked.env)
			if err != nil {
				return err
			}
			files, err := openOutputs(out)
			if err != nil {
				return couldNotRun(err)
			}
			return tell(cmd, run, files, renderer(format.value, screen.report))
		},
	}
	cmd.Flags().StringVar(&out, "out", "", outUsage())
	format.flag(cmd, "format", "how to print the results")
	return cmd
}

// merge reads all files, so that each that cannot be read is told, and joins
// them.
func merge(names []string) (reports.Run, error) {
	var runs []reports.Run
	var problems []error
	for _, name := range names {
		run, err := readResults(name)
		if err != nil {
			problems = append(problems, err)
		}
		runs = append(runs, run)
	}
	if err := errors.Join(problems...); err != nil {
		return reports.Run{}, err
	}
	run, err := reports.Merge(runs...)
	if err != nil {
		return reports.Run{}, fmt.Errorf("%w\n(runs are numbered as their files are given)", err)
	}
	return run, nil
}
