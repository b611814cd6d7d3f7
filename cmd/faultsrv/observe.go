package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/command"
	"github.com/faultsrv/faultsrv/suites/observe"
	"github.com/faultsrv/faultsrv/suites/profile"
)

// observeOptions are the flags of the observe command.
type observeOptions struct {
	client  string
	draft   string
	format  *choice
	timeout time.Duration
	color   *choice
}

func newObserve(invoked invocation) *cobra.Command {
	o := observeOptions{
		format: oneOf("text", "json"),
		color:  oneOf(reports.ColorAuto, reports.ColorAlways, reports.ColorNever),
	}
	cmd := &cobra.Command{
		Use:   "observe (--client NAME | -- COMMAND…)",
		Short: "Say what a client does, without judging it",
		Long: `Says in about ten lines what a client does: how often it sends a request, after
which pauses, which statuses it retries, and what it makes of resets, silence,
cut bodies, Retry-After and POST. It runs the contracts of level observe side by
side, which takes as long as the client's own pauses: ten seconds or so. What is
dangerous is named, with the contract of the catalogue that rules it.

A command is taken as it is, with {url} where the address belongs; the
placeholders of 'faultsrv test' let it be asked for more, such as {method} and
{body-file} for a POST. What it cannot be asked is listed as not observed.

With --profile the command's profile is drafted: a start for 'faultsrv test
--client FILE', to be held to the client's manual.

Exit status: 0 the client was observed, whatever it does; 2 wrong usage, or
nothing could be observed; 3 the client or the harness could not run, or the run
was cut short.`,
		Example: `  faultsrv observe -- curl -sS --retry 3 {url}
  faultsrv observe -- curl -sS --retry 3 -X {method} --data-binary @{body-file} {url}
  faultsrv observe --client resilient --format json
  faultsrv observe --profile wget.yaml -- wget -q -O - --tries 4 {url}`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args, invoked) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.client, "client", "", "the built-in client `NAME`, as 'faultsrv clients list' names it, or the file of a client's profile, NAME.yaml")
	flags.StringVar(&o.draft, "profile", "", "write the draft of the command's profile to this `FILE`; an older file is overwritten")
	o.format.flag(cmd, "format", "how to print what was seen; progress goes to standard error")
	flags.DurationVar(&o.timeout, "timeout", suites.DefaultCallTimeout, "end a call, and a command's process, after this `TIME`")
	o.color.flag(cmd, "color", "colors in the progress; auto means on a terminal, unless NO_COLOR is set")
	completeFlag(cmd, "client", completeClients)
	return cmd
}

// check refuses flags that do not fit together.
func (o *observeOptions) check(cmd *cobra.Command, args []string) error {
	if o.client != "" && o.draft != "" {
		return fmt.Errorf("--profile drafts the profile of a command, and %q is a client that has one; see `faultsrv clients show %s`", o.client, o.client)
	}
	shared := testOptions{client: o.client, timeout: o.timeout}
	return shared.check(cmd, args)
}

// run observes the client and tells what it saw.
func (o *observeOptions) run(cmd *cobra.Command, args []string, invoked invocation) error {
	if err := o.check(cmd, args); err != nil {
		return err
	}
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return fmt.Errorf("the built-in contracts: %w", err)
	}
	screen, err := newScreen(cmd, o.color.value, invoked.env)
	if err != nil {
		return err
	}
	shared := testOptions{client: o.client, timeout: o.timeout}
	client, err := shared.open(cmd.Context(), args)
	if err != nil {
		return err
	}
	run, err := o.observe(cmd, screen, client, observe.Contracts(catalogue), invoked)
	if err != nil {
		return errors.Join(err, client.Close())
	}
	told := observe.Options{CallTimeout: o.timeout}
	if run.Client.Kind == string(profile.Exec) {
		told.TellBy = command.TellBy
	}
	return alsoClosed(o.tell(cmd, args, run, observe.Summarize(run, told)), client.Close())
}

// observe runs the contracts. They wait more than they compute, for the client's
// own pauses, so that all run side by side where the client bears it.
func (o *observeOptions) observe(cmd *cobra.Command, screen screen, client suites.Subject,
	contracts []*scenarios.Contract, invoked invocation,
) (reports.Run, error) {
	about := client.Profile()
	cmd.PrintErrf("observing %s (%s) by %s\n", strings.TrimSpace(about.Name+" "+about.Version), about.Kind, plural(len(contracts), "contract"))
	parallel := about.Parallel
	if parallel == 0 {
		parallel = len(contracts)
	}
	progress := reports.NewProgress(cmd.ErrOrStderr(), reports.ProgressOptions{
		Contracts: len(contracts), Live: screen.live, Style: screen.progress,
	})
	defer progress.Close()
	return suites.Judge(cmd.Context(), client, contracts, suites.Options{
		Parallel: parallel, CallTimeout: o.timeout, Seed: uint64(rand.Uint32()), Progress: progress,
		Head: reports.Run{
			Tool:      reports.Tool{Name: "faultsrv", Version: buildOf(version).Version},
			Selection: reports.Selection{Level: levelAll},
			Meta:      reports.Meta{Command: append([]string{"faultsrv"}, invoked.args...)},
		},
	})
}

// tell writes what was seen: first to the file, then on standard output.
func (o *observeOptions) tell(cmd *cobra.Command, args []string, run reports.Run, summary observe.Summary) error {
	drafted := o.writeDraft(args, summary)
	var printed error
	if o.format.value == "json" {
		printed = printJSON(cmd.OutOrStdout(), summary)
	} else if err := observe.Text(cmd.OutOrStdout(), summary); err != nil {
		printed = unprinted(err)
	}
	if drafted != nil {
		return couldNotRun(errors.Join(drafted, printed))
	}
	if printed != nil {
		return printed
	}
	if run.Meta.Partial {
		cmd.PrintErrf("faultsrv: the run was cut short after %d of %s: %s\n",
			len(run.Results), plural(run.Selection.Contracts, "contract"), run.Meta.PartialReason)
	}
	return endWith(reports.ExitStatus(run))
}

// writeDraft writes the draft of the command's profile where one is asked for.
func (o *observeOptions) writeDraft(args []string, summary observe.Summary) error {
	if o.draft == "" {
		return nil
	}
	var draft strings.Builder
	if err := observe.Draft(&draft, summary, relocated(args, o.draft)); err != nil {
		return err
	}
	if err := writeWhole(o.draft, text(draft.String())); err != nil {
		return fmt.Errorf("--profile: expected a file that can be written: %w", err)
	}
	return nil
}

// relocated is a command as it is started from the folder of a file: a program
// that is named by a relative path is named from there.
func relocated(args []string, file string) []string {
	program := args[0]
	if filepath.Base(program) == program || filepath.IsAbs(program) {
		return args
	}
	from, err := filepath.Abs(filepath.Dir(file))
	if err != nil {
		return args
	}
	to, err := filepath.Abs(program)
	if err != nil {
		return args
	}
	relative, err := filepath.Rel(from, to)
	if err != nil {
		return append([]string{to}, args[1:]...)
	}
	if filepath.Base(relative) == relative {
		relative = "." + string(filepath.Separator) + relative
	}
	return append([]string{relative}, args[1:]...)
}
