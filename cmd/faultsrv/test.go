package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/profile"
)

// testOptions are the flags of the test command.
type testOptions struct {
	client   string
	wanted   selection
	failOn   *choice
	known    string
	shard    shard
	path     pathOptions
	format   *choice
	parallel int
	out      string
	seed     uint64
	timeout  time.Duration
	color    *choice
	secrets  reports.Secrets
	bodies   bool
	// host is where all contracts are played, if the client is judged by a path.
	host *faultserver.Host
}

func newTest(invoked invocation) *cobra.Command {
	o := testOptions{
		failOn: oneOf(levelMust, levelShould),
		format: oneOf(formatNames()...),
		color:  oneOf(reports.ColorAuto, reports.ColorAlways, reports.ColorNever),
	}
	cmd := &cobra.Command{
		Use:   "test (--client NAME | --client FILE.yaml [-- COMMAND…] | -- COMMAND…)",
		Short: "Judge a client's retries",
		Long: `Judges a client by the contracts, each against a server of its own, and says
what it keeps and what it breaks.

The client is one that is known by name or by its profile (--client), or a
command that makes one request a run, given after --. The command gets what it
is to do by placeholders in its arguments, and the same values as FAULTSRV_*
variables:

  {url}                          where to send the request (it has to be told)
  {attempts} {retries}           how many requests, the first included or not
  {backoff} {backoff-ms}         the pause before a retry, in whole seconds or ms
  {timeout} {timeout-ms}         the deadline of the whole call
  {attempt-timeout[-ms]}         the deadline of one attempt
  {method} {body-file}           the request's method, and a file with its body
  {header...}                    the headers, with the option before it: -H {header...}
  {output}                       a file to write the answer's body to
  {ca-file}                      a PEM file with the authorities to trust, where the
                                 call is made over TLS; else the argument is left
                                 out, with the option before it: --cacert {ca-file}

With the profile of a service, the command is what starts the service, where it
is not running already, and what is ended in the end.

What a command cannot be told is not held against it: those contracts are
unsupported. A profile (faultsrv clients show curl) tells more of a command:
what its exit statuses mean, what it promises, and what it is known to break.

A client that reaches the server by a path, such as a proxy or a port forward, is
judged by --advertise-url; see 'faultsrv doctor --help'.

A contract that is known to fail (--known-failures, or the client's profile) does
not fail the run; it does so when it passes, so that no list outlives its truth.

Exit status: 0 the client conforms; 1 a contract failed; 2 wrong usage or a
wrong contract, or nothing was judged; 3 the client or the harness could not
run, or the run was cut short. SIGINT, SIGTERM and SIGHUP cut it short: what was
judged by then is printed and written, and marked as partial, and the command's
processes are ended. A second one, and SIGKILL, ends faultsrv at once: nothing is
printed or written, and the command's processes are ended soon after.`,
		Example: `  faultsrv test -- curl -sS --retry {retries} {url}
  faultsrv test --client curl --known-failures known.yaml --format markdown
  faultsrv test --client resilient --level all --fail-on should --out out
  faultsrv test --client nethttp --contracts 'body.*' --contracts connection.a-stale-post-is-not-replayed`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !cmd.Flags().Changed("seed") {
				// 32 bits are as good as 64, and exact in every reader of JSON.
				o.seed = uint64(rand.Uint32())
			}
			return o.run(cmd, args, invoked)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.client, "client", "", "the built-in client `NAME`, as 'faultsrv clients list' names it, or the file of a client's profile, NAME.yaml")
	o.wanted.flags(cmd, levelShould)
	o.failOn.flag(cmd, "fail-on", "what fails the run: a broken must, or also a broken should")
	flags.StringVar(&o.known, "known-failures", "", "contracts that the client is known to break: a YAML `FILE` with a list of {contract, reason, link}")
	o.shard.flags(cmd)
	o.path.flags(cmd)
	o.format.flag(cmd, "format", "how to print the results; progress goes to standard error")
	flags.IntVar(&o.parallel, "parallel", 0, "run at most `N` contracts side by side (default: what the client bears, or 16 for each CPU)")
	flags.StringVar(&o.out, "out", "", outUsage())
	flags.Uint64Var(&o.seed, "seed", 0, "the `NUMBER` that every random draw comes from; the same one gives the same faults (default: random)")
	flags.DurationVar(&o.timeout, "timeout", suites.DefaultCallTimeout, "end a call, and a command's process, after this `TIME`")
	o.color.flag(cmd, "color", "colors in the report; auto means on a terminal, unless NO_COLOR is set")
	flags.BoolVar(&o.bodies, "bodies", false, "keep the first 64 KiB of each request's body in results.json")
	secretFlags(cmd, &o.secrets)
	completeFlag(cmd, "client", completeClients)
	return cmd
}

