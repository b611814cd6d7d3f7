package suites

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// DefaultCallTimeout is how long a call may take before its client is ended.
// No judged contract takes longer than 6 s.
const DefaultCallTimeout = 10 * time.Second

// DefaultContractTimeout is how long the calls of one contract may take together.
// With a client that keeps its policy they take 6 s at most; with one that hangs
// in each of them, ten seconds a call, and the catalogue's longest lists have six.
// What is left is for pauses of the client's own: with a second before each of
// their retries, three hundred calls took half an hour.
const DefaultContractTimeout = 2 * time.Minute

// Options are how a run is made. The zero value is a good run.
type Options struct {
	// Parallel is how many contracts run side by side; 0 means the subject's
	// own number, or sixteen for each CPU: contracts wait more than they compute, and
	// with twelve the catalogue took 7.7 s on 2 cores, with sixteen 6.0 s.
	Parallel int
	// CallTimeout is how long a call may take before its client is ended; 0
	// means DefaultCallTimeout.
	CallTimeout time.Duration
	// ContractTimeout is how long the calls of one contract may take together, before
	// the rest of them is left out and the contract is not-exercised: it says nothing
	// of the client. 0 means DefaultContractTimeout.
	ContractTimeout time.Duration
	// Seed is what every random draw of the run comes from. The same seed gives
	// the same run.
	Seed uint64
	// Progress is told of each contract's start and end; nil for nobody.
	Progress Progress
	// Secrets are what no result shows, beside what reports hides anyway.
	Secrets reports.Secrets
	// KnownFailures are contracts that the client is known to break, beside those
	// that its profile lists.
	KnownFailures KnownFailures
	// Host, if not nil, is where the sessions of all contracts are opened, to be
	// found by the prefix /s/ID, in the place of a listener each. Its URL may be that
	// of a path that leads to it (faultserver.Advertised). The path is examined first
	// (suites/doctor), and where it changes anything every contract's verdict is
	// harness-error; contracts that need a listener of their own are unsupported. It
	// is not for a Stager, whose requests go where it says itself.
	Host *faultserver.Host
	// Examined, if not nil, is told what was found of the Host's path, or why it
	// could not be examined, before the first contract starts. Where all are refused,
	// Progress is not told of each.
	Examined func(doctor.Report, error)
	// Bodies keeps the first 64 KiB of request bodies in the results.
	Bodies bool
	// Rerun is the command that judges this client again, as arguments and
	// without the selection of contracts; nil means the profile's.
	Rerun []string
	// Head is what the run's results begin with: the tool, what was selected,
	// the command line. The runner fills in the client and what it measured.
	Head reports.Run
}

// Progress is told how a run goes. It is called from many goroutines, one call
// at a time.
type Progress interface {
	Started(id string)
	Finished(result reports.Result)
}

// Judge runs the contracts against the subject and gives their results, sorted
// by id. When the context ends before all have run, the run is partial: it has
// the results of those that had ended, and says so. The error is for what
// could not be run at all (a contract that uses what is not built, no contract,
// two with one id); a client that cannot be opened is a verdict.
func Judge(ctx context.Context, subject Subject, contracts []*scenarios.Contract, options Options) (reports.Run, error) {
	run, err := Start(ctx, subject, contracts, options)
	if err != nil {
		return reports.Run{}, err
	}
	return run.Wait(), nil
}

// errNoSubject is what a forgotten client comes to.
var errNoSubject = errors.New("no client to judge: expected a Subject, such as suites.FromRoundTripper makes; got nil")

// A Running is a run in progress.
type Running struct {
	subject  Subject
	profile  Profile
	options  Options
	started  time.Time
	lateness *lateness
	short    shortages
	redactor *reports.Redactor
	known    KnownFailures

	results map[string]*pending
	done    chan struct{}
	// refusal is why nothing can be judged by the way of the Host; empty where it
	// can. It is set before any contract starts.
	refusal string
	// partial says, once done is closed, why the run was cut short.
	partial string
}

// pending is the result of a contract that may not have run yet.
type pending struct {
	contract *scenarios.Contract
	done     chan struct{}
	result   reports.Result
	// ran is false when the run ended before the contract had.
	ran bool
}

// Start begins a run and returns at once; Result and Wait await it.
func Start(ctx context.Context, subject Subject, contracts []*scenarios.Contract, options Options) (*Running, error) {
	if subject == nil {
		return nil, errNoSubject
	}
	if err := runnable(contracts); err != nil {
		return nil, err
	}
	if _, stages := subject.(Stager); stages && options.Host != nil {
		return nil, errOwnAddresses
	}
	profile := subject.Profile()
	if options.Rerun != nil {
		profile.Rerun = options.Rerun
	}
	if options.Parallel <= 0 {
		options.Parallel = profile.Parallel
	}
	if options.Parallel <= 0 {
		options.Parallel = 16 * runtime.GOMAXPROCS(0)
	}
	if limit := profile.MaxCalls; limit > 0 {
		options.Parallel = min(options.Parallel, limit)
	}
	if options.CallTimeout <= 0 {
		options.CallTimeout = DefaultCallTimeout
	}
	if options.ContractTimeout <= 0 {
		options.ContractTimeout = DefaultContractTimeout
	}
	if options.Progress == nil {
		options.Progress = noProgress{}
	}
	r := &Running{
		subject: subject, profile: profile, options: options,
		started: time.Now(), lateness: measureLateness(), redactor: reports.NewRedactor(options.Secrets),
		known:   slices.Concat(profile.KnownFailures, options.KnownFailures),
		results: make(map[string]*pending, len(contracts)), done: make(chan struct{}),
	}
	var beside, alone []*pending
	for _, contract := range contracts {
		p := &pending{contract: contract, done: make(chan struct{})}
		r.results[contract.ID] = p
		// Calls that had to wait for others' would be judged for the wait.
		crowd := profile.MaxCalls > 0 && callsAtOnce(contract) > 1
		if contract.Run == scenarios.RunAlone || crowd {
			alone = append(alone, p)
		} else {
			beside = append(beside, p)
		}
	}
	go r.loop(ctx, beside, alone)
	return r, nil
}

