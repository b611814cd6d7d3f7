package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/scenarios"
)

// tokenVariable is the environment variable that the control API's token is
// read from, where no file is named.
const tokenVariable = "FAULTSRV_CONTROL_TOKEN"

// controlOptions are the flags of the serve command about its control API.
type controlOptions struct {
	listen    string
	tokenFile string
	hosts     []string
	sessions  int
	ttl       time.Duration
	where     hostOptions
}

func (o *controlOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.listen, "control", "", "serve the control API on this `HOST:PORT`, such as 127.0.0.1:8504; other machines reach it only with a token")
	flags.StringVar(&o.tokenFile, "control-token-file", "", "the token that the control API asks for is in this `FILE` (default: in "+tokenVariable+", if that is set)")
	flags.StringArrayVar(&o.hosts, "control-host", nil, "the control API may also be called by this host `NAME`; may be repeated")
	flags.IntVar(&o.sessions, "max-sessions", 1000, "there may be this `NUMBER` of sessions at the same time")
	flags.DurationVar(&o.ttl, "session-ttl", time.Hour, "a session lives for this `TIME` after its last use, unless its creator says otherwise")
	o.where.flags(cmd)
}

// check says what is wrong with the flags of a server that speaks this scheme.
func (o *controlOptions) check(cmd *cobra.Command, scheme string) error {
	if o.listen == "" {
		for _, name := range append([]string{"control-token-file", "control-host", "max-sessions", "session-ttl"}, hostFlags...) {
			if cmd.Flags().Changed(name) {
				return fmt.Errorf("--%s: there is no control API that it could be about; add --control 127.0.0.1:8504", name)
			}
		}
		return nil
	}
	if _, err := net.ResolveTCPAddr("tcp", o.listen); err != nil {
		return fmt.Errorf("--control %q: expected HOST:PORT, such as 127.0.0.1:8504: %w", o.listen, err)
	}
	if o.sessions < 1 || o.ttl <= 0 || o.ttl > longestTTL {
		return fmt.Errorf("--max-sessions %d, --session-ttl %v: expected at least one session, and a time up to %v", o.sessions, o.ttl, longestTTL)
	}
	return o.where.check(scheme)
}

// longestTTL is what one may ask for.
const longestTTL = 24 * time.Hour

// token is what the API asks for; empty for nothing. It stands in no message.
func (o *controlOptions) token(env func(string) string) (string, error) {
	if o.tokenFile == "" {
		return env(tokenVariable), nil
	}
	content, err := scenarios.ReadFile(o.tokenFile)
	if err != nil {
		return "", fmt.Errorf("--control-token-file: expected a file that can be read: %w", err)
	}
	token := strings.TrimSpace(string(content))
	if token == "" {
		return "", fmt.Errorf("--control-token-file %s: expected a token, and the file is empty", o.tokenFile)
	}
	return token, nil
}

// controlled is a data listener with its control API.
type controlled struct {
	host   *faultserver.Host
	api    *control.Server
	timers *timers
}

// endGrace is how long requests to the control API may take to be finished, once
// the server ends; those that wait are answered at once.
const endGrace = 5 * time.Second

// startControl serves the API for a host.
func (o *serveOptions) startControl(host *faultserver.Host, log *attemptLog) (*controlled, error) {
	token, err := o.control.token(o.env)
	if err != nil {
		return nil, err
	}
	c := &controlled{host: host, timers: measureTimers()}
	books, err := newLibrary(&o.wanted, c.timers, log.redactor)
	if err == nil {
		options := control.Options{
			Host: host, Resolve: books.resolve, Parse: books.parse, Steps: parseSteps, CheckOutcome: checkOutcome,
			Upstreams: o.upstreams, Token: token, Hosts: o.control.hosts, Seed: o.seed,
			Limits:  control.Limits{Sessions: o.control.sessions, TTL: o.control.ttl},
			Observe: log.observe, RedactAttempt: log.redacted, RedactText: log.redactor.Text,
		}
		o.room.limit(&options.Limits)
		options.OwnTLS = o.tls.on
		err = o.control.where.controlSide(&options, host.Address())
		if err == nil {
			c.api, err = control.Listen(o.control.listen, options)
		}
		if err != nil {
			err = couldNotRun(fmt.Errorf("--control: %w (a token is read from %s, or from a file by --control-token-file)", err, tokenVariable))
		}
	}
	if err != nil {
		c.timers.end()
		return nil, err
	}
	return c, nil
}

// close ends the API, and every session of it.
func (c *controlled) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), endGrace)
	defer cancel()
	err := c.api.Close(ctx)
	c.timers.end()
	return errors.Join(err, c.host.Close())
}
