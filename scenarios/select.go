package scenarios

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Selection says which contracts run.
type Selection struct {
	// Patterns are ids, or globs of ids in which * stands for any text:
	// "body.*", "*". None means all. A contract that is opt-in runs only when a
	// pattern is its whole id.
	Patterns []string
	// Level is the weakest level that runs: Must runs the musts, Should (the
	// zero value) the shoulds too, Observe all.
	Level Level
}

// Select is the contracts that a selection means, in their order. A pattern
// that means none is an error, and so is a selection without a contract.
func Select(contracts []*Contract, s Selection) ([]*Contract, error) {
	var unmatched []error
	chosen := map[*Contract]bool{}
	patterns := s.Patterns
	if len(patterns) == 0 {
		patterns = []string{"*"}
	}
	for _, pattern := range patterns {
		matched, err := match(contracts, pattern)
		if err != nil {
			unmatched = append(unmatched, err)
		}
		for _, c := range matched {
			chosen[c] = true
		}
	}
	if err := errors.Join(unmatched...); err != nil {
		return nil, err
	}
	selected := slices.DeleteFunc(slices.Clone(contracts), func(c *Contract) bool {
		return !chosen[c] || strength(c.Level) < strength(s.Level)
	})
	if len(selected) == 0 {
		return nil, fmt.Errorf("no contract to run: %s; choose a weaker level", outside(chosen, s.Level))
	}
	return selected, nil
}

func match(contracts []*Contract, pattern string) ([]*Contract, error) {
	var matched []*Contract
	var optIn, ids []string
	for _, c := range contracts {
		ids = append(ids, c.ID)
		ok, err := path.Match(pattern, c.ID)
		switch {
		case err != nil:
			return nil, fmt.Errorf("contract pattern %q: %w: expected an id or a glob such as body.*", pattern, err)
		case !ok:
		case c.OptIn && pattern != c.ID:
			optIn = append(optIn, c.ID)
		default:
			matched = append(matched, c)
		}
	}
	switch {
	case len(matched) > 0:
		return matched, nil
	case len(optIn) > 0:
		return nil, fmt.Errorf("contract pattern %q means only contracts that run when they are named in full: %s", pattern, strings.Join(optIn, ", "))
	default:
		return nil, fmt.Errorf("contract pattern %q means no contract%s", pattern, near(pattern, ids))
	}
}

// near says which ids a pattern without a match may have meant.
func near(pattern string, ids []string) string {
	const most = 3
	var alike []string
	for _, id := range ids {
		if area(id) == area(pattern) {
			alike = append(alike, id)
		}
	}
	if id := Nearest(pattern, ids); id != "" {
		alike = append([]string{id}, slices.DeleteFunc(alike, func(other string) bool { return other == id })...)
	}
	if len(alike) == 0 {
		return "; faultsrv contracts list shows them all"
	}
	return "; the nearest: " + strings.Join(alike[:min(most, len(alike))], ", ")
}

// outside says which contracts a level leaves out.
func outside(chosen map[*Contract]bool, level Level) string {
	var ids []string
	for c := range chosen {
		ids = append(ids, fmt.Sprintf("%s (%s)", c.ID, c.Level))
	}
	if len(ids) == 0 {
		return "there are none"
	}
	slices.Sort(ids)
	return fmt.Sprintf("the level %s leaves out %s", level, strings.Join(ids, ", "))
}

// strength orders the levels; the zero value selects like Should.
func strength(l Level) int {
	switch l {
	case Must:
		return 2
	case Observe:
		return 0
	default:
		return 1
	}
}