// loop runs the contracts: first those that bear company, longest first, then
// the heavy ones one by one.
func (r *Running) loop(ctx context.Context, beside, alone []*pending) {
	defer close(r.done)
	r.examinePath(ctx)
	// The whole run then takes little longer than its longest contract.
	slices.SortStableFunc(beside, func(a, b *pending) int { return cmp.Compare(b.contract.Takes(), a.contract.Takes()) })
	var progress sync.Mutex
	r.pool(ctx, beside, r.options.Parallel, &progress)
	r.pool(ctx, alone, 1, &progress)
	r.lateness.end()
	// What ended the context when all had been judged has cut nothing short.
	left := func(p *pending) bool { return !p.ran }
	if err := context.Cause(ctx); err != nil && slices.ContainsFunc(slices.Concat(beside, alone), left) {
		r.partial = err.Error()
	}
}

func (r *Running) pool(ctx context.Context, contracts []*pending, workers int, progress *sync.Mutex) {
	queue := make(chan *pending)
	var working sync.WaitGroup
	for range min(workers, len(contracts)) {
		working.Go(func() {
			for p := range queue {
				r.judgeOne(ctx, p, progress)
			}
		})
	}
	for _, p := range contracts {
		queue <- p
	}
	close(queue)
	working.Wait()
}

func (r *Running) judgeOne(ctx context.Context, p *pending, progress *sync.Mutex) {
	defer close(p.done)
	if ctx.Err() != nil {
		return
	}
	// What is refused for all of them is told once, by Options.Examined.
	tells := r.refusal == ""
	if tells {
		progress.Lock()
		r.options.Progress.Started(p.contract.ID)
		progress.Unlock()
	}
	result := r.known.apply(r.judgeContract(ctx, p.contract))
	if ctx.Err() != nil {
		return // what was cut short proves nothing
	}
	p.result, p.ran = result, true
	if tells {
		progress.Lock()
		r.options.Progress.Finished(result)
		progress.Unlock()
	}
}

// Has tells whether the contract is part of the run.
func (r *Running) Has(id string) bool { return r.results[id] != nil }

// Result awaits one contract's result. It is false when the contract is not
// part of the run, or the run ended before it had.
func (r *Running) Result(id string) (reports.Result, bool) {
	p, known := r.results[id]
	if !known {
		return reports.Result{}, false
	}
	<-p.done
	return p.result, p.ran
}

// Wait awaits the whole run.
func (r *Running) Wait() reports.Run {
	<-r.done
	var results []reports.Result
	for _, p := range r.results {
		if p.ran {
			results = append(results, p.result)
		}
	}
	head := r.options.Head
	head.Client = r.client()
	head.Selection.Contracts = len(r.results)
	head.Meta.Started = r.started
	head.Meta.Duration = time.Since(r.started)
	head.Meta.Seed = r.options.Seed
	head.Meta.Partial, head.Meta.PartialReason = r.partial != "", r.partial
	head.Meta.Host = reports.Host{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU()}
	head.Meta.GoVersion = runtime.Version()
	return reports.Assemble(head, results, r.redactor)
}

// client is what the results say of the client.
func (r *Running) client() reports.Client {
	return reports.Client{
		Name: r.profile.Name, Version: r.profile.Version, Language: r.profile.Language, Kind: r.profile.Kind,
		Capabilities: slices.Sorted(slices.Values(r.profile.Capabilities)),
		Promises:     r.profile.Promises,
	}
}

// runnable refuses what cannot be run at all.
func runnable(contracts []*scenarios.Contract) error {
	if len(contracts) == 0 {
		return errors.New("no contract to run: expected at least one; see `faultsrv contracts list`")
	}
	var problems []error
	seen := make(map[string]bool, len(contracts))
	for _, contract := range contracts {
		if seen[contract.ID] {
			problems = append(problems, fmt.Errorf("contract %s: given twice; ids are unique", contract.ID))
		}
		seen[contract.ID] = true
		if err := contract.Runnable(); err != nil {
			problems = append(problems, fmt.Errorf("contract %s: %w", contract.ID, err))
		}
	}
	return errors.Join(problems...)
}

type noProgress struct{}

func (noProgress) Started(string)          {}
func (noProgress) Finished(reports.Result) {}

// lackingText names missing capabilities for a reader.
func lackingText(lacking []scenarios.Capability) string {
	names := make([]string, len(lacking))
	for i, capability := range lacking {
		names[i] = string(capability)
	}
	return strings.Join(names, ", ")
}
