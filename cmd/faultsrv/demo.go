package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/demo"
)

// demoRules are the contracts that the naive client of the demo is judged by;
// demoFailure is the one of them whose failure is explained.
const (
	demoRules   = "idempotency.*"
	demoFailure = "idempotency.a-post-is-not-retried-on-a-reset"
)

func newDemo(invoked invocation) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "demo",
		Short: "Show what a retry may cost",
		Long: `One order, how many charges? The server charges the card and resets the
connection before it answers. Three clients place the order side by side, on real
sockets: a naive retry loop, the same loop with an idempotency key, and the
reference client. The naive one is then judged by the contracts of idempotency,
and its failure is explained. It takes a few seconds, and nothing has to be
installed.

Exit status: 0 the demo was shown; 2 wrong usage; 3 it could not be shown, or it
was cut short.`,
		Example: `  faultsrv demo
  faultsrv demo --out out`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := showDemo(cmd, out, invoked); err != nil {
				return couldNotRun(err)
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the report to this `FOLDER` (default: a new temporary one)")
	return cmd
}

const demoHead = `One order, how many charges?

The server charges the card, and resets the connection before it answers. Three
clients place the order, side by side:

`

// showDemo shows the demo and leaves its report in a folder: the one that was
// asked for or, where the demo comes to its end, a new one.
func showDemo(cmd *cobra.Command, out string, invoked invocation) error {
	if out != "" {
		return tellDemo(cmd, out, invoked)
	}
	folder, err := os.MkdirTemp("", "faultsrv-demo-")
	if err != nil {
		return fmt.Errorf("make a folder for the report: %w; name one with --out", err)
	}
	if err := tellDemo(cmd, folder, invoked); err != nil {
		return errors.Join(err, os.RemoveAll(folder))
	}
	return nil
}

// tellDemo places the order, judges the naive client, and names what to do next.
func tellDemo(cmd *cobra.Command, folder string, invoked invocation) error {
	files, err := openOutputs(folder)
	if err != nil {
		return err
	}
	w := &told{out: cmd.OutOrStdout()}
	w.print(demoHead)
	orders, err := demo.Run(cmd.Context(), demo.Pause, func(e demo.Event) { w.print(eventLine(e)) })
	if err != nil {
		return err
	}
	w.print("\n")
	for _, order := range orders {
		w.print(orderLine(order))
	}
	run, err := judgeNaive(cmd.Context(), invoked)
	if err != nil {
		return err
	}
	w.print(fmt.Sprintf("\nThe %s by the contracts of idempotency:\n\n%s\n", demo.Naive, verdictLines(run)))
	if at := slices.IndexFunc(run.Results, func(r reports.Result) bool { return r.ID == demoFailure }); at >= 0 {
		w.print(reports.Explain(run.Results[at]) + "\n")
	}
	if err := files.write(run); err != nil {
		return err
	}
	w.print(demoEnd(folder))
	return w.problem
}

// told writes what is told as it happens, and keeps the first error.
type told struct {
	out     io.Writer
	problem error
}

func (w *told) print(text string) {
	if w.problem == nil {
		if _, err := io.WriteString(w.out, text); err != nil {
			w.problem = fmt.Errorf("write the output: %w", err)
		}
	}
}

// clientWidth is the width of the longest client's name.
var clientWidth = max(len(demo.Naive), len(demo.Keyed), len(demo.Reference))

// eventLine is an attempt as the server saw it.
func eventLine(e demo.Event) string {
	charge, answer := "charges the card", "the answer is lost"
	switch {
	case e.Charged && e.Number > 1:
		charge = "charges the card again"
	case !e.Charged:
		charge = "knows the key, charges nothing"
	}
	if e.Status != 0 {
		answer = fmt.Sprintf("answers %d", e.Status)
	}
	return fmt.Sprintf("  %4.1f s  %-*s  POST /charge: the server %s, %s\n", e.At.Seconds(), clientWidth, e.Client, charge, answer)
}

// orderLine is what became of an order.
func orderLine(o demo.Order) string {
	got := fmt.Sprintf("the shop gets the %d", o.Status)
	if o.Status == 0 {
		got = fmt.Sprintf("the shop is told that the outcome is unknown (%s)", o.Failure)
	}
	return fmt.Sprintf("  %-*s  %-9s  %s\n", clientWidth, o.Client, plural(o.Charges, "charge"), got)
}

// judgeNaive judges the naive client by the rules of the demo.
func judgeNaive(ctx context.Context, invoked invocation) (reports.Run, error) {
	plan, err := suites.NewPlan(demo.NaiveClient(demo.Pause), suites.Contracts(demoRules))
	if err != nil {
		return reports.Run{}, err
	}
	plan.Options.Head.Tool = reports.Tool{Name: "faultsrv", Version: buildOf(version).Version}
	plan.Options.Head.Meta.Command = append([]string{"faultsrv"}, invoked.args...)
	run, err := suites.Judge(ctx, plan.Subject, plan.Contracts, plan.Options)
	switch {
	case err != nil:
		return reports.Run{}, err
	case ctx.Err() != nil:
		return reports.Run{}, context.Cause(ctx)
	default:
		return run, nil
	}
}

// verdictLines are the verdicts, a line each, what is broken first.
func verdictLines(run reports.Run) string {
	var lines strings.Builder
	for _, verdict := range []assertions.Verdict{assertions.Fail, assertions.Weak, assertions.Pass} {
		for _, result := range run.Results {
			if result.Verdict == verdict {
				fmt.Fprintf(&lines, "  %-4s  %s\n", verdict, result.Title)
			}
		}
	}
	return lines.String()
}

// demoEnd names the report and the next command.
func demoEnd(folder string) string {
	report := resultFormats[len(resultFormats)-1].file
	for _, f := range resultFormats {
		if f.name == "html" {
			report = f.file
		}
	}
	return fmt.Sprintf(`A POST without a key must not be sent twice by itself; resilient does not.

report  %s
next    faultsrv observe -- curl -sS --retry 3 {url}
`, filepath.Join(folder, report))
}
