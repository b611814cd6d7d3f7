package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

const (
	countsLie = "each count of attempts has the path's retries in it: a client that does not retry looks as if it did, and a request that must not be repeated is"
	noRetries = "switch the path's own retries off (nginx: proxy_next_upstream off; HAProxy: retries 0; Envoy and meshes: no retry policy for this route)"
)

// attempts are whether one request stays one.
var attempts = []check{
	{
		name: "one-attempt-on-503", expected: "1 attempt", exchanges: 4, means: countsLie, do: noRetries,
		exchange: func(ctx context.Context, e *examination, i int) (seen, error) {
			return countedOnce(ctx, e, "503", i, e.options.Patience)
		},
	},
	{
		name: "one-attempt-on-reset", expected: "1 attempt", exchanges: 4, means: countsLie, do: noRetries,
		exchange: func(ctx context.Context, e *examination, i int) (seen, error) {
			return countedOnce(ctx, e, "reset", i, e.options.Patience)
		},
	},
	{
		name: "one-attempt-on-reuse", expected: "1 attempt on a connection that was used before", exchanges: 3, means: countsLie, do: noRetries,
		exchange: resetOnReuse,
	},
	{
		name: "one-attempt-on-silence", expected: "1 attempt", exchanges: 2, together: true, means: countsLie, do: noRetries,
		exchange: func(ctx context.Context, e *examination, i int) (seen, error) {
			return countedOnce(ctx, e, "200:delay="+faultserver.FormatDuration(e.options.Silence), i, e.options.Silence+e.options.Patience)
		},
	},
}

// countedOnce makes one request, a GET or a PUT in turns, and counts its attempts.
func countedOnce(ctx context.Context, e *examination, script string, i int, patience time.Duration) (seen, error) {
	return in(ctx, e, script, func(s Session, c *caller) (seen, error) {
		request := e.get(s)
		if i%2 == 1 {
			request = e.put(s)
		}
		c.send(request)
		return e.counted(ctx, s, 1, c.hear(answered, patience))
	})
}

// notReused is what resetOnReuse notes of a path that keeps no connection.
const notReused = "nothing to see: the path reuses no connection"

// resetOnReuse makes a request that is answered, and on the same connection one that
// is reset: some proxies repeat the second, which they take for a connection that had
// gone stale.
func resetOnReuse(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "succeed,reset", func(s Session, c *caller) (seen, error) {
		if _, end := c.ask(e.get(s)); end != whole {
			return seen{right: true, silent: end == silent, remarks: []string{notReused}}, nil // other checks say why
		}
		c.send(e.get(s))
		return e.counted(ctx, s, 2, c.hear(answered, e.options.Patience))
	})
}

// counted compares how many attempts the server has seen with how many requests
// were sent, however the last one ended.
func (e *examination) counted(ctx context.Context, s Session, sent int, end ending) (seen, error) {
	journal, err := s.Journal(ctx, e.options.Patience)
	if err != nil {
		return seen{}, err
	}
	result := seen{silent: end == silent}
	switch extra := len(journal.Attempts) - sent; {
	case extra > 0:
		result.got = fmt.Sprintf("%d attempts for one request", extra+1)
	case len(journal.Attempts) == 0:
		result.got = "no attempt: the request has not arrived"
	case extra < 0:
		result.right, result.remarks = true, []string{notReused}
	default:
		result.right = true
	}
	return result, nil
}
