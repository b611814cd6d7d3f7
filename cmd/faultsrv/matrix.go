package main

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/matrix"
)

// matrixOptions are the flags of the matrix command.
type matrixOptions struct {
	out, from, check string
	clients          []string
	wanted           selection
	sideBySide       int
	seed             uint64
}

func newMatrix(invoked invocation) *cobra.Command {
	var o matrixOptions
	cmd := &cobra.Command{
		Use:   "matrix --out DIR",
		Short: "Judge many clients, and show who keeps which contract",
		Long: `Judges many clients by the same contracts, and writes to a folder who keeps
which: matrix.html and matrix.md for people; NAME.json with what does not vary
from run to run, to be committed and compared; and under evidence all that was
recorded of each client, as a page and as JSON.

The clients are those that have a profile.yaml under --clients-from, and the
built-in ones in Go. A client that is not installed is said to be missing, and the
others are judged all the same.

A contract for which the machine was too busy is measured once more in the end,
with nothing beside it. A verdict is never asked for twice.

With --check the verdicts are compared with those of an earlier run, as --out
left them: any that changed is told, an unexpected pass and a cell that is gone
or new included.

Exit status: 0 all was judged, and with --check nothing changed: that a client
breaks a contract is a result here, no failure; 1 a verdict changed; 2 wrong
usage, or a wrong profile; 3 a client could not be started, a contract could not
be judged, or the run was cut short (3 wins over 1).`,
		Example: `  faultsrv matrix --out out/matrix
  faultsrv matrix --client curl --client nethttp --level must --out out/matrix
  faultsrv matrix --client curl --check docs/matrix --out out/matrix`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, invoked) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.out, "out", "", "write the matrix to this `FOLDER`; it is made if need be, and files of an earlier run are overwritten")
	flags.StringVar(&o.from, "clients-from", "suites/clients", "the `FOLDER` under which the clients' profiles are, each a profile.yaml")
	flags.StringArrayVar(&o.clients, "client", nil, "only the client of this `NAME`; may be repeated (default: all)")
	flags.StringVar(&o.check, "check", "", "compare the verdicts with those in this `FOLDER`, NAME.json, and tell what changed")
	o.wanted.level = oneOf(levelMust, levelShould, levelAll).or(levelAll)
	o.wanted.patternFlags(cmd)
	o.wanted.level.flag(cmd, "level", "the weakest level: must; should, which has the musts too; or all, which adds what is only observed")
	flags.IntVar(&o.sideBySide, "side-by-side", 3, "judge `N` clients at the same time, each with its share of the machine")
	flags.Uint64Var(&o.seed, "seed", 1, "the `NUMBER` that every random draw comes from; the same one gives the same faults")
	return cmd
}

func (o *matrixOptions) run(cmd *cobra.Command, invoked invocation) error {
	if o.out == "" {
		return fmt.Errorf("--out: expected the folder to write the matrix to, got none; see `%s --help`", cmd.CommandPath())
	}
	if o.sideBySide < 1 {
		return fmt.Errorf("--side-by-side %d: expected at least 1; see `%s --help`", o.sideBySide, cmd.CommandPath())
	}
	contracts, err := o.wanted.chosen()
	if err != nil {
		return err
	}
	entrants, err := o.entrants()
	if err != nil {
		return err
	}
	if o.sideBySide > 1 {
		if err := matrix.CheckSideBySide(entrants); err != nil {
			return err
		}
	}
	accepted, err := o.accepted(entrants)
	if err != nil {
		return err
	}
	files := matrixFiles{folder: o.out}
	if err := files.make(entrants); err != nil {
		return couldNotRun(err)
	}
	judged, missing := o.judge(cmd, invoked, entrants, contracts, &files)
	unwritten := files.finish(judged, slices.Sorted(maps.Keys(missing)))
	concluded := o.conclude(cmd, judged, missing, accepted)
	switch {
	case unwritten != nil:
		return couldNotRun(fmt.Errorf("the verdicts stand, and not all of them are written (exit status %d): %w", statusCouldNotRun, unwritten))
	case len(judged) > 0:
		written := fmt.Sprintf("%s in %s\n", plural(len(judged), "client"), filepath.Join(o.out, matrixPage))
		// First what has something to say: a status without a word would hide it.
		return errors.Join(printText(cmd.OutOrStdout(), written), concluded)
	}
	return concluded
}

// entrants are the clients that were asked for.
func (o *matrixOptions) entrants() ([]matrix.Entrant, error) {
	all, err := matrix.Find(o.from)
	if err != nil {
		return nil, fmt.Errorf("--clients-from %s: %w", o.from, err)
	}
	if len(o.clients) == 0 {
		return all, nil
	}
	names := make([]string, len(all))
	for i, entrant := range all {
		names[i] = entrant.Name
	}
	var problems []error
	for _, name := range o.clients {
		if slices.Contains(names, name) {
			continue
		}
		problem := fmt.Sprintf("--client %s: there is no such client", name)
		if meant := scenarios.Nearest(name, names); meant != "" {
			problem += fmt.Sprintf(" (did you mean %q?)", meant)
		}
		problems = append(problems, fmt.Errorf("%s: expected one of %s", problem, strings.Join(names, ", ")))
	}
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(e matrix.Entrant) bool { return !slices.Contains(o.clients, e.Name) }), nil
}

// judge judges the clients, and says how each goes. What was judged is written at
// once; a client that cannot be is in missing, by its name. What was judged is sorted
// by the clients' names.
func (o *matrixOptions) judge(cmd *cobra.Command, invoked invocation, entrants []matrix.Entrant, contracts []*scenarios.Contract, files *matrixFiles,
) (judged []reports.Column, missing map[string]error) {
	missing = map[string]error{}
	place := 0
	options := suites.Options{Seed: o.seed, Head: o.head(invoked.args)}
	matrix.JudgeAll(cmd.Context(), entrants, contracts, options, o.sideBySide, func(done matrix.Judged) {
		place++
		progress := fmt.Sprintf("[%*d/%d] ", len(fmt.Sprint(len(entrants))), place, len(entrants))
		column := reports.NewColumn(done.Run, done.Entrant.About, append(slices.Clone(done.Entrant.Command), "--level", o.wanted.level.value))
		err := done.Err
		if err == nil {
			err = files.add(done.Run, column)
		}
		if err != nil {
			missing[done.Entrant.Name] = err
			cmd.PrintErrln(harmless(progress + err.Error()))
			return
		}
		judged = append(judged, column)
		cmd.PrintErrln(harmless(fmt.Sprintf("%s%s, %.1f s", progress, column.Line(), done.Took.Seconds())))
	})
	slices.SortFunc(judged, func(a, b reports.Column) int { return strings.Compare(a.Client.Name, b.Client.Name) })
	return judged, missing
}

// head is what each client's results say of the run.
func (o *matrixOptions) head(args []string) reports.Run {
	return reports.Run{
		Tool:      reports.Tool{Name: "faultsrv", Version: buildOf(version).Version},
		Selection: reports.Selection{Patterns: o.wanted.patterns, Level: o.wanted.level.value, FailOn: scenarios.Must},
		Meta:      reports.Meta{Command: append([]string{"faultsrv"}, args...)},
	}
}
