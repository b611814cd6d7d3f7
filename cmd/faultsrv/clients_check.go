package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/driver"
	"github.com/faultsrv/faultsrv/suites/profile"
)

// statusFindings: the driver was checked, and something is wrong with it.
const statusFindings = 1

func newClientsCheck() *cobra.Command {
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "check (FILE | -- COMMAND…)",
		Short: "Tell a driver's author what is wrong with it",
		Long: `Starts a driver, talks with it as a run would, has it call a server, and compares
what it says, and says that it can, with what came. FILE is a profile (.yaml) of
kind driver, or a driver that can be run as it is; a command line goes after --.

Each finding has what was expected, what came, and what to do. The protocol is
described in docs/protocol.md.

Exit status: 0 nothing is wrong; 1 there are findings; 2 wrong usage; 3 the driver
could not be started, or its check was cut short.`,
		Example: `  faultsrv clients check my-client.yaml
  faultsrv clients check -- python3 driver.py`,
		Args: driverArguments,
		RunE: func(cmd *cobra.Command, args []string) error {
			report, err := checkDriver(cmd, args, timeout)
			if err != nil {
				return err
			}
			if err := printText(cmd.OutOrStdout(), findingsText(report)); err != nil {
				return err
			}
			if report.Findings() > 0 {
				return endWith(statusFindings)
			}
			return nil
		},
	}
	cmd.Flags().DurationVar(&timeout, "timeout", suites.DefaultCallTimeout, "how long a call that is not meant to hang may take")
	return cmd
}

// driverArguments asks for one file, or for a command after --.
func driverArguments(cmd *cobra.Command, args []string) error {
	var problem string
	switch dash := cmd.ArgsLenAtDash(); {
	case len(args) == 0:
		problem = "no driver: name its profile or its file, or give a command after --, such as -- python3 driver.py"
	case dash < 0 && len(args) > 1, dash > 0:
		problem = fmt.Sprintf("unexpected argument %q: a driver's own arguments go, with its command, after --", args[min(1, len(args)-1)])
	default:
		return nil
	}
	return fmt.Errorf("%s; see `%s --help`", problem, cmd.CommandPath())
}

func checkDriver(cmd *cobra.Command, args []string, timeout time.Duration) (driver.Report, error) {
	if timeout <= 0 {
		return driver.Report{}, fmt.Errorf("--timeout %v: expected a time above 0, such as 10s", timeout)
	}
	check, err := checkOf(args, cmd.ArgsLenAtDash() >= 0, timeout)
	if err != nil {
		return driver.Report{}, err
	}
	report, err := check(cmd.Context())
	switch cause := context.Cause(cmd.Context()); {
	case cause != nil:
		return report, couldNotRun(fmt.Errorf("the check was cut short: %w", cause))
	case err != nil:
		return report, couldNotRun(err)
	default:
		return report, nil
	}
}

// checkOf is the check of what was named: a command, a profile, or a file that
// can be run.
func checkOf(args []string, command bool, timeout time.Duration) (func(context.Context) (driver.Report, error), error) {
	extension := filepath.Ext(args[0])
	if command || extension != ".yaml" && extension != ".yml" {
		if !command {
			args = []string{asPath(args[0])}
		}
		return func(ctx context.Context) (driver.Report, error) {
			return driver.Check(ctx, args, driver.Options{CallTimeout: timeout})
		}, nil
	}
	loaded, err := profile.Load(args[0])
	if err != nil {
		return nil, err
	}
	if loaded.Kind != profile.Driver {
		return nil, fmt.Errorf("%s is a client of kind %s: only a driver can be checked, since it alone says what it can; judge this one with `faultsrv test --client %s`",
			loaded.Name, loaded.Kind, args[0])
	}
	return func(ctx context.Context) (driver.Report, error) {
		return loaded.Check(ctx, profile.Options{CallTimeout: timeout})
	}, nil
}

// asPath has a file taken for what it is, not for a program on the PATH.
func asPath(file string) string {
	if filepath.Base(file) == file {
		return "." + string(filepath.Separator) + file
	}
	return file
}

// findingsText is what was found, for a reader.
func findingsText(report driver.Report) string {
	var text strings.Builder
	if report.Client.Name != "" {
		fmt.Fprintf(&text, "%s\n", strings.TrimSpace(report.Client.Name+" "+report.Client.Version))
	}
	if report.Language != "" {
		fmt.Fprintf(&text, "in %s\n", report.Language)
	}
	var notMade reasons
	for _, check := range report.Checks {
		switch {
		case len(check.Findings) > 0:
			fmt.Fprintf(&text, "  WRONG  %s\n", check.Name)
		case check.NotMade != "":
			notMade.add(check.NotMade, check.Name)
		default:
			fmt.Fprintf(&text, "  ok     %s\n", check.Name)
		}
		for _, finding := range check.Findings {
			fmt.Fprintf(&text, "           expected  %s\n           came      %s\n           do        %s\n", finding.Expected, finding.Got, finding.Do)
		}
	}
	for _, reason := range notMade {
		fmt.Fprintf(&text, "  not checked, as %s: %s\n", reason.why, strings.Join(reason.names, ", "))
	}
	found := "nothing is wrong"
	if n := report.Findings(); n > 0 {
		found = plural(n, "finding")
	}
	fmt.Fprintf(&text, "%s, %s made\n", found, plural(len(report.Checks)-notMade.names(), "check"))
	return text.String()
}

// reason is why checks were not made, with their names.
type reason struct {
	why   string
	names []string
}

// reasons are in the order of the first check that each kept from being made.
type reasons []reason

func (r *reasons) add(why, name string) {
	for i := range *r {
		if (*r)[i].why == why {
			(*r)[i].names = append((*r)[i].names, name)
			return
		}
	}
	*r = append(*r, reason{why, []string{name}})
}

// names is how many checks there are in all.
func (r *reasons) names() int {
	n := 0
	for _, reason := range *r {
		n += len(reason.names)
	}
	return n
}
