package scenarios

import (
	"cmp"
	"fmt"
	"slices"
)

// A Rule is a rule of lint.
type Rule struct {
	// Name is how problems name it.
	Name string
	// Says is the rule in a sentence, for the reference.
	Says string

	check func(*report)
}

// Rules are the rules of lint, in the order in which they are checked.
func Rules() []Rule {
	return slices.Concat(structureRules(), ruleRules(), idRules(), judgementRules(), serverRules(), timeRules())
}

// Lint finds what the format can say and a contract must not: a rule without a
// basis, an expectation that cannot be judged, a server that cannot strike.
// evaluators are the names of the registered Go evaluators. It returns the
// problems in the order of the contracts.
func Lint(contracts []*Contract, evaluators ...string) []Problem {
	var problems Problems
	ids := map[string]Source{}
	for _, c := range contracts {
		r := report{contract: c, filled: c.Defaulted(), evaluators: evaluators, ids: ids}
		r.runAll(Rules())
		slices.SortStableFunc(r.problems, func(a, b Problem) int {
			return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
		})
		problems = append(problems, r.problems...)
		ids[c.ID] = c.Source
	}
	return problems
}

// report gathers the problems of one contract.
type report struct {
	contract *Contract
	// filled is the contract with its defaults.
	filled     *Contract
	evaluators []string
	// ids are those of the contracts before this one.
	ids      map[string]Source
	rule     string
	problems Problems
}

// runAll checks the rules in order. A contract that asks for more than the
// limits is not looked at any further.
func (r *report) runAll(rules []Rule) {
	for _, rule := range rules {
		r.rule = rule.Name
		rule.check(r)
		if rule.Name == requestsAreBounded().Name && len(r.problems) > 0 {
			return
		}
	}
}

// at reports a problem at a path of the contract.
func (r *report) at(path, format string, args ...any) {
	p := r.contract.Source.problem(path, fmt.Sprintf(format, args...))
	p.Rule = r.rule
	r.problems = append(r.problems, p)
}

// suggest is at with the nearest of the words that were possible.
func (r *report) suggest(path, written string, words []string, format string, args ...any) {
	r.at(path, format, args...)
	if len(r.problems) > maxProblems {
		return // it is one too many to be read
	}
	last := &r.problems[len(r.problems)-1]
	if last.Suggestion = Nearest(written, words); last.Suggestion == "" {
		last.Message += "; expected " + oneOf(words)
	}
}
