package suites

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A teller is a subject that is told a policy less exactly than it was asked,
// such as a command that takes whole seconds.
type teller interface {
	// Told is the policy as the client is really told it.
	Told(policy scenarios.Policy) scenarios.Policy
}

// quietGrace is how long the journal is waited for after the watch, where an
// attempt is still open. A client that has left is noticed by a read, within
// microseconds; 2 s is for a machine that is busy.
const quietGrace = 2 * time.Second

// ackGrace is how long acknowledgements are waited for, which prove to a client
// that tells no status that it had the whole answer: Linux holds one back for
// 200 ms at most.
const ackGrace = 250 * time.Millisecond

// judgeContract runs one contract in a session of its own.
func (r *Running) judgeContract(ctx context.Context, written *scenarios.Contract) reports.Result {
	started := time.Now()
	contract, unfit := r.fit(written.Defaulted())
	asked := contract.Policy.Defaulted(contract.Calls)
	told := asked
	if t, ok := r.subject.(teller); ok {
		told = t.Told(asked)
	}
	evidence := assertions.Evidence{
		Contract:     contract,
		Policy:       r.profile.InForce(told),
		Success:      r.profile.Success,
		Capabilities: r.profile.Capabilities,
	}
	if r.refusal != "" {
		evidence.HarnessError = r.refusal
		return r.result(evidence, assertions.Judge(evidence), "", time.Since(started))
	}
	if unfit == "" && r.options.Host != nil {
		unfit = sharedUnfit(contract)
	}
	if unfit == "" {
		unfit = r.unsupported(contract, evidence.Policy)
	}
	if unfit != "" {
		judgement := assertions.Judgement{Verdict: assertions.Unsupported, Reason: unfit}
		return r.result(evidence, judgement, "", time.Since(started))
	}
	probe := r.lateness.begin()
	server := r.exercise(ctx, contract, asked, &evidence)
	if evidence.HarnessError == "" {
		evidence.HarnessError = r.short.since(started)
	}
	evidence.Lateness = max(evidence.Lateness, r.lateness.read(probe))
	for _, call := range evidence.Calls {
		evidence.Lateness = max(evidence.Lateness, call.Outcome.Starved)
	}
	return r.result(evidence, assertions.Judge(evidence), server, time.Since(started))
}

// unsupported says why the client cannot be judged by a contract; empty where it
// can.
func (r *Running) unsupported(contract *scenarios.Contract, force scenarios.Policy) string {
	if lacking := r.profile.missing(contract.Capabilities()); len(lacking) > 0 {
		return "the client lacks: " + lackingText(lacking)
	}
	if most := r.profile.MaxCalls; most > 0 && callsAtOnce(contract) > most {
		return fmt.Sprintf("the client makes at most %d calls at the same time, and the contract makes %d", most, callsAtOnce(contract))
	}
	if untold := untold(contract, force); len(untold) > 0 {
		return "the client cannot be told, and does not promise: " + strings.Join(untold, ", ")
	}
	return ""
}

// callsAtOnce is how many calls a contract makes at the same time.
func callsAtOnce(contract *scenarios.Contract) int {
	most := 1
	for _, call := range contract.Calls {
		most = max(most, min(call.Parallel, call.Repeat))
	}
	return most
}

