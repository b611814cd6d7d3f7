package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// connections are whether the client's connections are the server's.
var connections = []check{
	{
		name: "own-connections", expected: "2 connections with 2 requests each, as sent", exchanges: 2,
		means: "the server's connections are the path's, not the client's: whether the client reuses, pools or leaves connections cannot be seen, and steps for fresh or reused ones strike at random",
		do:    noHTTPProxy, exchange: ownConnections,
	},
	{
		name: "idle-close", expected: "FIN on the idle connection", exchanges: 3,
		means: "the client does not learn that the server has closed an idle connection: contracts about stale connections cannot be judged",
		do:    noHTTPProxy, exchange: idleClose,
	},
	{
		name: "client-leaves", expected: "the server sees the client leave", exchanges: 3, once: true,
		means: "the server does not learn that the client has given up: contracts about cancellation and timeouts see attempts that go on",
		do:    "let the path end its connection to the server with the client's (nginx: proxy_ignore_client_abort off), or " + besideTheServer, exchange: clientLeaves,
	},
}

// ownConnections makes two requests on each of two connections, in turns.
func ownConnections(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "succeed", func(s Session, a *caller) (seen, error) {
		b, err := e.dial(ctx)
		if err != nil {
			return seen{}, err
		}
		defer b.close()
		for i, c := range []*caller{a, b, a, b} {
			r, end := c.ask(e.get(s))
			if end == whole && r.status == 200 {
				continue
			}
			got := e.describeReply(c, r, end)
			if i > 1 {
				got = "on a connection that was used before: " + got
			}
			return seen{got: got, silent: end == silent}, nil
		}
		journal, err := s.Journal(ctx, e.options.Patience)
		if err != nil {
			return seen{}, err
		}
		var on []int
		for _, attempt := range journal.Attempts {
			on = append(on, attempt.Connection)
		}
		if len(on) == 4 && on[0] == on[2] && on[1] == on[3] && on[0] != on[1] {
			return asExpected(), nil
		}
		return seen{got: fmt.Sprintf("requests of connections A B A B on the server's %v", on)}, nil
	})
}

// glimpse is how long an end is looked for that is not waited for: a connection
// that shows none is asked whether it lives.
const glimpse = time.Second

// idleClose has the server close an idle connection. Where the client's still looks
// open, a request on it tells a close that is late from one that is hidden.
func idleClose(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "stale,200", func(s Session, c *caller) (seen, error) {
		if r, end := c.ask(e.get(s)); end != whole || r.status != 200 {
			return seen{got: e.describeReply(c, r, end), silent: end == silent}, nil
		}
		// An attempt of this kind is over when the server has closed the connection.
		if _, err := s.Journal(ctx, e.options.Patience); err != nil {
			return seen{}, err
		}
		switch end := c.hear(nil, glimpse); {
		case end == fin && len(c.heard) == 0:
			return asExpected(), nil
		case end != silent || len(c.heard) > 0:
			return seen{got: e.describe(c.heard, end)}, nil
		}
		r, end := c.ask(e.get(s))
		if end != whole {
			return asExpected(), nil
		}
		return seen{got: fmt.Sprintf("an open connection, whose next request gets %d", r.status)}, nil
	})
}

// clientLeaves closes the client's connection while the server is silent.
func clientLeaves(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "stall", func(s Session, c *caller) (seen, error) {
		c.send(e.get(s))
		arrival, cancel := context.WithTimeout(ctx, e.options.Patience)
		defer cancel()
		err := s.AwaitAttempts(arrival, 1)
		switch {
		case ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded):
			return seen{got: fmt.Sprintf("no attempt within %v", e.options.Patience), silent: true}, nil
		case err != nil:
			return seen{}, err
		}
		c.close()
		journal, err := s.Journal(ctx, e.options.Patience)
		if err != nil {
			return seen{}, err
		}
		for _, attempt := range journal.Attempts {
			if attempt.Open {
				return seen{got: fmt.Sprintf("the server still waits %v later", e.options.Patience), silent: true}, nil
			}
		}
		return asExpected(), nil
	})
}
