package scenarios

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/faultsrv/faultsrv/faultserver"
)

// serverRules are about whether the server can do what the contract asks.
func serverRules() []Rule {
	return []Rule{
		{"server-can", "the server can perform every step: the act can strike at its point, its answer can be sent, and the step can be reached", serverCan},
		{"script-given", "every call has a script, its own or the contract's, or every connection is struck", scriptGiven},
		{"parallel-needs-own-script", "calls side by side take the steps of a shared script in any order: they need scripts of their own, or steps that are all alike", parallelNeedsOwnScript},
		{"parallel-within-repeat", "no more repeats run side by side than there are", parallelWithinRepeat},
		{"connection-steps-alone", "connections are struck in order, so each call needs a client of its own, and no calls may run side by side", connectionStepsAlone},
	}
}

func serverCan(r *report) {
	for _, problem := range r.contract.serverProblems() {
		if errors.Is(problem, faultserver.ErrUnbuilt) || errors.Is(problem, faultserver.ErrPlatform) {
			continue // another version, or another machine, can
		}
		path, message := r.contract.stepPath(problem.Error())
		r.at(path, "%s", message)
	}
}

// serverProblems are what the server says against the contract, each repeated
// call but once.
func (c *Contract) serverProblems() []error {
	once := *c
	once.Calls = slices.Clone(c.Calls)
	for i := range once.Calls {
		once.Calls[i].Repeat = 1
	}
	var joined interface{ Unwrap() []error }
	if err := once.Config().Validate(); errors.As(err, &joined) {
		return joined.Unwrap()
	}
	return nil
}

// serverPlace is how the server names a step.
var serverPlace = regexp.MustCompile(`^(?:(script|connections)|call ([^ :]+)): step ([0-9]+)[,:] `)

// stepPath splits what the server says of a step into the step's path and the rest.
func (c *Contract) stepPath(problem string) (path, rest string) {
	match := serverPlace.FindStringSubmatch(problem)
	if match == nil {
		return "script", problem
	}
	path = match[1]
	if name := match[2]; name != "" {
		i := slices.IndexFunc(c.Defaulted().Calls, func(call Call) bool { return call.Name == name })
		path = itemPath("calls", i) + ".script"
	}
	number, _ := strconv.Atoi(match[3])
	return itemPath(path, number-1), problem[len(match[0]):]
}

func scriptGiven(r *report) {
	for i, call := range r.filled.Calls {
		if len(call.Script) == 0 && len(r.filled.Script) == 0 && len(r.filled.Connections) == 0 {
			r.at(itemPath("calls", i), "the call %s has no script, so that its first attempt would be one too many; expected script: […] in it or in the contract", call.Name)
		}
	}
}

func parallelNeedsOwnScript(r *report) {
	for i, call := range r.filled.Calls {
		if call.Parallel <= 1 || call.Script != nil {
			continue
		}
		for j, step := range r.filled.Script {
			if step.When == (faultserver.When{}) && !reflect.DeepEqual(unplaced(step), unplaced(r.filled.Script[0])) {
				r.at(itemPath("calls", i)+".parallel", "repeats side by side would take the steps of the shared script in any order, and step %d differs from step 1; give the call a script", j+1)
				break
			}
		}
	}
}

// unplaced is a step without what does not matter to which attempt takes it.
func unplaced(step faultserver.Step) faultserver.Step {
	step.Times, step.Optional, step.Note = 0, false, ""
	return step
}

func parallelWithinRepeat(r *report) {
	for i, call := range r.filled.Calls {
		if call.Parallel > call.Repeat {
			r.at(itemPath("calls", i)+".parallel", "expected at most the %d repeats of the call; got %d", call.Repeat, call.Parallel)
		}
	}
}

func connectionStepsAlone(r *report) {
	if len(r.filled.Connections) == 0 {
		return
	}
	if r.filled.Client == SharedClient {
		r.at("connections", "a pool decides when a shared client connects, so the steps would strike any call; expected client: fresh")
	}
	for i, call := range r.filled.Calls {
		if call.Parallel > 1 {
			r.at(itemPath("calls", i)+".parallel", "connections of calls side by side come in any order, so the steps would strike any of them; expected no parallel")
		}
	}
}
