package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver/control/client"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// controlVariable is the environment variable that the control API's address is
// read from, as a ready file has it.
const controlVariable = "FAULTSRV_CONTROL"

// controlPort is where the control API is looked for on the path's host.
const controlPort = "8504"

// doctorOptions are the flags of the doctor command.
type doctorOptions struct {
	via     string
	control string
	token   controlOptions
	format  *choice
	silence time.Duration
}

func newDoctor(invoked invocation) *cobra.Command {
	o := doctorOptions{format: oneOf(formatText, "json")}
	cmd := &cobra.Command{
		Use:   "doctor --via URL [--control URL]",
		Short: "Tell what a path between a client and the fault server changes",
		Long: `Tells whether what a fault server sends arrives through a path (a proxy, a mesh, a
NAT, a port forward), and what the client sends at the server: RST as RST, FIN as
FIN, cut bodies cut, bytes as they are, one request as one attempt, nothing early,
nothing held back, the client's connections as its own.

It is run where the client runs. The server is one that 'faultsrv serve' started
with --control; it is reached by --via, and the control API beside the path.
Each fault is played several times, in sessions that are deleted afterwards. It
takes little longer than --silence, and at most 14 s longer.

Exit status: 0 the path changes no fault; 1 it does, and each change is named; 2
wrong usage; 3 the server could not be reached or driven, or a check could not be
made.`,
		Example: `  faultsrv doctor --via http://127.0.0.1:8503
  faultsrv doctor --via http://faults.example:8080 --control http://127.0.0.1:8504
  faultsrv doctor --via http://faults.example --silence 1m --format json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd, invoked.env) },
	}
	flags := cmd.Flags()
	flags.StringVar(&o.via, "via", "", "the `URL` by which the client reaches the server, such as http://faults.example:8080")
	flags.StringVar(&o.control, "control", "", "the `URL` of the server's control API (default: in "+controlVariable+", or port "+controlPort+" of the host of --via)")
	flags.StringVar(&o.token.tokenFile, "control-token-file", "", "the control API's token is in this `FILE` (default: in "+tokenVariable+", if that is set)")
	flags.DurationVar(&o.silence, "silence", doctor.DefaultSilence, "the longest silence of the server that the path has to wait through, a `TIME`")
	o.format.flag(cmd, "format", "how to print what was found")
	return cmd
}

// longestSilence is how long a silence may be asked for: far above what paths wait
// for by default, mostly 15 s to 60 s.
const longestSilence = 2 * time.Minute

func (o *doctorOptions) run(cmd *cobra.Command, env func(string) string) error {
	if o.via == "" {
		return fmt.Errorf("no path to examine: give the URL by which the client reaches the server, such as --via http://127.0.0.1:8503; see `%s --help`", cmd.CommandPath())
	}
	if err := doctor.CheckURL(o.via); err != nil {
		return fmt.Errorf("--via %w", err)
	}
	if o.silence < time.Millisecond || o.silence > longestSilence {
		return fmt.Errorf("--silence %v: expected a time from 1ms to %v", o.silence, longestSilence)
	}
	base, err := o.controlURL(env)
	if err != nil {
		return err
	}
	token, err := o.token.token(env)
	if err != nil {
		return err
	}
	server := doctor.OverControl(client.New(base, client.WithToken(token)))
	report, err := doctor.Examine(cmd.Context(), server, o.via, doctor.Options{Silence: o.silence})
	if err != nil {
		return couldNotRun(explainControl(err, base))
	}
	if o.format.value != formatText {
		err = printJSON(cmd.OutOrStdout(), report)
	} else {
		err = printText(cmd.OutOrStdout(), doctor.Text(report))
	}
	if err != nil {
		return err
	}
	return endWith(doctorStatuses[report.Verdict])
}

// doctorStatuses are the exit statuses of what was found.
var doctorStatuses = map[doctor.Verdict]int{doctor.Faithful: statusDone, doctor.Unfaithful: 1, doctor.Incomplete: statusCouldNotRun}

// controlURL is where the control API is: as told, else on the path's host.
func (o *doctorOptions) controlURL(env func(string) string) (string, error) {
	text := cmp.Or(o.control, env(controlVariable))
	if text == "" {
		via, err := url.Parse(o.via)
		if err != nil {
			return "", err // it was checked before
		}
		return "http://" + net.JoinHostPort(via.Hostname(), controlPort), nil
	}
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" {
		name := "--control"
		if o.control == "" {
			name = controlVariable
		}
		return "", fmt.Errorf("%s %q: expected the base URL of the control API, such as http://127.0.0.1:%s", name, text, controlPort)
	}
	return strings.TrimRight(text, "/"), nil
}

// explainControl says what to do where the control API could not be used.
func explainControl(err error, base string) error {
	var ended signalError
	if errors.Is(err, doctor.ErrNoPath) || errors.As(err, &ended) {
		return err
	}
	var problem *client.Problem
	var failed *url.Error
	switch {
	case errors.As(err, &problem) && problem.Type != "":
		return fmt.Errorf("the control API at %s: %w (a token is read from %s, or from a file by --control-token-file)", base, err, tokenVariable)
	case errors.As(err, &problem):
		return fmt.Errorf("at %s something answers that is no control API: %w; name it with --control", base, err)
	case errors.As(err, &failed):
		return fmt.Errorf("the control API is not at %s: %w; start the server with `faultsrv serve --control …`, and name where it is with --control; it need not be reached by the path", base, err)
	}
	return fmt.Errorf("the control API at %s: %w", base, err)
}
