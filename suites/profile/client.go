package profile

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/command"
	"github.com/faultsrv/faultsrv/suites/driver"
)

// Options say what a profile does not.
type Options struct {
	// CallTimeout ends a call that has not returned; 0 means the default of the
	// client's kind.
	CallTimeout time.Duration
	// Rerun is the command that judges the client again; nil means none.
	Rerun []string
}

// A Client is a client under test that was made of a profile. It has to be
// closed.
type Client interface {
	suites.Subject
	// Notes say, a sentence each, what it can be judged by and what not.
	Notes() []string
	// Close ends what it runs.
	Close() error
}

// Open makes a client of the profile, and finds its version. The error matches
// exec.ErrNotFound, fs.ErrNotExist or fs.ErrPermission where the command cannot
// be run, such as when it is not installed.
func (p Profile) Open(ctx context.Context, options Options) (Client, error) {
	if p.Kind == Driver {
		return p.openDriver(ctx, options)
	}
	return p.openCommand(options)
}

// commandClient holds nothing between its calls.
type commandClient struct{ *command.Subject }

func (commandClient) Close() error { return nil }

func (p Profile) openCommand(options Options) (Client, error) {
	told := command.Options{
		Name: p.Name, Dir: p.dir, CallTimeout: options.CallTimeout, Reads: p.Reads, Answers: p.answers(), ExitKinds: p.errorKinds(),
		Amend: func(profile *suites.Profile) { p.amend(profile, options.Rerun) },
	}
	var err error
	if v := p.Version; v != nil {
		told.VersionCommand = v.Command
		if v.Match != "" {
			if told.VersionPattern, err = regexp.Compile(v.Match); err != nil {
				return nil, fmt.Errorf("profile %s: version.match: %w", p.Name, err)
			}
		}
	}
	if s := p.Status; s != nil {
		told.Status = &command.StatusSource{From: s.From}
		if told.Status.Pattern, err = regexp.Compile(s.Match); err != nil {
			return nil, fmt.Errorf("profile %s: status.match: %w", p.Name, err)
		}
	}
	subject, err := command.New(p.Command, told)
	if err != nil {
		return nil, err
	}
	return commandClient{subject}, nil
}

// driverClient is a driver by its profile's name, and with what its profile
// says of it.
type driverClient struct {
	*driver.Subject

	profile suites.Profile
	cannot  []scenarios.Capability
}

func (p Profile) openDriver(ctx context.Context, options Options) (Client, error) {
	subject, err := driver.New(ctx, p.Command, driver.Options{CallTimeout: options.CallTimeout, Dir: p.dir})
	if err != nil {
		return nil, err
	}
	client := driverClient{Subject: subject, profile: subject.Profile(), cannot: p.Cannot}
	p.amend(&client.profile, options.Rerun)
	return client, nil
}

// Profile implements suites.Subject.
func (c driverClient) Profile() suites.Profile { return c.profile }

// Notes implements Client.
func (c driverClient) Notes() []string {
	notes := c.Subject.Notes()
	for _, capability := range c.cannot {
		notes = append(notes, fmt.Sprintf("not %s: its profile says that it cannot", capability))
	}
	return notes
}

// amend changes what is known of the client by what its profile says of it.
func (p Profile) amend(known *suites.Profile, rerun []string) {
	known.Name = p.Name
	known.Capabilities = slices.DeleteFunc(slices.Clone(known.Capabilities), func(capability scenarios.Capability) bool {
		return slices.Contains(p.Cannot, capability)
	})
	if p.Promises != nil {
		known.Promises = p.Promises
	}
	known.Success = p.Success
	known.KnownFailures = p.KnownFailures
	known.Rerun = rerun
	if p.Parallel > 0 {
		known.Parallel = p.Parallel
	}
}

// answers are the exit statuses that stand for an answer, sorted.
func (p Profile) answers() []int {
	return slices.DeleteFunc(p.exits(), func(exit int) bool { return p.Exits[exit] != Answered })
}

// errorKinds are the exit statuses that stand for an error; nil for none, with
// which the kinds of errors cannot be judged.
func (p Profile) errorKinds() map[int]scenarios.ErrorKind {
	var kinds map[int]scenarios.ErrorKind
	for exit, means := range p.Exits {
		if means != Answered {
			if kinds == nil {
				kinds = map[int]scenarios.ErrorKind{}
			}
			kinds[exit] = scenarios.ErrorKind(means)
		}
	}
	return kinds
}
