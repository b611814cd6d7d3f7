package reports

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Merge joins the shards of one run, given in any order, to the run that they
// are parts of. They must have the same format, tool, client and selection, be
// all of one number of shards, each once, and share no contract; every breach
// is an error that says what to do.
//
// The merged run is partial where a shard is. It began with the first shard and
// lasted as long as the longest, as shards run side by side; what else varied
// is in Meta.Shards. Secrets of different shards cannot be compared, since each
// was hashed with a key of its own.
func Merge(runs ...Run) (Run, error) {
	if len(runs) == 0 {
		return Run{}, errors.New("merge: expected the results of every shard, got none")
	}
	if err := errors.Join(append(unlike(runs), incompleteShards(runs)...)...); err != nil {
		return Run{}, fmt.Errorf("merge: %w", err)
	}
	shards := slices.SortedFunc(slices.Values(runs), func(a, b Run) int {
		return cmp.Compare(a.Selection.Shard.Index, b.Selection.Shard.Index)
	})
	merged := shards[0]
	merged.Results = nil
	merged.Selection.Contracts = 0
	merged.Selection.Shard = nil
	for _, shard := range shards {
		merged.Results = append(merged.Results, shard.Results...)
		merged.Selection.Contracts += shard.Selection.Contracts
	}
	slices.SortFunc(merged.Results, func(a, b Result) int { return strings.Compare(a.ID, b.ID) })
	merged.Totals = totals(merged.Results)
	merged.Meta = mergedMeta(shards)
	if err := merged.check(); err != nil {
		return Run{}, fmt.Errorf("merge: the shards share contracts: merge the results of one run only: %w", err)
	}
	return merged, nil
}

// unlike says where the runs differ from the first one in what the shards of
// one run have in common.
func unlike(runs []Run) []error {
	var problems []error
	first := runs[0]
	for i, run := range runs[1:] {
		for _, part := range []struct {
			name      string
			want, got any
			remedy    string
		}{
			{"format", first.Format, run.Format, "make all shards with one faultsrv"},
			{"tool", first.Tool, run.Tool, "make all shards with one version of faultsrv"},
			{"client", first.Client, run.Client, "judge one client, of one version, in all shards"},
			{"selection", whole(first.Selection), whole(run.Selection), "run all shards with the same --contracts, --level and --fail-on"},
		} {
			if want, got := compact(part.want), compact(part.got); want != got {
				problems = append(problems, fmt.Errorf("run %d: expected the %s of run 1, %s, got %s: %s", i+2, part.name, want, got, part.remedy))
			}
		}
	}
	return problems
}

// compact is a value as JSON in one line: equal for equal values, and readable.
func compact(value any) string {
	data, err := json.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return string(data)
}

// whole is a selection without what differs from shard to shard.
func whole(s Selection) Selection {
	s.Contracts, s.Shard = 0, nil
	return s
}

// incompleteShards says which runs are no shards, which come twice, and which
// are missing.
func incompleteShards(runs []Run) []error {
	var problems []error
	of := 0
	at := map[int]int{} // the run, from 1, that has a shard's index
	for i, run := range runs {
		shard := run.Selection.Shard
		switch {
		case shard == nil:
			problems = append(problems, fmt.Errorf("run %d: expected a shard, got a whole run: merge what was run with --shard", i+1))
			continue
		case shard.Index < 1 || shard.Index > shard.Of:
			problems = append(problems, fmt.Errorf("run %d: expected a shard from 1 to %d, got %d: run it again with --shard", i+1, shard.Of, shard.Index))
			continue
		case of == 0:
			of = shard.Of
		case shard.Of != of:
			problems = append(problems, fmt.Errorf("run %d: expected a shard of %d, got one of %d: merge the shards of one run", i+1, of, shard.Of))
			continue
		}
		if other, twice := at[shard.Index]; twice {
			problems = append(problems, fmt.Errorf("run %d: expected each shard once, got shard %d of %d in run %d too: leave one out", i+1, shard.Index, of, other))
		}
		at[shard.Index] = i + 1
	}
	missing := of - len(at)
	for index, named := 1, 0; named < min(missing, mostMissing); index++ {
		if at[index] == 0 {
			problems = append(problems, fmt.Errorf("shard %d of %d is missing: run it with --shard %d/%d and merge it too", index, of, index, of))
			named++
		}
	}
	if more := missing - mostMissing; more > 0 {
		problems = append(problems, fmt.Errorf("%d shards more are missing", more))
	}
	return problems
}

// mostMissing is how many missing shards are named: a file may say that there are any
// number of them.
const mostMissing = 10

func mergedMeta(shards []Run) Meta {
	merged := shards[0].Meta
	merged.Partial, merged.PartialReason = false, ""
	var reasons []string
	for _, shard := range shards {
		meta := shard.Meta
		merged.Shards = append(merged.Shards, meta)
		if meta.Started.Before(merged.Started) {
			merged.Started = meta.Started
		}
		merged.Duration = max(merged.Duration, meta.Duration)
		merged.WorstLateness = max(merged.WorstLateness, meta.WorstLateness)
		merged.Host = common(merged.Host, meta.Host)
		merged.GoVersion = common(merged.GoVersion, meta.GoVersion)
		merged.Seed = common(merged.Seed, meta.Seed)
		if !slices.Equal(merged.Command, meta.Command) {
			merged.Command = []string{}
		}
		if meta.Partial {
			merged.Partial = true
			reasons = append(reasons, fmt.Sprintf("shard %d of %d: %s", shard.Selection.Shard.Index, len(shards), cmp.Or(meta.PartialReason, "cut short")))
		}
	}
	merged.PartialReason = strings.Join(reasons, "; ")
	return merged
}

// common is what two shards have in common: the same, or nothing.
func common[T comparable](a, b T) T {
	if a == b {
		return a
	}
	var none T
	return none
}
