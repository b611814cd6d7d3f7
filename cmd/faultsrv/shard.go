package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

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

// flags adds the two ways to say which part it is.
func (s *shard) flags(cmd *cobra.Command) {
	cmd.Flags().Var(s, "shard", "run only part `I/N` of the contracts, such as 1/4; the parts are joined by report merge")
	cmd.Flags().Var((*shardIndex)(s), "shard-index", "the same with I counted from 0, `I/N`, as jobs are that run side by side: 0/4 is --shard 1/4")
	cmd.MarkFlagsMutuallyExclusive("shard", "shard-index")
}

// shardIndex is the same flag for who counts from 0, and cannot count otherwise:
// the pods of a Kubernetes Job get a number, and have no shell to add one to it.
type shardIndex shard

// String implements pflag.Value; parts are shown as --shard has them.
func (s *shardIndex) String() string { return (*shard)(s).String() }

// Set implements pflag.Value.
func (s *shardIndex) Set(text string) error {
	index, of, _ := strings.Cut(text, "/")
	i, err1 := strconv.Atoi(index)
	n, err2 := strconv.Atoi(of)
	if err1 != nil || err2 != nil || i < 0 || i >= n {
		return fmt.Errorf("expected a part counted from 0 and how many there are, such as 0/4 for the first of four")
	}
	s.chosen = &reports.Shard{Index: i + 1, Of: n}
	return nil
}

// Type implements pflag.Value.
func (s *shardIndex) Type() string { return "I/N" }

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
