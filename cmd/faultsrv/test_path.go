package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// pathOptions are the flags of the test command about a path that the client is
// judged by.
type pathOptions struct {
	advertise string
	listen    string
	remote    bool
}

func (o *pathOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.advertise, "advertise-url", "",
		"the client reaches the server by this `URL`, the beginning of a path that leads to --listen; the path is examined first, and one that changes faults is refused")
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8503", "with --advertise-url: listen on this `HOST:PORT` for all contracts")
	flags.BoolVar(&o.remote, "allow-remote", false, "with --listen: allow an address that other machines can reach")
}

// check says what is wrong with the flags.
func (o *pathOptions) check(cmd *cobra.Command, service bool) error {
	if o.advertise == "" {
		for _, name := range []string{"listen", "allow-remote"} {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: each contract has a listener of its own; one for all is for a client that reaches it by a path: add --advertise-url URL", name)
			}
		}
		return nil
	}
	if service {
		return fmt.Errorf("--advertise-url: a service asks its upstreams where its own configuration says, and its profile where they listen: "+
			"judge it without, and examine the way to an upstream by `faultsrv serve --control …` and `faultsrv doctor --via %s`", o.advertise)
	}
	if err := doctor.CheckURL(o.advertise); err != nil {
		return fmt.Errorf("--advertise-url %w", err)
	}
	return nil
}

// open listens for all contracts; nil where each has a listener of its own.
func (o *pathOptions) open() (*faultserver.Host, error) {
	if o.advertise == "" {
		return nil, nil //nolint:nilnil // none is asked for
	}
	address, err := listenAddress(o.listen, o.remote, "disturb what is judged")
	if err != nil {
		return nil, err
	}
	host, err := faultserver.Listen(address, faultserver.Advertised(strings.TrimRight(o.advertise, "/")))
	if err != nil {
		return nil, couldNotRun(fmt.Errorf("--listen: %w", err))
	}
	return host, nil
}

// A refusal is why nothing is judged by a path; empty where it may be.
type refusal string

// examined is told what was found of the path.
func (r *refusal) examined(report doctor.Report, err error) {
	switch {
	case err != nil:
		*r = refusal(err.Error() + "\n\n")
	case report.Verdict != doctor.Faithful:
		*r = refusal(doctor.Text(report) + "\n")
	}
}

// render writes a run for people in which every contract was refused for the same
// reason: that reason, and not each contract.
func (r *refusal) render(w io.Writer, run reports.Run) error {
	return printText(w, fmt.Sprintf("%sNothing was judged: %s refused (exit status %d).\n",
		*r, plural(len(run.Results), "contract"), reports.ExitStatus(run)))
}
