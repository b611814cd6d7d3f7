package reports

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// shards is a run cut into so many parts, as the runs of the parts would be.
func shards(run Run, of int) []Run {
	var parts []Run
	for index := 1; index <= of; index++ {
		var results []Result
		for i, result := range run.Results {
			if i%of == index-1 {
				results = append(results, result)
			}
		}
		head := run
		head.Selection.Shard = &Shard{Index: index, Of: of}
		head.Selection.Contracts = len(results)
		parts = append(parts, Assemble(head, results, sampleRedactor()))
	}
	return parts
}

func TestMergeGivesTheRunThatWasCut(t *testing.T) {
	want := sampleRun()
	for _, order := range [][]int{{0, 1, 2}, {2, 0, 1}} {
		parts := shards(want, 3)
		got, err := Merge(parts[order[0]], parts[order[1]], parts[order[2]])
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Meta.Shards) != 3 {
			t.Errorf("expected the meta of 3 shards, got %d", len(got.Meta.Shards))
		}
		got.Meta.Shards = nil
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("the merged run differs from the whole one (- is the whole):\n%s", diff)
		}
	}
}

func TestAMergedRunCanBeReadAgain(t *testing.T) {
	merged, err := Merge(shards(sampleRun(), 2)...)
	if err != nil {
		t.Fatal(err)
	}
	again, err := Read(bytes.NewReader(rendered(t, JSON, merged)))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(merged, again); diff != "" {
		t.Error(diff)
	}
}

func TestMergeKeepsWhatVaries(t *testing.T) {
	parts := shards(sampleRun(), 3)
	parts[1].Meta.Started = parts[1].Meta.Started.Add(-time.Minute)
	parts[1].Meta.Seed = 9
	parts[1].Meta.Command = append(slices.Clone(parts[1].Meta.Command), "--shard", "2/3")
	parts[2].Meta.Duration = time.Hour
	parts[2].Meta.Partial, parts[2].Meta.PartialReason = true, "got SIGINT"
	merged, err := Merge(parts...)
	if err != nil {
		t.Fatal(err)
	}
	meta := merged.Meta
	if !meta.Started.Equal(parts[1].Meta.Started) || meta.Duration != time.Hour {
		t.Errorf("expected the first start and the longest duration, got %v and %v", meta.Started, meta.Duration)
	}
	if meta.Seed != 0 || len(meta.Command) != 0 || meta.Host != parts[0].Meta.Host {
		t.Errorf("expected nothing where the shards differ, and what they share: got seed %d, command %q, host %v", meta.Seed, meta.Command, meta.Host)
	}
	if !meta.Partial || meta.PartialReason != "shard 3 of 3: got SIGINT" || ExitStatus(merged) != NotCompleted {
		t.Errorf("expected a partial run that says why, got %v, %q", meta.Partial, meta.PartialReason)
	}
	if seeds := mapped(meta.Shards, func(m Meta) uint64 { return m.Seed }); !slices.Equal(seeds, []uint64{7, 9, 7}) {
		t.Errorf("expected each shard's own seed, got %v", seeds)
	}
	if head, _, _ := strings.Cut(string(rendered(t, Terminal(Style{}), merged)), "\n"); !strings.Contains(head, "seeds 7, 9, 7 (by shard)") {
		t.Errorf("a run of several seeds is told as %q", head)
	}
}

func TestMergeRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(parts []Run) []Run
		want   string
	}{
		"nothing":         {func([]Run) []Run { return nil }, "expected the results of every shard, got none"},
		"a missing shard": {func(parts []Run) []Run { return parts[:2] }, "shard 3 of 3 is missing: run it with --shard 3/3"},
		"a billion missing": {func(parts []Run) []Run {
			for i := range parts {
				parts[i].Selection.Shard.Of = 1_000_000_000
			}
			return parts
		}, "999999987 shards more are missing"},
		"a shard twice":       {func(parts []Run) []Run { return append(parts, parts[0]) }, "got shard 1 of 3 in run 1 too"},
		"a whole run":         {func(parts []Run) []Run { parts[1].Selection.Shard = nil; return parts }, "run 2: expected a shard, got a whole run"},
		"a shard of another":  {func(parts []Run) []Run { parts[1].Selection.Shard = &Shard{2, 4}; return parts }, "expected a shard of 3, got one of 4"},
		"a shard that is not": {func(parts []Run) []Run { parts[1].Selection.Shard = &Shard{4, 3}; return parts }, "expected a shard from 1 to 3, got 4"},
		"another format":      {func(parts []Run) []Run { parts[2].Format = 2; return parts }, "run 3: expected the format of run 1, 1, got 2"},
		"another tool":        {func(parts []Run) []Run { parts[2].Tool.Version = "9"; return parts }, "one version of faultsrv"},
		"another client":      {func(parts []Run) []Run { parts[2].Client.Version = "9"; return parts }, "judge one client"},
		"other promises": {func(parts []Run) []Run {
			attempts := 5
			parts[2].Client.Promises = &scenarios.Policy{Attempts: &attempts}
			return parts
		}, `"promises":{"attempts":5}`},
		"another level":      {func(parts []Run) []Run { parts[2].Selection.Level = "must"; return parts }, "the same --contracts, --level"},
		"a contract twice":   {func(parts []Run) []Run { parts[1].Results = parts[0].Results; return parts }, "comes twice"},
		"several things bad": {func(parts []Run) []Run { parts[2].Tool.Version = "9"; return parts[1:] }, "shard 1 of 3 is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Merge(test.change(shards(sampleRun(), 3))...)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("expected an error with %q, got: %v", test.want, err)
			}
		})
	}
}

// A shard may be empty: few contracts, or a catalogue that spreads badly.
func TestAnEmptyShardIsMergedToo(t *testing.T) {
	run := runOf(scenarios.Must, assertions.Pass)
	run.Selection.Contracts = 1
	merged, err := Merge(shards(run, 2)...)
	if err != nil || ExitStatus(merged) != Conforming || merged.Selection.Contracts != 1 {
		t.Errorf("expected a run that conforms by one contract, got %v, %v", merged.Selection, err)
	}
}
