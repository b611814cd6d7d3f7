package suites

import (
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A Choice says which contracts a test runs, and how.
type Choice interface {
	choose(*chosen)
}

// chosen is what the choices come to.
type chosen struct {
	selection scenarios.Selection
	failOn    scenarios.Level
	own       []*scenarios.Contract
	known     KnownFailures
	options   Options
}

type choice func(*chosen)

func (c choice) choose(to *chosen) { c(to) }

// Contracts runs only the contracts whose ids match one of the patterns, such
// as "body.*". Without it all run that are not opt-in. A pattern that matches
// none is an error.
func Contracts(patterns ...string) Choice {
	return choice(func(c *chosen) { c.selection.Patterns = append(c.selection.Patterns, patterns...) })
}

// AtLevel is the weakest level that runs; the default is scenarios.Should.
func AtLevel(level scenarios.Level) Choice {
	return choice(func(c *chosen) { c.selection.Level = level })
}

// FailOn is what fails the test: scenarios.Must (the default) or
// scenarios.Should, by which a weak verdict fails it too.
func FailOn(level scenarios.Level) Choice {
	return choice(func(c *chosen) { c.failOn = level })
}

// Own adds contracts of the user's own to the catalogue's.
func Own(contracts ...*scenarios.Contract) Choice {
	return choice(func(c *chosen) { c.own = append(c.own, contracts...) })
}

// KnownToFail adds contracts that the client is known to break (see
// [KnownFailures]), beside those that its profile lists.
func KnownToFail(failures ...KnownFailure) Choice {
	return choice(func(c *chosen) { c.known = append(c.known, failures...) })
}

// WithOptions says how the run is made.
func WithOptions(options Options) Choice {
	return choice(func(c *chosen) { c.options = options })
}

// A Plan is a subject and the contracts that were chosen for it.
type Plan struct {
	Subject   Subject
	Contracts []*scenarios.Contract
	Options   Options
}

// NewPlan chooses contracts for a subject. A choice that comes to no contract
// is an error, as nothing would be judged.
func NewPlan(subject Subject, choices ...Choice) (Plan, error) {
	if subject == nil {
		return Plan{}, errNoSubject
	}
	c := chosen{failOn: scenarios.Must}
	for _, choice := range choices {
		choice.choose(&c)
	}
	if c.failOn != scenarios.Must && c.failOn != scenarios.Should {
		return Plan{}, fmt.Errorf("fail on %q: expected %q or %q", c.failOn, scenarios.Must, scenarios.Should)
	}
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return Plan{}, fmt.Errorf("load the catalogue: %w", err)
	}
	all := slices.Concat(catalogue, c.own)
	c.options.KnownFailures = append(slices.Clone(c.options.KnownFailures), c.known...)
	if err := CheckKnownFailures(subject, c.options.KnownFailures, all); err != nil {
		return Plan{}, err
	}
	contracts, err := scenarios.Select(all, c.selection)
	if err != nil {
		return Plan{}, err
	}
	if err := runnable(contracts); err != nil {
		return Plan{}, err
	}
	c.options.Head.Selection = reports.Selection{
		Patterns: c.selection.Patterns, Level: levelName(c.selection.Level), FailOn: c.failOn,
	}
	return Plan{Subject: subject, Contracts: contracts, Options: c.options}, nil
}

// levelName is the level as the flag of the command line names it.
func levelName(level scenarios.Level) string {
	switch level {
	case scenarios.Observe:
		return "all"
	case "":
		return string(scenarios.Should)
	default:
		return string(level)
	}
}

// Fails tells whether a result fails the test.
func (p Plan) Fails(result reports.Result) bool {
	return reports.Fails(result, p.Options.Head.Selection.FailOn)
}