// longestTimeout bounds --timeout, so that it can be added to.
const longestTimeout = 24 * time.Hour

// check refuses flags that do not fit together.
func (o *testOptions) check(cmd *cobra.Command, args []string) error {
	var problem string
	switch atDash := cmd.ArgsLenAtDash(); {
	case o.client == "" && len(args) == 0:
		problem = "no client: name a built-in one with --client, or give a command after --, such as -- curl -sS --retry {retries} {url}"
	case o.client != "" && len(args) > 0 && !isService(o.client):
		problem = fmt.Sprintf("two clients, %q and the command %q: give --client or a command, not both", o.client, strings.Join(args, " "))
	case len(args) > 0 && atDash != 0:
		problem = fmt.Sprintf("unexpected argument %q: the command to judge goes after --, so that its flags are not taken for ours", args[0])
	case o.parallel < 0, o.parallel == 0 && cmd.Flags().Changed("parallel"):
		problem = fmt.Sprintf("--parallel %d: expected at least 1", o.parallel)
	case o.timeout <= 0, o.timeout > longestTimeout:
		problem = fmt.Sprintf("--timeout %v: expected a time above 0 and up to %v, such as 10s", o.timeout, longestTimeout)
	default:
		return o.path.check(cmd, o.client != "" && isService(o.client))
	}
	return fmt.Errorf("%s; see `%s --help`", problem, cmd.CommandPath())
}

// run reads what is to be judged by what, and has it judged.
func (o *testOptions) run(cmd *cobra.Command, args []string, invoked invocation) error {
	if err := o.check(cmd, args); err != nil {
		return err
	}
	contracts, err := o.wanted.chosen()
	if err != nil {
		return err
	}
	if contracts, err = o.shard.of(contracts); err != nil {
		return err
	}
	known, err := readKnownFailures(o.known)
	if err != nil {
		return err
	}
	if o.host, err = o.path.open(); err != nil {
		return err
	}
	err = o.runWith(cmd, args, invoked, contracts, known)
	if o.host == nil {
		return err
	}
	if closed := o.host.Close(); closed != nil {
		err = couldNotRun(errors.Join(err, fmt.Errorf("stop listening: %w", closed)))
	}
	return err
}

// runWith opens the client, has it judged, and ends it.
func (o *testOptions) runWith(cmd *cobra.Command, args []string, invoked invocation, contracts []*scenarios.Contract, known suites.KnownFailures) error {
	client, err := o.open(cmd.Context(), args)
	if err != nil {
		return err
	}
	if err := o.wanted.check(client, known); err != nil {
		return errors.Join(err, client.Close())
	}
	return alsoClosed(o.judge(cmd, args, invoked, client, contracts, known), client.Close())
}

// alsoClosed is how judging ended, and that the client could not be ended.
func alsoClosed(judged, closed error) error {
	if closed == nil {
		return judged
	}
	return couldNotRun(errors.Join(judged, fmt.Errorf("end the client: %w", closed)))
}

