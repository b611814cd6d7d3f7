package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/quick"
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
	upstreams   []string
	connections int
	readyFile   string
	tls         tlsOptions
	control     controlOptions
	// env reads an environment variable; empty where it is not set.
	env func(name string) string
	// room is what there is of connections.
	room room
}

func newServe(invoked invocation) *cobra.Command {
	o := serveOptions{env: invoked.env, afterScript: oneOf(
		string(faultserver.FailAfterScript), string(faultserver.RepeatAfterScript), string(faultserver.LoopAfterScript))}
	cmd := &cobra.Command{
		Use:   "serve [--script SCRIPT | --scenario FILE|ID]",
		Short: "Play a script of faults to whoever asks",
		Long: `Listens and plays a script, one step a request, and prints a line for each
attempt when it arrives; another one where what happened is not what the script
intended. It runs until SIGINT, SIGTERM or SIGHUP and then says how many
attempts there were and which steps nobody met.

A script is one line: 503x2,reset,200 answers 503 twice, resets the third
request's connection, and answers 200. A scenario is the script of a contract,
with the calls it is made for; their addresses are printed at the start. Without
either, fixed routes do what their paths say: /status/503, /reset, /delay/2s, …;
or, with an upstream, every attempt is handed on to it.

With --control, sessions are created, watched, changed and judged over HTTP; what
is played here is the one of the paths without /s/…, and is called "default".

Exit status: 0 it was ended by a signal; 2 wrong usage, script or contract; 3 it
could not listen, or could not write the journal.`,
		Example: `  faultsrv serve --script 503x2,200
  faultsrv serve --script 429:retry-after=1,stall:2s --after-script loop --journal journal.jsonl
  faultsrv serve --scenario body.replay-after-503
  faultsrv serve --upstream http://127.0.0.1:9000 --script 503x2,pass:forever
  faultsrv serve --control 127.0.0.1:8504 --ready-file ready.env
  faultsrv serve --tls --ca-out ca.pem --script 503x2,200`,
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
	flags.StringVar(&o.scenario, "scenario", "", "play the script of a contract: `FILE|ID`, a file with one contract, or the id of one")
	o.wanted.fromFlag(cmd)
	o.afterScript.flag(cmd, "after-script", "what comes after the script's end: every attempt is answered 500, the last step is repeated, or it starts again; a scenario says so itself")
	flags.StringVar(&o.journal, "journal", "", "write each attempt that has ended to this `FILE`, one line of JSON each; an older file is overwritten")
	flags.Uint64Var(&o.seed, "seed", 0, "the `NUMBER` that every random draw comes from (default: random)")
	flags.StringArrayVar(&o.upstreams, "upstream", nil,
		"the step pass hands attempts on to this real server, a `URL` such as http://127.0.0.1:9000; may be repeated: sessions of the control API may name any of them, and no other")
	flags.IntVar(&o.connections, "max-connections", 16384, "clients may have this `NUMBER` of connections open at the same time, as far as the process may open files; 0 for no bound of its own")
	flags.StringVar(&o.readyFile, "ready-file", "", "once the server listens, write where to this `FILE`, as lines that a shell can read; it is removed at the end")
	o.tls.flags(cmd)
	o.control.flags(cmd)
	secretFlags(cmd, &o.secrets)
	return cmd
}

func (o *serveOptions) run(cmd *cobra.Command) error {
	if err := o.control.check(cmd, o.tls.scheme()); err != nil {
		return err
	}
	if o.connections < 0 {
		return fmt.Errorf("--max-connections %d: expected a number from 1, or 0 for no bound", o.connections)
	}
	config, calls, err := o.config(cmd.Flags().Changed("after-script"))
	if err != nil {
		return err
	}
	address, err := listenAddress(o.listen, o.remote, "use up the script")
	if err != nil {
		return err
	}
	o.room = roomFor(openFiles(), o.connections, len(o.upstreams) > 0, o.control.listen != "")
	if o.readyFile != "" { // one that was killed has left it
		if err := removeReady(o.readyFile); err != nil {
			return couldNotRun(err)
		}
	}
	log := newAttemptLog(cmd.OutOrStdout(), reports.NewRedactor(o.secrets))
	if o.journal != "" {
		file, err := os.Create(o.journal)
		if err != nil {
			return couldNotRun(fmt.Errorf("--journal: expected a file that can be written: %w", err))
		}
		log.journal = file
	}
	config.ID, config.Seed, config.MaxConnections = defaultSession, o.seed, o.room.clients
	config.TLS = config.TLS || o.tls.on
	if err := o.tls.writeAuthority(config, o.control.listen != ""); err != nil {
		return errors.Join(err, log.close())
	}
	stage, err := o.open(address, config, log)
	if err != nil {
		return errors.Join(err, log.close())
	}
	err = o.play(cmd, stage, calls, log)
	err = errors.Join(err, stage.close(), log.close())
	err = errors.Join(err, printText(cmd.OutOrStdout(), stage.farewell(config.Choose == nil)))
	if err != nil {
		return couldNotRun(err)
	}
	return nil
}

// play serves until the context ends.
func (o *serveOptions) play(cmd *cobra.Command, stage *stage, calls []scenarios.Call, log *attemptLog) error {
	text := stage.greeting(calls, o.seed) + o.room.text(cmd.Flags().Changed("max-connections"))
	if o.script == "" && o.scenario == "" && len(o.upstreams) == 0 {
		text += "there is no script; fixed routes do what their paths say:\n" + quick.List()
	}
	controlURL := ""
	if stage.control != nil {
		controlURL = stage.control.api.URL()
		text += fmt.Sprintf("control API on %s, described by %s/openapi.json\n", controlURL, controlURL)
	}
	if err := printText(cmd.OutOrStdout(), text); err != nil {
		return err
	}
	if o.readyFile == "" {
		return log.write(cmd.Context())
	}
	if err := writeReady(o.readyFile, stage.session.URL(), controlURL, o.tls.caOut); err != nil {
		return err
	}
	return errors.Join(log.write(cmd.Context()), removeReady(o.readyFile))
}

// A stage is the session that is played, and the control API beside it, if one is
// asked for.
type stage struct {
	session *faultserver.Session
	address string // where it listens
	control *controlled
}

// defaultSession is the id by which the control API shows the session that the
// command plays.
const defaultSession = "default"

// headTime is how long a client may be about a request's head, beside a control
// API: whoever shares a server cannot keep it busy with beginnings.
const headTime = 30 * time.Second

// open opens the session, on a listener of its own; or beside a control API on
// one that others share.
func (o *serveOptions) open(address string, config faultserver.Config, log *attemptLog) (*stage, error) {
	config.Observe = log.observe
	if o.control.listen == "" {
		session, err := faultserver.OpenAt(address, config)
		if err != nil {
			return nil, couldNotRun(fmt.Errorf("--listen: %w", err))
		}
		return &stage{session: session, address: session.URL()}, nil
	}
	if len(config.Connections) > 0 {
		return nil, errors.New("--scenario: it strikes at connections, and beside a control API the listener is shared; create it by the API, with own_listener")
	}
	if config.TLS && !o.tls.on {
		return nil, errors.New("--scenario: its server speaks TLS, and beside a control API the listener is shared, and does so only with --tls")
	}
	options, err := o.tls.hostOptions()
	if err != nil {
		return nil, err
	}
	options = append(append(options, o.control.where.dataSide()...), faultserver.Limited(o.room.clients, headTime))
	host, err := faultserver.Listen(address, options...)
	if err != nil {
		return nil, couldNotRun(fmt.Errorf("--listen: %w", err))
	}
	beside, err := o.startControl(host, log)
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	feed := control.NewFeed()
	config.Observe = func(a faultserver.Attempt) {
		log.observe(a)
		beside.api.Attempted(a)
		feed.Observe(a)
	}
	session, err := host.Default(config)
	if err == nil {
		err = beside.api.Adopt(defaultSession, session, feed)
	}
	if err != nil {
		return nil, errors.Join(err, beside.close())
	}
	address = session.URL()
	if o.control.where.base != nil {
		address = o.tls.scheme() + "://" + host.Address()
	}
	return &stage{session, address, beside}, nil
}

func (s *stage) close() error {
	if s.control != nil {
		return s.control.close()
	}
	return s.session.Close()
}

// listenAddress is where to listen, resolved, so that what was checked is what is
// listened on. Whoever reaches the server decides what it answers next; harm is what
// that does.
func listenAddress(listen string, remote bool, harm string) (string, error) {
	resolved, err := net.ResolveTCPAddr("tcp", listen)
	if err != nil {
		return "", fmt.Errorf("--listen %q: expected HOST:PORT, such as 127.0.0.1:8503: %w", listen, err)
	}
	if !resolved.IP.IsLoopback() && !remote {
		return "", fmt.Errorf("--listen %s: other machines can reach this address, and %s: choose a loopback one, such as 127.0.0.1:%d, or add --allow-remote",
			listen, harm, resolved.Port)
	}
	return resolved.String(), nil
}

// greeting says where the server listens, and where each call goes.
func (s *stage) greeting(calls []scenarios.Call, seed uint64) string {
	session := s.session
	text := fmt.Sprintf("listening on %s, seed %d\n", s.address, seed)
	if session.URL() != s.address {
		text += fmt.Sprintf("advertised as %s\n", session.URL())
	}
	for _, call := range calls {
		tokens := call.Tokens()
		text += fmt.Sprintf("call %s: %s %s", call.Name, call.Method, session.CallURL(tokens[0], call.Path))
		if last := len(tokens) - 1; last > 0 {
			text += fmt.Sprintf(" to %s", session.CallURL(tokens[last], call.Path))
		}
		text += "\n"
	}
	return text
}

// farewell says what became of the script, if there was one, and of the sessions
// beside it.
func (s *stage) farewell(scripted bool) string {
	journal := s.session.Journal()
	text := plural(s.session.Attempts(), "attempt")
	if scripted {
		text += fmt.Sprintf(", %d beyond the script", s.session.Unscripted())
	}
	text += "\n"
	for _, event := range journal.Events {
		text += fmt.Sprintf("no attempt: %s on connection %d: %s\n", event.Kind, event.Connection, visible(event.Detail))
	}
	for _, step := range journal.Unmet {
		text += fmt.Sprintf("nobody met %s\n", step)
	}
	if journal.Dropped > 0 {
		text += fmt.Sprintf("%d entries had no room in the journal\n", journal.Dropped)
	}
	if s.control != nil {
		sessions, attempts := s.control.api.Totals()
		text += fmt.Sprintf("%s of the control API, %s in them\n", plural(int(sessions), "session"), plural(int(attempts), "attempt"))
	}
	return text
}
