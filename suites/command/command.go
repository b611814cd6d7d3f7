package command

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// DefaultCallTimeout is how long a call may take before its process is ended,
// whoever runs it. It is a last resort: the runner's own deadline, which knows
// whether an attempt was made, comes first.
const DefaultCallTimeout = suites.DefaultCallTimeout + 5*time.Second

// DefaultOutputLimit is how many bytes are kept of each end of an output.
const DefaultOutputLimit = 32 << 10

// Options say what the command line does not. The zero value will do.
type Options struct {
	// Name is how the client is called in reports; empty means the program's
	// file name.
	Name string
	// VersionCommand is a command, such as curl --version, whose first line of
	// output is the client's version; empty means that none is reported.
	VersionCommand []string
	// VersionPattern finds the version in all that the version command prints, on
	// either output: its first group, or all of its match where it has none. Nil
	// means the first line.
	VersionPattern *regexp.Regexp
	// CallTimeout ends a call that has not returned; 0 means DefaultCallTimeout.
	// A deadline of the call itself is the command's business.
	CallTimeout time.Duration
	// OutputLimit is how many bytes are kept of the beginning, and again of the
	// end, of each of the two outputs; 0 means DefaultOutputLimit. The rest is
	// read and discarded, so that no command is held up by what it prints.
	OutputLimit int
	// Dir is where the command runs, and where a relative program is looked for;
	// empty means where we do.
	Dir string
	// Env are variables as KEY=value, added to this process's own. They are not
	// part of any report.
	Env []string
	// Reads are the values, by the names of their placeholders ("url",
	// "attempts"), that the command reads from its environment though no argument
	// names them. They count as used.
	Reads []string
	// ExitKinds are the kinds of error that the command's exit statuses stand
	// for; a status that is not in it is of kind other. With nil the command
	// cannot be judged by the kinds of its errors.
	ExitKinds map[int]scenarios.ErrorKind
	// Answers are the exit statuses other than 0 by which the command says that it
	// got an answer, though not a good one. Status has to tell which.
	Answers []int
	// Status says where the command tells the status of the answer that it got;
	// nil where it does not tell.
	Status *StatusSource
	// Amend may change the profile that follows from all this, such as by what the
	// command promises or lacks. Nil leaves it.
	Amend func(profile *suites.Profile)
	// AfterRun is called after each run with what it was; it may be called
	// concurrently. Nil means that nobody wants to know.
	AfterRun func(Run)
}

// A Run is one finished process, for whoever wants to show its output.
type Run struct {
	// Args are the arguments that it got, the program first.
	Args []string
	// URL is the call's.
	URL string
	// Outcome is what was made of it.
	Outcome scenarios.Outcome
	// Stdout and Stderr are what it printed.
	Stdout, Stderr process.Excerpt
}

// Subject is a command line as a client under test.
type Subject struct {
	options   Options
	args      []string
	program   string
	arguments []argument
	used      uses
	profile   suites.Profile
}

// New makes a client of a command line: the program, to be found as a shell
// would find it, and its arguments. It reports all that is wrong with them: a
// program that cannot be run, an unknown placeholder, no {url}.
func New(args []string, options Options) (*Subject, error) {
	if len(args) == 0 {
		return nil, errors.New("there is no command: give a program and its arguments, such as curl --retry {retries} {url}")
	}
	if options.CallTimeout == 0 {
		options.CallTimeout = DefaultCallTimeout
	}
	if options.OutputLimit == 0 {
		options.OutputLimit = DefaultOutputLimit
	}
	subject := &Subject{options: options, args: slices.Clone(args), used: uses{}}
	wrong := options.check()
	program, err := lookUp(args[0], options.Dir)
	if err != nil {
		wrong = append(wrong, err)
	}
	subject.program = program
	arguments, mistakes := parseArguments(args[1:], subject.used)
	wrong = append(wrong, mistakes...)
	wrong = append(wrong, subject.used.read(options.Reads)...)
	wrong = append(wrong, subject.used.check()...)
	if len(wrong) > 0 {
		return nil, fmt.Errorf("command %q: %w", args[0], errors.Join(wrong...))
	}
	subject.arguments = arguments
	version, err := subject.version()
	if err != nil {
		return nil, err
	}
	subject.profile = suites.Profile{
		Name:         subject.name(),
		Version:      version,
		Kind:         "exec",
		Capabilities: subject.used.capabilities(),
		Rerun:        append([]string{"faultsrv", "test", "--"}, args...),
	}
	if options.ExitKinds != nil {
		subject.profile.Capabilities = append(subject.profile.Capabilities, scenarios.CanErrorKind)
	}
	if options.Status != nil {
		subject.profile.Capabilities = append(subject.profile.Capabilities, scenarios.CanStatus)
	}
	if options.Amend != nil {
		options.Amend(&subject.profile)
	}
	return subject, nil
}

