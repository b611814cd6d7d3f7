package matrix

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// A Judged is an entrant's run, or why there is none.
type Judged struct {
	Entrant Entrant
	Run     reports.Run
	Err     error
	// Took is how long it was.
	Took time.Duration
}

// JudgeAll has the entrants judged by the contracts, so many side by side, and tells
// of each as it is done, one at a time. When the context ends, those that were not
// judged by then are told of with its cause.
//
// Contracts wait more than they compute, and a client that makes one call at a time
// waits alone: three side by side share the number of contracts that one would have.
func JudgeAll(ctx context.Context, entrants []Entrant, contracts []*scenarios.Contract, options suites.Options, sideBySide int, done func(Judged)) {
	if options.Parallel <= 0 && sideBySide > 1 {
		options.Parallel = max(1, 12*runtime.GOMAXPROCS(0)/sideBySide)
	}
	queue := make(chan Entrant)
	var working sync.WaitGroup
	var telling sync.Mutex
	for range min(sideBySide, len(entrants)) {
		working.Go(func() {
			for entrant := range queue {
				began := time.Now()
				run, err := entrant.Judge(ctx, contracts, options)
				if cause := context.Cause(ctx); cause != nil {
					err = fmt.Errorf("%s was not judged to the end: %w", entrant.Name, cause)
				}
				telling.Lock()
				done(Judged{entrant, run, err, time.Since(began)})
				telling.Unlock()
			}
		})
	}
	for _, entrant := range entrants {
		queue <- entrant
	}
	close(queue)
	working.Wait()
}

// Judge has the entrant judged by the contracts. The error says that it could not
// be started or ended, or that its known failures contradict the contracts.
//
// A contract for which the machine was too busy has no verdict (harness-error): what
// measures the machine's timers has declared the measurement void, whatever the
// client did. It is measured once more, with nothing beside it, and then stays what
// it is. A verdict is never asked for twice.
func (e Entrant) Judge(ctx context.Context, contracts []*scenarios.Contract, options suites.Options) (run reports.Run, err error) {
	subject, closes, err := e.open(ctx)
	if err != nil {
		return reports.Run{}, fmt.Errorf("%s cannot be started: %w", e.Name, err)
	}
	if closes != nil {
		defer func() {
			if closed := closes(); closed != nil {
				err = errors.Join(err, fmt.Errorf("%s cannot be ended: %w", e.Name, closed))
			}
		}()
	}
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return reports.Run{}, fmt.Errorf("the built-in contracts: %w", err)
	}
	if err := suites.CheckKnownFailures(subject, nil, catalogue); err != nil {
		return reports.Run{}, fmt.Errorf("%s: %w", e.Name, err)
	}
	run, err = suites.Judge(ctx, subject, contracts, options)
	if err != nil || run.Meta.Partial {
		return run, err
	}
	return again(ctx, subject, contracts, options, run)
}

// again measures what was void, by itself.
func again(ctx context.Context, subject suites.Subject, contracts []*scenarios.Contract, options suites.Options, run reports.Run) (reports.Run, error) {
	void := slices.DeleteFunc(slices.Clone(contracts), func(c *scenarios.Contract) bool {
		return !slices.ContainsFunc(run.Results, func(r reports.Result) bool { return r.ID == c.ID && r.Verdict == assertions.HarnessError })
	})
	if len(void) == 0 {
		return run, nil
	}
	options.Parallel = 1
	second, err := suites.Judge(ctx, subject, void, options)
	if err != nil || second.Meta.Partial {
		return run, err
	}
	results := slices.Clone(run.Results)
	for i, result := range results {
		if at := slices.IndexFunc(second.Results, func(r reports.Result) bool { return r.ID == result.ID }); at >= 0 {
			results[i] = second.Results[at]
		}
	}
	return reports.Assemble(run, results, reports.NewRedactor(options.Secrets)), nil
}
