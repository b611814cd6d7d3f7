package service

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// Kind is the kind of client that a profile is of.
type Kind string

// KindService is the only kind here: a whole application.
const KindService Kind = "service"

// Words implements scenarios.Worded.
func (Kind) Words() []string { return []string{string(KindService)} }

// A Profile is what a service's file says of it. Files that it names are looked
// for from its own folder.
type Profile struct {
	Kind Kind `yaml:"kind"`
	// Name is how it is called in reports.
	Name string `yaml:"name"`
	// About says in a sentence what is judged.
	About string `yaml:"about"`
	// Command starts it where the run names no command: a program and its arguments,
	// never through a shell. It runs in the folder of the profile's file. Left out, a
	// run that names none finds it running.
	Command []string `yaml:"command"`
	// Version finds its version; left out, none is reported.
	Version *Version `yaml:"version"`
	// Upstreams are the servers that it asks, by names of your own: faultsrv plays
	// them.
	Upstreams map[string]*Upstream `yaml:"upstreams"`
	// Ready is how to know that it can be asked; left out, it is once it accepts
	// connections where the trigger's URL points.
	Ready *Ready `yaml:"ready"`
	// Trigger is what makes it do one call.
	Trigger Trigger `yaml:"trigger"`
	// Match says which of its requests are the judged call. What does not match is
	// answered by Otherwise.
	Match Match `yaml:"match"`
	// Otherwise is what requests get that do not match, and the upstreams that have
	// neither an Otherwise nor a Succeed of their own; left out, 404 and the success
	// answer.
	Otherwise *Otherwise `yaml:"otherwise"`
	// Outcome is what the answers of the service itself mean.
	Outcome Outcome `yaml:"outcome"`
	// Policy is how the service says that it retries. Attempts has to be given; a
	// contract that needs another field that is not is unsupported. Methods are
	// those that it may retry beside the safe ones.
	Policy scenarios.Policy `yaml:"policy"`
	// Baggage tells that the service passes the baggage header of a request on to
	// the upstreams, in each attempt. Contracts then run side by side, else one
	// after another.
	Baggage bool `yaml:"baggage"`
	// Quiet is how long no attempt may come between two contracts that run one
	// after another; left out (0), it is twice the longest pause of the policy, and
	// 200 ms at least.
	Quiet time.Duration `yaml:"quiet"`
	// KnownFailures are the contracts that it is known to break.
	KnownFailures suites.KnownFailures `yaml:"known-failures"`

	dir string
}

// Version is how a service's version is found when it is judged.
type Version struct {
	// Command prints it. It runs in the folder of the profile's file.
	Command []string `yaml:"command"`
	// Match is a regular expression that finds it in what is printed: its group,
	// or all of the match. Left out, the version is the first line.
	Match string `yaml:"match"`

	pattern *regexp.Regexp
}

// An Upstream is a server that the service asks.
type Upstream struct {
	// Listen is the address, host:port, at which the service asks it.
	Listen string `yaml:"listen"`
	// Succeed is the answer that the service takes as success; left out, a 200 with
	// a small body.
	Succeed *Reply `yaml:"succeed"`
	// Otherwise is what requests get that are not the judged call; left out, what
	// the profile's Otherwise says.
	Otherwise *Otherwise `yaml:"otherwise"`
}

// A Reply is an answer of an upstream: a status, or more.
type Reply struct {
	faultserver.Answer `yaml:",inline"`

	// BodyFile has the answer's body.
	BodyFile string `yaml:"body-file"`
}

// Shorten implements scenarios.Shortened.
func (r *Reply) Shorten(word string) error {
	status, err := strconv.Atoi(word)
	if err != nil || status < 200 || status > 999 {
		return fmt.Errorf("expected a status from 200 to 999, or {status, headers, body}; got %q", word)
	}
	r.Status = status
	return nil
}

// Ready is how to know that the service can be asked.
type Ready struct {
	// URL answers 2xx as soon as it can.
	URL string `yaml:"url"`
	// Timeout is how long it may take; left out (0), 30 s.
	Timeout time.Duration `yaml:"timeout"`
}

// A Trigger makes the service do one call: an HTTP request to it, or a command.
type Trigger struct {
	// Method is POST unless said.
	Method  string              `yaml:"method"`
	URL     string              `yaml:"url"`
	Headers faultserver.Headers `yaml:"headers"`
	// Body or BodyFile is what the request carries; neither is nothing.
	Body     *faultserver.Body `yaml:"body"`
	BodyFile string            `yaml:"body-file"`
	// Command is a program and its arguments, never through a shell. It runs in the
	// folder of the profile's file, and its exit status is the outcome.
	Command []string `yaml:"command"`

	dir string
}

// Match says which requests are the judged call.
type Match struct {
	// Upstream is the one that they go to; it may be left out where there is one.
	Upstream string `yaml:"upstream"`

	faultserver.Match `yaml:",inline"`
}

// Otherwise is what a request gets that is not the judged call: exactly one of
// its fields.
type Otherwise struct {
	// Respond is an answer for all.
	Respond *Reply `yaml:"respond"`
	// Stub is a folder of .yaml files, each a list of {match, respond}. The first
	// that matches answers, and 404 where none does.
	Stub string `yaml:"stub"`
	// Pass is the base URL, http://host:port, of a real server that is handed the
	// request, byte for byte.
	Pass string `yaml:"pass"`

	stubs []faultserver.Stub
}

// Outcome says what the service's own answers mean, by their status; of a
// command, by its exit status.
type Outcome struct {
	// Success are those that mean success; left out, 200 to 299 (of a command: 0).
	Success []int `yaml:"success" bounds:"0..599"`
	// Error are those that mean an error of a kind. What is in neither list is an
	// error of kind other.
	Error map[int]scenarios.ErrorKind `yaml:"error"`
}

// Load reads the profile of a file, with the files that it names.
func Load(file string) (Profile, error) {
	data, err := scenarios.ReadFile(file)
	if err != nil {
		return Profile{}, fmt.Errorf("profile: %w", err)
	}
	return Parse(file, data)
}

// Parse reads a profile, and from the file's folder the files that it names. The
// error is of type [scenarios.Problems] and holds all that is wrong.
func Parse(file string, data []byte) (Profile, error) {
	var p Profile
	source, err := scenarios.DecodeStrict(file, data, &p)
	if err != nil {
		return Profile{}, err
	}
	l := loader{profile: &p, source: source, dir: filepath.Dir(file)}
	l.check()
	l.checkProgram()
	l.readFiles()
	if len(l.problems) > 0 {
		return Profile{}, l.problems
	}
	l.fill()
	return p, nil
}
