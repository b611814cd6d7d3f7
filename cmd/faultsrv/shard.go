package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// shard is a flag that cuts a run into parts; the zero value is all of it.
type shard struct{ chosen *reports.Shard }

// String implements pflag.Value.
func (s *shard) String() string {
	if s.chosen == nil {
		return ""
	}
	return fmt.Sprintf("%d/%d", s.chosen.Index, s.chosen.Of)
}

// Set implements pflag.Value.
func (s *shard) Set(text string) error {
	index, of, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || i < 1 || i > n {
		return fmt.Errorf("expected a part and how many there are, such as 1/4 for the first of four")
	}
	s.chosen = &reports.Shard{Index: i, Of: n}
	return nil
}

// Type implements pflag.Value.
func (s *shard) Type() string { return "I/N" }

// of are the contracts of the part. A part without any judges nothing, which is
// an error.
func (s *shard) of(contracts []*scenarios.Contract) ([]*scenarios.Contract, error) {
	if s.chosen == nil {
		return contracts, nil
	}
	part := slices.DeleteFunc(slices.Clone(contracts), func(c *scenarios.Contract) bool {
		return !scenarios.InShard(c.ID, s.chosen.Index, s.chosen.Of)
	})
	if len(part) == 0 {
		return nil, fmt.Errorf("--shard %s: none of the %s is in this part: cut the run into fewer", s, plural(len(contracts), "selected contract"))
	}
	return part, nil
}

// text says which part it is, for the line that a run begins with.
func (s *shard) text() string {
	if s.chosen == nil {
		return ""
	}
	return ", shard " + s.String()
}
