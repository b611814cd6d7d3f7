package driver

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

const (
	// DefaultStartTimeout is how long a driver may take to say hello. A cold
	// start of an interpreter or a virtual machine takes a second or two.
	DefaultStartTimeout = 10 * time.Second
	// DefaultOutputLimit is how many bytes are kept of each end of standard error.
	DefaultOutputLimit = 32 << 10
	// maxStarts is how often a driver is started in a run. One that breaks on one
	// contract is worth judging by the others; one that always breaks is not.
	maxStarts = 10
)

// Options say what the driver does not. The zero value will do.
type Options struct {
	// StartTimeout is how long the driver may take to say hello; 0 means
	// DefaultStartTimeout.
	StartTimeout time.Duration
	// CallTimeout is when a call that has not returned is given up; 0 means
	// suites.DefaultCallTimeout. It has to be the runner's.
	CallTimeout time.Duration
	// OutputLimit is how many bytes are kept of the beginning, and again of the
	// end, of standard error; 0 means DefaultOutputLimit.
	OutputLimit int
	// Dir is where the driver runs, and where a relative program is looked for;
	// empty means where we do.
	Dir string
	// Env are variables as KEY=value, added to this process's own. They are not
	// part of any report.
	Env []string
}

// Subject is a driver's client as a client under test. It has to be closed.
type Subject struct {
	options Options
	spec    process.Spec
	name    string
	profile suites.Profile
	// hello is the first process's; each later one has to say the same.
	hello hello
	// files are the bodies of the calls that are being made, and whom to trust.
	files files

	mu      sync.Mutex
	talking *conversation
	starts  int
	closed  bool
}

// New starts a driver, the program and its arguments, and hears what it can do.
// The error matches exec.ErrNotFound, fs.ErrNotExist or fs.ErrPermission for a
// program that cannot be run, and a *Fault for one that says no proper hello.
func New(ctx context.Context, args []string, options Options) (*Subject, error) {
	if len(args) == 0 {
		return nil, errors.New("there is no driver: give a program and its arguments, such as python3 driver.py")
	}
	if options.StartTimeout < 0 || options.CallTimeout < 0 || options.OutputLimit < 0 {
		return nil, fmt.Errorf("driver %q: a limit is negative (start %v, call %v, output %d bytes): give a positive one, or 0 for the default",
			args[0], options.StartTimeout, options.CallTimeout, options.OutputLimit)
	}
	orDefault(&options.StartTimeout, DefaultStartTimeout)
	orDefault(&options.CallTimeout, suites.DefaultCallTimeout)
	orDefault(&options.OutputLimit, DefaultOutputLimit)
	program, err := lookUp(args[0], options.Dir)
	if err != nil {
		return nil, err
	}
	s := &Subject{
		options: options,
		name:    args[0],
		spec: process.Spec{
			Program: program, Args: slices.Clone(args[1:]), Dir: options.Dir, Env: options.Env, Limit: options.OutputLimit,
		},
	}
	if s.talking, err = s.begin(ctx); err != nil {
		return nil, err
	}
	s.hello = s.talking.hello
	s.profile = s.hello.profile()
	return s, nil
}

func orDefault[T comparable](value *T, fallback T) {
	var zero T
	if *value == zero {
		*value = fallback
	}
}

// lookUp finds the program as a shell in dir would.
func lookUp(program, dir string) (string, error) {
	wanted := program
	if dir != "" && !filepath.IsAbs(program) && strings.ContainsRune(program, filepath.Separator) {
		wanted = filepath.Join(dir, program)
	}
	path, err := exec.LookPath(wanted)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return "", fmt.Errorf("driver %q cannot be run: %w; name a program on the PATH, or the path of an executable file", program, err)
	}
	return path, nil
}

func (s *Subject) begin(ctx context.Context) (*conversation, error) {
	s.starts++
	talking, err := begin(ctx, s.spec, s.options.StartTimeout)
	if err != nil {
		return nil, fmt.Errorf("driver %q: %w", s.name, err)
	}
	return talking, nil
}

// Profile implements suites.Subject.
func (s *Subject) Profile() suites.Profile { return s.profile }

// Notes say, a sentence each, who is judged and by what: for the start of a run.
func (s *Subject) Notes() []string {
	notes := []string{"it can do or be told, by its own word: " + words(s.profile.Capabilities)}
	if s.hello.Client.Language != "" {
		notes = append(notes, "in "+s.hello.Client.Language)
	}
	if s.hello.MaxParallel > 0 {
		notes = append(notes, "at most "+plural(s.hello.MaxParallel, "call")+" at the same time")
	}
	return notes
}

// Open implements suites.Subject. Where the driver says that it cannot follow
// the policy, every call of the client is unsupported.
func (s *Subject) Open(policy scenarios.Policy) (suites.Client, error) {
	talking, err := s.conversation()
	if err != nil {
		return nil, err
	}
	return s.open(talking, policy, "")
}

// OpenTrusting implements suites.Truster.
func (s *Subject) OpenTrusting(policy scenarios.Policy, authority *faultserver.Authority) (suites.Client, error) {
	caFile, err := s.files.trusting(authority)
	if err != nil {
		return nil, err
	}
	talking, err := s.conversation()
	if err != nil {
		return nil, err
	}
	return s.open(talking, policy, caFile)
}

// conversation is the one that is going on; a driver that has broken is started
// anew.
func (s *Subject) conversation() (*conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closed:
		return nil, fmt.Errorf("driver %q: it was closed; close it when the run is over", s.name)
	case !s.talking.over():
		return s.talking, nil
	case s.starts >= maxStarts:
		return nil, fmt.Errorf("driver %q: it has broken %d times in this run, at last: %w", s.name, s.starts, s.talking.fault)
	}
	s.talking.working.Wait()
	again, err := s.begin(context.Background())
	if err != nil {
		return nil, fmt.Errorf("start it anew, after it broke: %w", err)
	}
	s.talking = again
	if !s.hello.sameClient(again.hello) {
		again.fail(&Fault{
			Expected: fmt.Sprintf("the hello of the first start: %s %s with %s", s.hello.Client.Name, s.hello.Client.Version, orNone(s.hello.Capabilities)),
			Got:      fmt.Sprintf("%s %s with %s", again.hello.Client.Name, again.hello.Client.Version, orNone(again.hello.Capabilities)),
			Do:       "say the same each time",
		}, 0)
		return nil, fmt.Errorf("driver %q: %w", s.name, again.fault)
	}
	return again, nil
}

// Close ends the driver and removes its files. When it returns, no process is
// left. The error says what could not be ended or removed.
func (s *Subject) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	ended := s.talking.end()
	var wrong []error
	if ended.Left.Remain != 0 {
		wrong = append(wrong, fmt.Errorf("driver %q: %s", s.name, ended.Left))
	}
	return errors.Join(append(wrong, s.files.remove())...)
}
