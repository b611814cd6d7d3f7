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
// A contract for which the machine was too busy has no verdict (harness-error): what
// measures the machine's timers has declared the measurement void, whatever the
// client did. It is measured once more, when all others have been judged and nothing
// runs beside it, and then stays what it is. A verdict is never asked for twice.
//
// Contracts wait more than they compute, and a client that makes one call at a time
// waits alone: those side by side share a dozen contracts for each CPU, a little less
// than one client would have, since most of them bring a process along.
func JudgeAll(ctx context.Context, entrants []Entrant, contracts []*scenarios.Contract, options suites.Options, sideBySide int, done func(Judged)) {
	if options.Parallel <= 0 && sideBySide > 1 {
		options.Parallel = max(1, 12*runtime.GOMAXPROCS(0)/sideBySide)
	}
	queue := make(chan Entrant)
	var working sync.WaitGroup
	var telling sync.Mutex
	var void []Judged
	for range min(sideBySide, len(entrants)) {
		working.Go(func() {
			for entrant := range queue {
				judged := entrant.judged(ctx, contracts, options)
				telling.Lock()
				if judged.Err == nil && len(voidOf(judged.Run, contracts)) > 0 {
					void = append(void, judged)
				} else {
					done(judged)
				}
				telling.Unlock()
			}
		})
	}
	for _, entrant := range entrants {
		queue <- entrant
	}
	close(queue)
	working.Wait()
	for _, judged := range void {
		done(judged.again(ctx, contracts, options))
	}
}

// judged is what becomes of an entrant. What was cut short is none.
func (e Entrant) judged(ctx context.Context, contracts []*scenarios.Contract, options suites.Options) Judged {
	began := time.Now()
	run, err := e.Judge(ctx, contracts, options)
	if cause := context.Cause(ctx); cause != nil {
		err = fmt.Errorf("%s was not judged to the end: %w", e.Name, cause)
	}
	return Judged{e, run, err, time.Since(began)}
}

// voidOf are the contracts for which the machine was too busy.
func voidOf(run reports.Run, contracts []*scenarios.Contract) []*scenarios.Contract {
	return slices.DeleteFunc(slices.Clone(contracts), func(c *scenarios.Contract) bool {
		return !slices.ContainsFunc(run.Results, func(r reports.Result) bool { return r.ID == c.ID && r.Verdict == assertions.HarnessError })
	})
}

// again is the run with what was void measured once more, one contract at a time.
func (j Judged) again(ctx context.Context, contracts []*scenarios.Contract, options suites.Options) Judged {
	options.Parallel = 1
	second := j.Entrant.judged(ctx, voidOf(j.Run, contracts), options)
	j.Took += second.Took
	if second.Err != nil {
		j.Err = second.Err
		return j
	}
	results := slices.Clone(j.Run.Results)
	for i, result := range results {
		if at := slices.IndexFunc(second.Run.Results, func(r reports.Result) bool { return r.ID == result.ID }); at >= 0 {
			results[i] = second.Run.Results[at]
		}
	}
	j.Run = reports.Assemble(j.Run, results, reports.NewRedactor(options.Secrets))
	return j
}

// Judge has the entrant judged by the contracts. The error says that it could not
// be started or ended, or that its known failures contradict the contracts.
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
	return suites.Judge(ctx, subject, contracts, options)
}
