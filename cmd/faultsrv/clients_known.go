package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/command"
	"github.com/faultsrv/faultsrv/suites/driver"
	"github.com/faultsrv/faultsrv/suites/matrix"
	"github.com/faultsrv/faultsrv/suites/mutants"
	"github.com/faultsrv/faultsrv/suites/profile"
)

// mutantPrefix comes before a mutant's name in --client.
const mutantPrefix = "mutant:"

// A knownClient is one that --client names.
type knownClient struct {
	name, about string
	// breaks are the contracts that a mutant is made to break.
	breaks []string
	// subject is set for a client in Go, profile for any other.
	subject suites.Subject
	profile *profile.Profile
}

// builtIn are the clients that --client names, the mutants last, each part
// sorted by name.
func builtIn() ([]knownClient, error) {
	profiles, err := profile.BuiltIn()
	if err != nil {
		return nil, fmt.Errorf("the built-in profiles: %w", err)
	}
	var known []knownClient
	for _, client := range matrix.GoClients() {
		known = append(known, knownClient{name: client.Subject.Profile().Name, about: client.About, subject: client.Subject})
	}
	for _, p := range profiles {
		known = append(known, knownClient{name: p.Name, about: p.About, profile: &p})
	}
	slices.SortFunc(known, func(a, b knownClient) int { return strings.Compare(a.name, b.name) })
	for _, mutant := range mutants.All() {
		known = append(known, knownClient{
			name: mutantPrefix + mutant.Name, about: mutant.Defect, breaks: mutant.Breaks, subject: mutant.Subject(),
		})
	}
	return known, nil
}

// isMutant tells a client that is wrong on purpose.
func (k knownClient) isMutant() bool { return strings.HasPrefix(k.name, mutantPrefix) }

// findClient is the client that --client names: a built-in one, or the profile of a
// file.
func findClient(name string) (knownClient, error) {
	if isService(name) {
		return knownClient{}, onlyJudged(name)
	}
	if isFile(name) {
		p, err := profile.Load(name)
		if errors.Is(err, fs.ErrNotExist) {
			err = fmt.Errorf("%w; expected the file of a client's profile, or a name that `faultsrv clients list` shows", err)
		}
		if err != nil {
			return knownClient{}, err
		}
		return knownClient{name: name, about: p.About, profile: &p}, nil
	}
	known, err := builtIn()
	if err != nil {
		return knownClient{}, err
	}
	i := slices.IndexFunc(known, func(k knownClient) bool { return k.name == name })
	if i < 0 {
		return knownClient{}, unknownClient(name, known)
	}
	return known[i], nil
}

// isFile tells the path of a profile from a client's name.
func isFile(name string) bool {
	extension := filepath.Ext(name)
	return extension == ".yaml" || extension == ".yml" || strings.ContainsRune(name, filepath.Separator)
}

func unknownClient(name string, known []knownClient) error {
	var all, plain, wrong []string
	for _, k := range known {
		all = append(all, k.name)
		if k.isMutant() {
			wrong = append(wrong, k.name)
		} else {
			plain = append(plain, k.name)
		}
	}
	problem := fmt.Sprintf("unknown client %q", name)
	if meant := scenarios.Nearest(name, all); meant != "" {
		problem += fmt.Sprintf(" (did you mean %q?)", meant)
	}
	problem += fmt.Sprintf(": built in are %s, and %sNAME, which are wrong on purpose; any other client is judged by its profile, --client FILE.yaml, or as a command: faultsrv test -- COMMAND…",
		strings.Join(plain, ", "), mutantPrefix)
	if strings.HasPrefix(name, mutantPrefix) {
		problem += "\nthe names: " + strings.Join(wrong, ", ")
	}
	return errors.New(problem)
}

// open opens the client, so that it can be judged.
func (k knownClient) open(ctx context.Context, callTimeout time.Duration) (profile.Client, error) {
	if k.profile == nil {
		return goClient{k.subject}, nil
	}
	client, err := k.profile.Open(ctx, profile.Options{CallTimeout: callTimeout, Rerun: []string{"faultsrv", "test", "--client", k.name}})
	return client, notRunnable(err)
}

// goClient is a client in Go, which holds nothing between its calls.
type goClient struct{ suites.Subject }

func (goClient) Close() error { return nil }

// Told passes on what the runner asks of those subjects that can answer it: how
// exactly the client is told a policy.
func (c goClient) Told(policy scenarios.Policy) scenarios.Policy {
	if subject, ok := c.Subject.(interface {
		Told(policy scenarios.Policy) scenarios.Policy
	}); ok {
		return subject.Told(policy)
	}
	return policy
}

// Notes implements profile.Client.
func (c goClient) Notes() []string {
	return []string{"it can do or be told: " + capabilityText(c.Profile().Capabilities)}
}

// commandClient is a command line as a client.
func commandClient(args []string, callTimeout time.Duration) (profile.Client, error) {
	subject, err := command.New(args, command.Options{CallTimeout: callTimeout})
	if err != nil {
		return nil, notRunnable(err)
	}
	return commandSubject{subject}, nil
}

// commandSubject is a command, which holds nothing between its calls.
type commandSubject struct{ *command.Subject }

func (commandSubject) Close() error { return nil }

// notRunnable tells a program that is not there from one that is asked for in
// the wrong words.
func notRunnable(err error) error {
	var fault *driver.Fault
	var unfound *exec.Error // a directory, too
	if errors.As(err, &unfound) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) || errors.As(err, &fault) {
		return couldNotRun(err)
	}
	return err
}

// readKnownFailures reads the list of --known-failures; an empty name is none.
func readKnownFailures(file string) (suites.KnownFailures, error) {
	if file == "" {
		return nil, nil
	}
	data, err := scenarios.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("--known-failures: expected a YAML file with a list of {contract, reason, link}: %w", err)
	}
	return suites.ReadKnownFailures(file, data)
}

// commandText is a command line as a shell would take it, its secrets hashed.
func commandText(args []string) string {
	return reports.NewRedactor(reports.Secrets{}).CommandLine(args)
}
