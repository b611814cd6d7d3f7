package doctor

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Options are how an examination is made. The zero value is a good one.
type Options struct {
	// Silence is how long the server is silent where the check "silence" waits it
	// through; 0 means DefaultSilence. What a path does after a longer one is not
	// found out.
	Silence time.Duration
	// Patience is how long an answer, and each other thing that has to come, is
	// waited for; 0 means DefaultPatience.
	Patience time.Duration
}

const (
	// DefaultSilence is as long as the longest judged contract may take.
	DefaultSilence = 6 * time.Second
	// DefaultPatience is how long something that has to come is waited for. (An
	// exchange on one machine takes less than 10 ms; at a load of 60 on two cores the
	// latest of 3,000 entries of a journal came after 253 ms.)
	DefaultPatience = 6 * time.Second
	// spare is what an examination may take beside its longest check.
	spare = 2 * time.Second
)

// Limit is the most time that an examination takes: 20 s unless the options ask for
// longer waits. A check that is not done by then is not judged.
func (o Options) Limit() time.Duration {
	o = o.defaulted()
	return o.Silence + 2*o.Patience + spare
}

func (o Options) defaulted() Options {
	if o.Silence <= 0 {
		o.Silence = DefaultSilence
	}
	if o.Patience <= 0 {
		o.Patience = DefaultPatience
	}
	return o
}

// ErrNoPath is matched by the error of an examination whose path does not lead to
// the server, so that there is nothing to examine.
var ErrNoPath = errors.New("the path does not lead to the fault server")

// examination is one in progress.
type examination struct {
	server  Server
	options Options
	// address is where connections go, host what requests name, prefix what their
	// paths begin with.
	address, host, prefix string
}

// CheckURL says what is wrong with the URL of a path: it is a base URL of plain
// HTTP, since bytes and ends of connections are looked at as they are.
func CheckURL(via string) error {
	_, err := begin(via)
	return err
}

// begin reads where a path begins.
func begin(via string) (*examination, error) {
	const form = "expected http://HOST:PORT, and a path where the way to the server has one"
	parsed, err := url.Parse(via)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%q: %s: %w", via, form, err)
	case parsed.Scheme == "https":
		return nil, fmt.Errorf("%q: %s; through TLS neither RST and FIN nor bytes can be compared: examine the plain part of the way, behind what ends TLS", via, form)
	case parsed.Scheme != "http" || parsed.Hostname() == "" || parsed.Opaque != "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "":
		return nil, fmt.Errorf("%q: %s", via, form)
	}
	port := cmp.Or(parsed.Port(), "80")
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return nil, fmt.Errorf("%q: %s; a port is at most 65535", via, form)
	}
	return &examination{
		address: net.JoinHostPort(parsed.Hostname(), port), host: parsed.Host,
		prefix: strings.TrimRight(parsed.EscapedPath(), "/"),
	}, nil
}

// Examine finds out what the path that begins at a URL, http://host:port, makes of
// what a server sends and of what a client sends. The error matches ErrNoPath where
// the path does not lead to the server; else it is the context's, or that of a
// server that could not be driven.
func Examine(ctx context.Context, server Server, via string, options Options) (Report, error) {
	e, err := begin(via)
	if err != nil {
		return Report{}, err
	}
	e.server, e.options = server, options.defaulted()
	limited, cancel := context.WithTimeout(ctx, e.options.Limit())
	defer cancel()
	if err := e.reach(limited, via); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return Report{}, err
	}
	findings := make([]Finding, len(checks))
	var working sync.WaitGroup
	for i, check := range checks {
		working.Go(func() { findings[i] = e.make(limited, check) })
	}
	working.Wait()
	if ctx.Err() != nil {
		return Report{}, context.Cause(ctx)
	}
	return Report{Format: reportFormat, Via: via, Verdict: verdictOf(findings), Checks: findings}, nil
}

// reach makes one plain exchange: does the path lead to this server?
func (e *examination) reach(ctx context.Context, via string) error {
	token := rand.Text()
	script := raw("keep", 0, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", len(token), token))
	session, err := e.server.Open(ctx, script)
	if err != nil {
		return fmt.Errorf("open a session on the server: %w", err)
	}
	defer ended(session)
	caller, err := e.dial(ctx)
	if err != nil {
		return fmt.Errorf("%w: nobody takes a connection at %s: %w", ErrNoPath, e.address, err)
	}
	defer caller.close()
	answer, end := caller.ask(e.get(session))
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if end == whole && answer.status == 200 && string(answer.body) == token {
		return nil
	}
	got := e.describe(caller.heard, end)
	if end == whole {
		got = strings.TrimPrefix(answer.line, "HTTP/1.1 ")
	}
	journal, err := session.Journal(ctx, 0)
	switch {
	case err != nil:
		return fmt.Errorf("read the server's journal: %w", err)
	case len(journal.Attempts) == 0:
		return fmt.Errorf("%w: a request to %s/s/%s/ gets %s, and the server has not seen it; is another server there, or does the path rewrite request paths (it has to pass /s/… on as it is)?",
			ErrNoPath, strings.TrimRight(via, "/"), session.ID(), got)
	}
	return fmt.Errorf("%w: the server has seen a request through %s and answered it with 200, and what arrives is %s: not even a plain answer comes through", ErrNoPath, via, got)
}

// ended ends a session. One that cannot be ended expires.
func ended(s Session) { _ = s.Close() }