func (o Options) check() []error {
	var wrong []error
	if o.CallTimeout < 0 {
		wrong = append(wrong, fmt.Errorf("a call cannot time out after %s: give a positive duration, or 0 for %s", o.CallTimeout, DefaultCallTimeout))
	}
	if o.OutputLimit < 0 {
		wrong = append(wrong, fmt.Errorf("an output cannot be limited to %d bytes: give a positive number, or 0 for %d", o.OutputLimit, DefaultOutputLimit))
	}
	for _, status := range slices.Sorted(maps.Keys(o.ExitKinds)) {
		if status <= 0 {
			wrong = append(wrong, fmt.Errorf("exit status %d cannot stand for %q: 0 is success, and an error is a positive number", status, o.ExitKinds[status]))
		}
	}
	wrong = append(wrong, o.checkAnswers()...)
	for _, variable := range o.Env {
		if name, _, ok := strings.Cut(variable, "="); !ok || name == "" {
			// Its text may be a secret.
			wrong = append(wrong, errors.New("an environment variable has to be KEY=value, and one is not"))
		}
	}
	return wrong
}

// lookUp finds the program as a shell in dir would. A placeholder in its name would have to be looked
// up anew for each call, and could not be checked before.
func lookUp(program, dir string) (string, error) {
	wanted := program
	if dir != "" && !filepath.IsAbs(program) && strings.ContainsAny(program, `/`+string(filepath.Separator)) {
		wanted = filepath.Join(dir, program)
	}
	path, err := exec.LookPath(wanted)
	if err != nil {
		return "", fmt.Errorf("cannot run it: %w; name a program on the PATH, or the path of an executable file", err)
	}
	if path, err = filepath.Abs(path); err != nil {
		return "", fmt.Errorf("find %q: %w", program, err)
	}
	return path, nil
}

// read notes the values that the command reads from its environment.
func (u uses) read(names []string) []error {
	var wrong []error
	bare := func(p placeholder) string { return string(p) }
	for _, name := range names {
		known, ok := find(name, bare)
		if !ok {
			wrong = append(wrong, fmt.Errorf("there is no value %q to read; did you mean %q?", name, nearest(name, bare)))
			continue
		}
		u[known] = true
	}
	return wrong
}

// check says what is wrong with what is used together.
func (u uses) check() []error {
	var wrong []error
	if !u[url] {
		wrong = append(wrong, fmt.Errorf("it does not say where its calls go: write %s where the address belongs, "+
			"or name the variable %s in an argument", url, url.variable()))
	}
	for _, pair := range rivals {
		if u[pair[0]] && u[pair[1]] {
			wrong = append(wrong, fmt.Errorf("%s and %s tell the same value, one of them rounded up: use one (as placeholder or variable), "+
				"or it cannot be known which the command follows", pair[0], pair[1]))
		}
	}
	return wrong
}

func (s *Subject) name() string {
	if s.options.Name != "" {
		return s.options.Name
	}
	return strings.TrimSuffix(filepath.Base(s.args[0]), ".exe")
}

// Profile implements suites.Subject.
func (s *Subject) Profile() suites.Profile { return s.profile }

// Open implements suites.Subject. The policy has to say what the command's
// placeholders stand for.
func (s *Subject) Open(policy scenarios.Policy) (suites.Client, error) {
	switch {
	case s.used.any(attempts, retries) && policy.Attempts == nil:
		return nil, fmt.Errorf("open %s: the command is to be told the attempts, and the policy does not say how many: fill in its defaults", s.profile.Name)
	case policy.Attempts != nil && *policy.Attempts < 1:
		return nil, fmt.Errorf("open %s: %d attempts, the first included, are no call at all: the policy needs at least 1", s.profile.Name, *policy.Attempts)
	case s.used.any(backoff, backoffMS) && policy.Backoff == nil:
		return nil, fmt.Errorf("open %s: the command is to be told the backoff, and the policy has none: fill in its defaults", s.profile.Name)
	}
	return &client{subject: s, policy: policy, values: s.policyValues(policy)}, nil
}
