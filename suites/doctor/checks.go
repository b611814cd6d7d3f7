package doctor

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A check is one promise that the path has to keep.
type check struct {
	name, expected string
	// means is what a change does to verdicts, do what to do about it.
	means, do string
	// exchanges is how often it is tried.
	exchanges int
	// together tells that they are made at the same time, since they take long.
	together bool
	// once tells that noise can only make an exchange look worse than it was: one
	// that is right shows that the promise is kept.
	once bool
	// exchange makes one, the i-th, and says what was seen.
	exchange func(ctx context.Context, e *examination, i int) (seen, error)
}

// seen is what one exchange has shown.
type seen struct {
	// got is what came.
	got string
	// right tells that it is what was expected.
	right bool
	// silent tells that something has not come within the patience.
	silent bool
	// remarks are what differs and changes no verdict.
	remarks []string
}

// asExpected is what an exchange shows that came out right.
func asExpected(remarks ...string) seen { return seen{right: true, remarks: remarks} }

// checks is the list, in the order of reports.
var checks = slices.Concat(ends, contents, attempts, times, connections, requests)

// make makes a check's exchanges, and sums them up.
func (e *examination) make(ctx context.Context, c check) Finding {
	results := make([]seen, 0, c.exchanges)
	var failure error
	if c.together {
		results, failure = e.together(ctx, c)
	} else {
		for i := range c.exchanges {
			result, err := c.exchange(ctx, e, i)
			if failure = err; err != nil {
				break
			}
			results = append(results, result)
			// What is silent twice is so again, and there is only so much time.
			if i > 0 && result.silent && results[i-1].silent {
				break
			}
			if c.once && result.right {
				break
			}
		}
	}
	return c.finding(results, failure)
}

// together makes the exchanges at the same time.
func (e *examination) together(ctx context.Context, c check) ([]seen, error) {
	results, failures := make([]seen, c.exchanges), make([]error, c.exchanges)
	var working sync.WaitGroup
	for i := range c.exchanges {
		working.Go(func() { results[i], failures[i] = c.exchange(ctx, e, i) })
	}
	working.Wait()
	if err := errors.Join(failures...); err != nil {
		return nil, err
	}
	return results, nil
}

// finding sums up what the exchanges have shown. One deviation is enough, since
// what was sent was the same each time.
func (c check) finding(results []seen, failure error) Finding {
	f := Finding{Check: c.name, Status: Kept, Expected: c.expected, Got: c.expected, Exchanges: len(results)}
	var remarks []string
	for _, result := range results {
		for _, remark := range result.remarks {
			if !slices.Contains(remarks, remark) {
				remarks = append(remarks, remark)
			}
		}
		if result.right {
			continue
		}
		if f.Deviating == 0 {
			f.Got = result.got
		}
		f.Deviating++
	}
	if c.once && f.Deviating < len(results) {
		f.Deviating, f.Got = 0, c.expected
	}
	switch {
	case f.Deviating > 0:
		f.Status, f.Means, f.Do = Changed, c.means, c.do
	case errors.Is(failure, ErrUnplayable):
		f.Status, f.Got = Impossible, failure.Error()
	case failure != nil:
		f.Status, f.Got = NotJudged, failure.Error()
	case len(remarks) > 0:
		f.Status, f.Got = Noted, strings.Join(remarks, "; ")
	}
	return f
}

// in makes an exchange in a session of its own, on a connection of its own, and
// reports a context that ended in its middle.
func in(ctx context.Context, e *examination, script string, exchange func(Session, *caller) (seen, error)) (seen, error) {
	session, err := e.server.Open(ctx, script)
	if err != nil {
		return seen{}, err
	}
	defer ended(session)
	caller, err := e.dial(ctx)
	if err != nil {
		return seen{}, err
	}
	defer caller.close()
	result, err := exchange(session, caller)
	if ctx.Err() != nil {
		return seen{}, fmt.Errorf("there was not time enough: %w", context.Cause(ctx))
	}
	return result, err
}

// raw is a step that sends pieces as they are, and ends as a word says.
func raw(end string, every time.Duration, pieces ...string) string {
	encoded := make([]string, len(pieces))
	for i, piece := range pieces {
		encoded[i] = base64.RawURLEncoding.EncodeToString([]byte(piece))
	}
	text := "raw:" + strings.Join(encoded, ".") + ":end=" + end
	if every > 0 {
		text += ":every=" + faultserver.FormatDuration(every)
	}
	return text
}