// untold are the fields of a contract's policy that shape its stimulus and that
// the client does not follow: it would be judged by what it was never asked.
// Attempts and backoff are not among them: the checks that read them see for
// themselves what is in force. Jitter is, since it is what a contract that has it
// is about, unless it only reports what it sees.
func untold(contract *scenarios.Contract, force scenarios.Policy) []string {
	written := contract.Policy
	var list []string
	for name, missing := range map[string]bool{
		"retry-after-cap":  written.RetryAfterCap != nil && (force.RetryAfterCap == nil || *force.RetryAfterCap > *written.RetryAfterCap),
		"timeouts.attempt": written.Timeouts != nil && written.Timeouts.Attempt > 0 && (force.Timeouts == nil || force.Timeouts.Attempt == 0),
		"timeouts.total":   written.Timeouts != nil && written.Timeouts.Total > 0 && (force.Timeouts == nil || force.Timeouts.Total == 0),
		"backoff.jitter":   contract.Level != scenarios.Observe && jittered(written.Backoff) && !jittered(force.Backoff),
		"breaker":          written.Breaker != nil && force.Breaker == nil,
		"budget":           written.Budget != nil && force.Budget == nil,
		"hedge":            written.Hedge != nil && force.Hedge == nil,
	} {
		if missing {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

func jittered(backoff *scenarios.Backoff) bool {
	return backoff != nil && backoff.Jitter != "" && backoff.Jitter != scenarios.NoJitter
}

// result makes a result of evidence and judgement.
func (r *Running) result(evidence assertions.Evidence, judgement assertions.Judgement, server string, duration time.Duration) reports.Result {
	places := map[string]string{}
	if server != "" {
		places[server] = "{server}"
	}
	return reports.FromEvidence(evidence, judgement, reports.Options{
		Redactor: r.redactor,
		Places:   places,
		Bodies:   r.options.Bodies,
		Rerun:    rerun(r.profile.Rerun, evidence.Contract.ID),
		Duration: duration,
	})
}

// exercise opens the session, makes the calls, watches, and fills the
// evidence. It returns the server's address.
func (r *Running) exercise(ctx context.Context, contract *scenarios.Contract, policy scenarios.Policy, evidence *assertions.Evidence) string {
	config := contract.Config()
	config.ID, config.Seed = contract.ID, r.options.Seed // what random draws come from
	config.Success, config.KeepBodies = r.profile.Success, r.options.Bodies
	stage, err := r.stage(ctx, contract, config)
	if err != nil {
		if isShortage(err) {
			r.short.note(err.Error())
		}
		evidence.HarnessError = fmt.Sprintf("open the session: %v", err)
		return ""
	}
	defer func() {
		if err := stage.Close(); err != nil && evidence.HarnessError == "" {
			evidence.HarnessError = fmt.Sprintf("close the session: %v", err)
		}
	}()

	session := stage.Session()
	clients := &clientPool{opener: stage, policy: policy, shared: contract.Client == scenarios.SharedClient, limit: r.options.CallTimeout + endGrace}
	schedule := &schedule{
		session: session, clients: clients, contract: contract, ownRequests: r.stager() != nil, kind: r.profile.Kind,
		policy: policy, callTimeout: r.options.CallTimeout,
	}
	// No deadline of the context: the client would take it for its caller's.
	calls, end := context.WithCancelCause(ctx)
	defer end(nil)
	bound := time.AfterFunc(r.options.ContractTimeout, func() { end(errOverlong) })
	defer bound.Stop()
	evidence.Calls, evidence.HarnessError, evidence.ClientError = schedule.run(calls)
	if errors.Is(context.Cause(calls), errOverlong) {
		evidence.Unfinished = overlong(r.options.ContractTimeout, len(evidence.Calls), contract.Calls)
	}
	if evidence.HarnessError == "" && evidence.ClientError == "" && evidence.Unfinished == "" {
		evidence.Watched = contract.WatchFor(policy)
		watch(ctx, session, evidence.Watched)
	}
	evidence.Journal = session.Journal()
	r.short.noteIn(evidence.Journal)
	if err := clients.close(); err != nil && evidence.ClientError == "" {
		evidence.ClientError = fmt.Sprintf("close the client: %v", err)
	}
	return session.URL()
}

// errOverlong ends the calls of a contract that takes too long.
var errOverlong = errors.New("the contract's calls take too long")

// overlong says why a contract's calls were not all made.
func overlong(limit time.Duration, made int, calls []scenarios.Call) string {
	asked := 0
	for _, call := range calls {
		asked += call.Repeat
	}
	return fmt.Sprintf("after %v, in call %d of %d, the contract was ended: with pauses or hangs this long the client cannot be judged by it"+
		" (tell it a shorter backoff, leave the contract out, or give it time: ContractTimeout in suites.Options)", limit, made, asked)
}

// watch looks for late attempts for so long, and then until the attempts that
// are still open have ended, so that the journal tells how.
func watch(ctx context.Context, session *faultserver.Session, length time.Duration) {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	ctx, cancel := context.WithTimeout(ctx, quietGrace)
	defer cancel()
	// What is still open then is in the journal as open, and judged so.
	_ = session.AwaitQuiet(ctx)
	ctx, cancel = context.WithTimeout(ctx, ackGrace)
	defer cancel()
	// What is not acknowledged then was not read, and is judged so.
	_ = session.AwaitAcks(ctx)
}

// rerun adds a contract's selection to a command line, before its "--".
func rerun(command []string, id string) []string {
	if len(command) == 0 {
		return nil
	}
	at := slices.Index(command, "--")
	if at < 0 {
		at = len(command)
	}
	return slices.Insert(slices.Clone(command), at, "--contracts", id)
}
