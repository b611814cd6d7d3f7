package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

func newReportBadge() *cobra.Command {
	var badge reports.Badge
	var out string
	format := oneOf("svg", "json")
	level := oneOf(levelMust, levelShould)
	cmd := &cobra.Command{
		Use:   "badge FILE…",
		Short: "Write a badge: how many musts are kept, of those that were judged",
		Long: `Writes a badge of a client's results: how many of its musts are kept, of those
that it was judged by. A known failure counts as judged, and not as kept. Of several
files, such as the parts of a run, the counts add up.

The picture stands alone and says its text to who cannot see it. As json it is what
a badge service takes for an endpoint.

Exit status: 0 it is written; 2 the results have nothing that was judged, or
something that could not be; 3 it could not be written.`,
		Example: `  faultsrv report badge out/results.json --out badge.svg --link https://example.com/retries
  faultsrv report badge out/results.json --format json --out badge.json`,
		Args: someArguments("results.json"),
		RunE: func(cmd *cobra.Command, names []string) error {
			badge.Level = scenarios.Level(level.value)
			count, err := badgeCount(badge, names)
			if err != nil {
				return err
			}
			render := badge.SVG
			if format.value == "json" {
				render = badge.JSON
			}
			return writeTo(cmd, out, func(w io.Writer) error { return render(w, count) })
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&out, "out", "", "write the badge to this `FILE` (default: standard output)")
	flags.StringVar(&badge.Link, "link", "", "the `URL` of the evidence, which the picture leads to")
	flags.StringVar(&badge.Label, "label", "retries", "what the left part says")
	format.flag(cmd, "format", "a picture, or what a badge service takes for an endpoint")
	level.flag(cmd, "level", "which contracts are counted")
	return cmd
}

// badgeCount counts the results of the files.
func badgeCount(badge reports.Badge, names []string) (reports.BadgeCount, error) {
	var runs []reports.Run
	var problems []error
	for _, name := range names {
		run, err := readResults(name)
		problems = append(problems, err)
		runs = append(runs, run)
	}
	if err := errors.Join(problems...); err != nil {
		return reports.BadgeCount{}, err
	}
	count := badge.Count(runs...)
	return count, badge.Check(count)
}

// writeTo writes to a file, or to standard output where it has no name.
func writeTo(cmd *cobra.Command, name string, render func(io.Writer) error) error {
	if name == "" {
		if err := render(cmd.OutOrStdout()); err != nil {
			return unprinted(err)
		}
		return nil
	}
	if err := writeWhole(name, render); err != nil {
		return couldNotRun(fmt.Errorf("--out: expected a file that can be written; %s is not: %w", name, err))
	}
	return nil
}
