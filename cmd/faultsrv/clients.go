package main

import (
	"errors"
	"fmt"
	"io/fs"
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
	var all, plain []string
	for known := range clients {
		all = append(all, known)
		if !strings.HasPrefix(known, mutantPrefix) {
			plain = append(plain, known)
		}
	}
	slices.Sort(plain)
	shown := strings.Join(plain, ", ") + " and " + mutantPrefix + "NAME, a client that is wrong on purpose"
	if strings.HasPrefix(name, mutantPrefix) {
		slices.Sort(all)
		shown = strings.Join(all, ", ")
	}
	hint := ""
	if meant := scenarios.Nearest(name, all); meant != "" {
		hint = fmt.Sprintf("; did you mean %q?", meant)
	}
	return nil, fmt.Errorf("unknown client %q%s: built in are %s; any other is judged as a command: faultsrv test -- COMMAND…", name, hint, shown)
}

// commandClient is a command line as a client.
func commandClient(args []string, callTimeout time.Duration) (*command.Subject, error) {
	subject, err := command.New(args, command.Options{CallTimeout: callTimeout})
	switch {
	case err == nil:
		return subject, nil
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrPermission):
		return nil, couldNotRun(err)
	default:
		return nil, err
	}
}
