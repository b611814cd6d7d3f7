package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// selection is which contracts a command is about.
type selection struct {
	patterns []string
	from     []string
	level    *choice
}

// The words of --level; all is what the format calls observe.
const (
	levelMust   = "must"
	levelShould = "should"
	levelAll    = "all"
)

// flags adds the selection's flags to a command.
func (s *selection) flags(cmd *cobra.Command, level string) {
	s.level = oneOf(levelMust, levelShould, levelAll).or(level)
	s.patternFlags(cmd)
	s.fromFlag(cmd)
	s.level.flag(cmd, "level", "the weakest level: must; should, which has the musts too; or all, which adds what is only observed")
}

func (s *selection) patternFlags(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.patterns, "contracts", nil,
		"only contracts whose id is this or matches this `GLOB`, such as 'body.*'; may be repeated")
	completeFlag(cmd, "contracts", completeContracts)
}

func (s *selection) fromFlag(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&s.from, "contracts-from", nil,
		"read contracts of your own from this `FILE`, or from the .yaml files of this folder, beside the built-in ones; may be repeated")
}

// weakest is the level as contracts have it.
func (s *selection) weakest() scenarios.Level {
	if s.level == nil || s.level.value == levelAll {
		return scenarios.Observe
	}
	return scenarios.Level(s.level.value)
}

// chosen are the selected contracts, sorted by id. A pattern without a match
// and a selection without a contract are errors.
func (s *selection) chosen() ([]*scenarios.Contract, error) {
	contracts, err := s.known()
	if err != nil {
		return nil, err
	}
	return scenarios.Select(contracts, scenarios.Selection{Patterns: s.patterns, Level: s.weakest()})
}

// check compares what the client is known to break with all contracts.
func (s *selection) check(client suites.Subject, listed suites.KnownFailures) error {
	contracts, err := s.known()
	if err != nil {
		return err
	}
	return suites.CheckKnownFailures(client, listed, contracts)
}

// known are all contracts: the built-in ones and the user's, sorted by id. The
// user's must hold what lint demands: a verdict by a rule that cannot be judged
// would be unjust.
func (s *selection) known() ([]*scenarios.Contract, error) {
	contracts, err := scenarios.Catalogue()
	if err != nil {
		return nil, fmt.Errorf("the built-in contracts: %w", err)
	}
	if len(s.from) == 0 {
		return contracts, nil
	}
	own, err := scenarios.Load(s.from...)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; expected --contracts-from to name a file, or a folder with .yaml files", err)
	}
	if err != nil {
		return nil, err
	}
	if problems := scenarios.Lint(own, assertions.Evaluators()...); len(problems) > 0 {
		return nil, scenarios.Problems(problems)
	}
	contracts = append(contracts, own...)
	slices.SortStableFunc(contracts, func(a, b *scenarios.Contract) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(contracts); i++ {
		if builtIn, second := contracts[i-1], contracts[i]; builtIn.ID == second.ID {
			return nil, fmt.Errorf("%s:%d: there is a built-in contract %q: expected an id of its own; an id means one rule, for ever",
				second.Source.File, second.Source.Line, second.ID)
		}
	}
	return contracts, nil
}
