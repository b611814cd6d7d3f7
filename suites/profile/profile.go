package profile

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/command"
)

// Kind is the kind of client that a profile is of.
type Kind string

// The kinds.
const (
	// Exec: the command makes one call a run.
	Exec Kind = "exec"
	// Driver: the command runs as long as the test and is told its calls as lines
	// of JSON.
	Driver Kind = "driver"
)

// Words implements scenarios.Worded.
func (Kind) Words() []string { return []string{string(Exec), string(Driver)} }

// Profile is what a client's file says of it.
type Profile struct {
	Kind Kind `yaml:"kind"`
	// Name is how it is called in reports and in --client.
	Name string `yaml:"name"`
	// About says in a sentence what is judged.
	About string `yaml:"about"`
	// Command starts it: a program and its arguments, never through a shell. In
	// those of an exec client the placeholders are replaced. It runs in the folder
	// of the profile's file.
	Command []string `yaml:"command"`
	// Version finds its version; a driver tells its own.
	Version *Version `yaml:"version"`
	// Reads are placeholders, without their braces, whose values the command reads
	// from its environment though no argument names them.
	Reads []string `yaml:"reads"`
	// Cannot are capabilities that its placeholders, or a driver's hello, seem to
	// give it and that it does not have.
	Cannot []scenarios.Capability `yaml:"cannot"`
	// Promises is how it retries where it cannot be told.
	Promises *scenarios.Policy `yaml:"promises"`
	// Success is the answer that it takes as success; left out, a 200 with a small
	// body.
	Success faultserver.Answer `yaml:"success"`
	// Parallel is how many contracts may run side by side with it; left out, it
	// is the run's own number.
	Parallel int `yaml:"parallel" bounds:"1..1000"`
	// Exits are what its exit statuses stand for. One that is not here is an error
	// of kind other; 0 is always an answer.
	Exits map[int]Exit `yaml:"exits"`
	// Status says where it tells the status of the answer that it got.
	Status *Status `yaml:"status"`
	// KnownFailures are the contracts that it is known to break.
	KnownFailures suites.KnownFailures `yaml:"known-failures"`

	// dir is the folder that the command runs in; empty means ours.
	dir string
}

// Version is how a client's version is found when it is judged.
type Version struct {
	// Command prints it.
	Command []string `yaml:"command"`
	// Match is a regular expression that finds it in what is printed: its group,
	// or all of the match. Left out, the version is the first line.
	Match string `yaml:"match"`
}

// Status is where a command tells the status of the answer that it got.
type Status struct {
	// From is the output.
	From command.Stream `yaml:"from"`
	// Match is a regular expression with a group around the status. Its last match
	// counts.
	Match string `yaml:"match"`
}

// Exit is what an exit status stands for: a kind of error, or an answer.
type Exit string

// Answered is an exit status by which a command says that it got an answer,
// though not a good one.
const Answered Exit = "answer"

// Words implements scenarios.Worded.
func (Exit) Words() []string {
	kinds := scenarios.Words()[reflect.TypeFor[scenarios.ErrorKind]()]
	return slices.DeleteFunc(append([]string{string(Answered)}, kinds...), func(word string) bool { return word == string(scenarios.AnyError) })
}

// Load reads the profile of a file, and has its command run in the file's
// folder.
func Load(file string) (Profile, error) {
	data, err := scenarios.ReadFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("profile: %w", err)
	}
	p, err := Parse(file, data)
	p.dir = filepath.Dir(file)
	return p, err
}

// Parse reads a profile; file is its name in messages. The error is of type
// [scenarios.Problems] and holds all that is wrong.
func Parse(file string, data []byte) (Profile, error) {
	var p Profile
	source, err := scenarios.DecodeStrict(file, data, &p)
	if err != nil {
		return Profile{}, err
	}
	if problems := p.problems(source); len(problems) > 0 {
		return Profile{}, problems
	}
	return p, nil
}

// problems are what the types cannot say.
func (p Profile) problems(source scenarios.Source) scenarios.Problems {
	var problems scenarios.Problems
	report := func(path, format string, args ...any) {
		problems = append(problems, source.Problem(path, format, args...))
	}
	if p.Kind == "" {
		report("kind", "expected the kind of client, exec or driver; got none")
	}
	if p.Name == "" {
		report("name", "expected the client's name; got none")
	}
	for _, shown := range []struct{ key, text string }{{"name", p.Name}, {"about", strings.ReplaceAll(p.About, "\n", " ")}} {
		if !scenarios.OneLine(shown.text) {
			report(shown.key, "expected text without control characters; got %q", shown.text)
		}
	}
	if len(p.Command) == 0 || p.Command[0] == "" {
		report("command", "expected a program and its arguments, such as [curl, -sS, --retry, \"{retries}\", \"{url}\"]; got none")
	}
	if p.Kind == Driver {
		for _, its := range []struct {
			key   string
			given bool
		}{{"version", p.Version != nil}, {"reads", p.Reads != nil}, {"exits", p.Exits != nil}, {"status", p.Status != nil}} {
			if its.given {
				report(its.key, "a driver tells this itself; leave it out")
			}
		}
	}
	problems = append(problems, p.outputProblems(source)...)
	return append(problems, p.KnownFailures.Problems(source, "known-failures")...)
}

// outputProblems are those of what is read out of a command's outputs and exit.
func (p Profile) outputProblems(source scenarios.Source) scenarios.Problems {
	var problems scenarios.Problems
	report := func(path, format string, args ...any) {
		problems = append(problems, source.Problem(path, format, args...))
	}
	if v := p.Version; v != nil {
		if len(v.Command) == 0 {
			report("version.command", "expected a command that prints the version, such as [curl, --version]; got none")
		}
		if _, err := regexp.Compile(v.Match); err != nil {
			report("version.match", "expected a regular expression: %v", err)
		}
	}
	if s := p.Status; s != nil {
		if s.From == "" {
			report("status.from", "expected the output that tells the status, stdout or stderr; got none")
		}
		switch pattern, err := regexp.Compile(s.Match); {
		case err != nil:
			report("status.match", "expected a regular expression: %v", err)
		case pattern.NumSubexp() < 1:
			report("status.match", "expected a regular expression with a group around the status, such as 'HTTP/1.1 ([0-9]{3})'; got %q", s.Match)
		}
	}
	for _, exit := range p.exits() {
		path := fmt.Sprintf("exits.%d", exit)
		switch {
		case exit < 1 || exit > 255:
			report(path, "expected an exit status from 1 to 255 (0 is always an answer); got %d", exit)
		case p.Exits[exit] == Answered && p.Status == nil:
			report(path, "an exit status that stands for an answer needs `status`, which says where the command tells which answer")
		}
	}
	return problems
}

// exits are the exit statuses that mean something, sorted.
func (p Profile) exits() []int {
	exits := make([]int, 0, len(p.Exits))
	for exit := range p.Exits {
		exits = append(exits, exit)
	}
	slices.Sort(exits)
	return exits
}