// judge judges the client and tells what it found.
func (o *testOptions) judge(cmd *cobra.Command, args []string, invoked invocation,
	client profile.Client, contracts []*scenarios.Contract, known suites.KnownFailures,
) error {
	screen, err := newScreen(cmd, o.color.value, invoked.env)
	if err != nil {
		return err
	}
	files, err := openOutputs(o.out)
	if err != nil {
		return couldNotRun(err)
	}
	o.announce(cmd, client, len(contracts))
	progress := reports.NewProgress(cmd.ErrOrStderr(), reports.ProgressOptions{
		Contracts: len(contracts), Live: screen.live, Style: screen.progress, FailOn: scenarios.Level(o.failOn.value),
	})
	var refused refusal
	run, err := suites.Judge(cmd.Context(), client, contracts, suites.Options{
		Parallel: o.parallel, CallTimeout: o.timeout, Seed: o.seed, Progress: progress, KnownFailures: known,
		Host: o.host, Examined: refused.examined, Secrets: o.secrets, Bodies: o.bodies, Head: o.head(invoked.args), Rerun: o.rerun(cmd, args),
	})
	progress.Close()
	if err != nil {
		return err
	}
	render := renderer(o.format.value, screen.report)
	if refused != "" && o.format.value == formatText {
		render = refused.render
	}
	return tell(cmd, run, files, render)
}

// open opens the client that was asked for.
func (o *testOptions) open(ctx context.Context, args []string) (profile.Client, error) {
	client, err := o.openNamed(ctx, args)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		return nil, couldNotRun(fmt.Errorf("the run was cut short while the client was started: %w", cause))
	}
	return client, err
}

func (o *testOptions) openNamed(ctx context.Context, args []string) (profile.Client, error) {
	switch {
	case o.client == "":
		return commandClient(args, o.timeout)
	case isService(o.client):
		return openService(ctx, o.client, args, o.timeout)
	}
	known, err := findClient(o.client)
	if err != nil {
		return nil, err
	}
	return known.open(ctx, o.timeout)
}

// announce says, before the run, who is judged by what.
func (o *testOptions) announce(cmd *cobra.Command, client profile.Client, contracts int) {
	about := client.Profile()
	text := fmt.Sprintf("judging %s (%s) by %s, level %s%s, seed %d\n",
		strings.TrimSpace(about.Name+" "+about.Version), about.Kind, plural(contracts, "contract"), o.wanted.level.value, o.shard.text(), o.seed)
	for _, note := range client.Notes() {
		text += "  " + note + "\n"
	}
	if o.host != nil {
		text += fmt.Sprintf("  by the path %s to %s, which is examined first\n", o.host.URL(), o.host.Address())
	}
	cmd.PrintErr(harmless(text))
}

// head is what the results say of the run besides its results.
func (o *testOptions) head(args []string) reports.Run {
	return reports.Run{
		Tool: reports.Tool{Name: "faultsrv", Version: buildOf(version).Version},
		Selection: reports.Selection{
			Patterns: o.wanted.patterns, Level: o.wanted.level.value, FailOn: scenarios.Level(o.failOn.value),
			Shard: o.shard.chosen,
		},
		Meta: reports.Meta{Command: append([]string{"faultsrv"}, args...)},
	}
}

// rerun is the command that judges the client again, with those flags that
// decide what is found, what it means, and what is shown.
func (o *testOptions) rerun(cmd *cobra.Command, args []string) []string {
	again := []string{"faultsrv", "test"}
	if o.client != "" {
		again = append(again, "--client", o.client)
	}
	for _, from := range o.wanted.from {
		again = append(again, "--contracts-from", from)
	}
	for _, name := range []string{"advertise-url", "listen", "allow-remote", "known-failures", "fail-on", "timeout", "seed"} {
		flag := cmd.Flags().Lookup(name)
		switch {
		case !flag.Changed:
		case flag.Value.Type() == "bool":
			again = append(again, "--"+name+"="+flag.Value.String())
		default:
			again = append(again, "--"+name, flag.Value.String())
		}
	}
	for _, header := range o.secrets.Headers {
		again = append(again, "--secret-header", header)
	}
	for _, parameter := range o.secrets.Query {
		again = append(again, "--secret-query", parameter)
	}
	if len(args) > 0 {
		again = append(append(again, "--"), args...)
	}
	return again
}
