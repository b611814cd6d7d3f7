package main

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// serveOptions are the flags of the serve command.
type serveOptions struct {
	listen      string
	remote      bool
	script      string
	scenario    string
	wanted      selection
	afterScript *choice
	journal     string
	seed        uint64
	secrets     reports.Secrets
}

func newServe() *cobra.Command {
	o := serveOptions{afterScript: oneOf(
		string(faultserver.FailAfterScript), string(faultserver.RepeatAfterScript), string(faultserver.LoopAfterScript))}
	cmd := &cobra.Command{
		Use:   "serve (--script SCRIPT | --scenario FILE|ID)",
		Short: "Play a script of faults to whoever asks",
		Long: `Listens and plays a script, one step a request, and prints a line for each
attempt when it arrives; another one where what happened is not what the script
intended. It runs until SIGINT, SIGTERM or SIGHUP and then says how many
attempts there were and which steps nobody met.

A script is one line: 503x2,reset,200 answers 503 twice, resets the third
request's connection, and answers 200. A scenario is the script of a contract,
with the calls it is made for; their addresses are printed at the start.

Exit status: 0 it was ended by a signal; 2 wrong usage, script or contract; 3 it
could not listen, or could not write the journal.`,
		Example: `  faultsrv serve --script 503x2,200
  faultsrv serve --script 429:retry-after=1,stall:2s --after-script loop --journal journal.jsonl
  faultsrv serve --scenario body.replay-after-503`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("seed") {
				o.seed = uint64(rand.Uint32())
			}
			return o.run(cmd)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8503", "listen on this `HOST:PORT`; port 0 takes a free one")
	flags.BoolVar(&o.remote, "allow-remote", false, "allow an address that other machines can reach")
	flags.StringVar(&o.script, "script", "", "play this one-line `SCRIPT`")
	flags.StringVar(&o.scenario, "scenario", "", "play the script of a contract: `FILE|ID`, a file that holds no other or an id")
	o.wanted.fromFlag(cmd)
	o.afterScript.flag(cmd, "after-script", "what comes after the script's end: every attempt is answered 500, the last step is repeated, or it starts again; a scenario says so itself")
	flags.StringVar(&o.journal, "journal", "", "write each attempt that has ended to this `FILE`, one line of JSON each; an older file is overwritten")
	flags.Uint64Var(&o.seed, "seed", 0, "what every random draw comes from (default: random)")
	secretFlags(cmd, &o.secrets)
	return cmd
}

func (o *serveOptions) run(cmd *cobra.Command) error {
	config, calls, err := o.config(cmd.Flags().Changed("after-script"))
	if err != nil {
		return err
	}
	address, err := o.address()
	if err != nil {
		return err
	}
	log := newAttemptLog(cmd.OutOrStdout(), reports.NewRedactor(o.secrets))
	if o.journal != "" {
		file, err := os.Create(o.journal)
		if err != nil {
			return couldNotRun(fmt.Errorf("--journal: expected a file that can be written: %w", err))
		}
		log.journal = file
	}
	config.Seed = o.seed
	config.Observe = log.observe
	session, err := faultserver.OpenAt(address, config)
	if err != nil {
		return couldNotRun(errors.Join(fmt.Errorf("--listen: %w", err), log.close()))
	}
	err = greet(cmd.OutOrStdout(), session, calls, o.seed)
	if err == nil {
		err = log.write(cmd.Context())
	}
	err = errors.Join(err, session.Close(), log.close())
	err = errors.Join(err, printText(cmd.OutOrStdout(), farewell(session.Journal())))
	if err != nil {
		return couldNotRun(err)
	}
	return nil
}

// config is the server that was asked for, and the calls it is made for, if any.
func (o *serveOptions) config(override bool) (faultserver.Config, []scenarios.Call, error) {
	var config faultserver.Config
	var calls []scenarios.Call
	switch {
	case (o.script == "") == (o.scenario == ""):
		return config, nil, errors.New("expected either --script, such as --script 503x2,200, or --scenario; see `faultsrv serve --help`")
	case o.script != "":
		steps, err := faultserver.ParseScript(o.script)
		if err != nil {
			return config, nil, fmt.Errorf("--script: %w", err)
		}
		config.Script = steps
		override = true
	default:
		contract, err := o.contract()
		if err != nil {
			return config, nil, err
		}
		config, calls = contract.Config(), contract.Defaulted().Calls
	}
	if override {
		config.AfterScript = faultserver.AfterScript(o.afterScript.value)
	}
	if err := config.Validate(); err != nil {
		return config, nil, fmt.Errorf("the script cannot be played: %w", err)
	}
	return config, calls, nil
}

// contract is the one that --scenario means.
func (o *serveOptions) contract() (*scenarios.Contract, error) {
	if info, err := os.Stat(o.scenario); err == nil && !info.IsDir() {
		contracts, err := scenarios.Load(o.scenario)
		if err != nil {
			return nil, err
		}
		if len(contracts) > 1 {
			var ids []string
			for _, c := range contracts {
				ids = append(ids, c.ID)
			}
			return nil, fmt.Errorf("--scenario: expected a file with one contract, got %d in %s (%s); name one: --contracts-from %s --scenario ID",
				len(contracts), o.scenario, strings.Join(ids, ", "), o.scenario)
		}
		return contracts[0], contracts[0].Runnable()
	}
	o.wanted.patterns = []string{o.scenario}
	contracts, err := o.wanted.chosen()
	if err != nil {
		return nil, fmt.Errorf("--scenario: %w; nor is it a file", err)
	}
	if len(contracts) > 1 {
		return nil, fmt.Errorf("--scenario: expected the id of one contract, got a pattern of %d", len(contracts))
	}
	return contracts[0], contracts[0].Runnable()
}

// address is where to listen, resolved, so that what was checked is what is
// listened on. Whoever reaches the server decides what it answers next.
func (o *serveOptions) address() (string, error) {
	resolved, err := net.ResolveTCPAddr("tcp", o.listen)
	if err != nil {
		return "", fmt.Errorf("--listen %q: expected HOST:PORT, such as 127.0.0.1:8503: %w", o.listen, err)
	}
	if !resolved.IP.IsLoopback() && !o.remote {
		return "", fmt.Errorf("--listen %s: other machines can reach this address, and use up the script: choose a loopback one, such as 127.0.0.1:%d, or add --allow-remote",
			o.listen, resolved.Port)
	}
	return resolved.String(), nil
}

// greet says where the server listens, and where each call goes.
func greet(w io.Writer, session *faultserver.Session, calls []scenarios.Call, seed uint64) error {
	text := fmt.Sprintf("listening on %s, seed %d\n", session.URL(), seed)
	for _, call := range calls {
		tokens := call.Tokens()
		text += fmt.Sprintf("call %s: %s %s", call.Name, call.Method, session.CallURL(tokens[0], call.Path))
		if last := len(tokens) - 1; last > 0 {
			text += fmt.Sprintf(" to %s", session.CallURL(tokens[last], call.Path))
		}
		text += "\n"
	}
	return printText(w, text)
}

// farewell says what became of the script.
func farewell(journal faultserver.Journal) string {
	unscripted := 0
	for _, attempt := range journal.Attempts {
		if attempt.Step.Unscripted {
			unscripted++
		}
	}
	text := fmt.Sprintf("%s, %d beyond the script\n", plural(len(journal.Attempts)+journal.Dropped, "attempt"), unscripted)
	for _, event := range journal.Events {
		text += fmt.Sprintf("no attempt: %s on connection %d: %s\n", event.Kind, event.Connection, visible(event.Detail))
	}
	for _, step := range journal.Unmet {
		text += fmt.Sprintf("nobody met %s\n", step)
	}
	if journal.Dropped > 0 {
		text += fmt.Sprintf("%d entries had no room in the journal\n", journal.Dropped)
	}
	return text
}
