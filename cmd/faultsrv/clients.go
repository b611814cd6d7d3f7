package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/nethttp"
	"github.com/faultsrv/faultsrv/suites/clients/resilient"
	"github.com/faultsrv/faultsrv/suites/command"
	"github.com/faultsrv/faultsrv/suites/mutants"
)

// mutantPrefix comes before a mutant's name in --client.
const mutantPrefix = "mutant:"

// builtIn has the clients that --client names, by their names.
func builtIn() map[string]suites.Subject {
	clients := map[string]suites.Subject{
		"resilient": resilient.Client(),
		"nethttp":   nethttp.Client(),
	}
	for _, mutant := range mutants.All() {
		clients[mutantPrefix+mutant.Name] = mutant.Subject()
	}
	return clients
}

// builtInClient is the client that --client names.
func builtInClient(name string) (suites.Subject, error) {
	clients := builtIn()
	if subject, ok := clients[name]; ok {
		return subject, nil
	}
	all := slices.Sorted(maps.Keys(clients))
	problem := fmt.Sprintf("unknown client %q", name)
	if meant := scenarios.Nearest(name, all); meant != "" {
		problem += fmt.Sprintf(" (did you mean %q?)", meant)
	}
	isMutant := func(known string) bool { return strings.HasPrefix(known, mutantPrefix) }
	plain := slices.DeleteFunc(slices.Clone(all), isMutant)
	problem += fmt.Sprintf(": built in are %s, and %sNAME, which are wrong on purpose; any other client is judged as a command: faultsrv test -- COMMAND…",
		strings.Join(plain, ", "), mutantPrefix)
	if isMutant(name) {
		problem += "\nthe names: " + strings.Join(slices.DeleteFunc(all, func(known string) bool { return !isMutant(known) }), ", ")
	}
	return nil, errors.New(problem)
}

// runnerFirst is by how much the runner ends a call before the command's own
// deadline does: only the runner knows whether an attempt was sent, and so whose
// fault it is. Timers measured up to 427 ms late on a busy machine (p99).
const runnerFirst = time.Second

// commandClient is a command line as a client whose calls the runner ends after
// a time.
func commandClient(args []string, callTimeout time.Duration) (*command.Subject, error) {
	subject, err := command.New(args, command.Options{CallTimeout: callTimeout + runnerFirst})
	switch {
	case err == nil:
		return subject, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, couldNotRun(err)
	default:
		return nil, err
	}
}
