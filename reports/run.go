package reports

import (
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Format is the version of the result format that this package writes and reads.
const Format = 1

// A Renderer writes a run in one form.
type Renderer func(io.Writer, Run) error

// Run is the result of judging one client.
type Run struct {
	// Format is the version of this format, 1.
	Format int  `json:"format"`
	Tool   Tool `json:"tool"`
	// Client is the client that was judged.
	Client    Client    `json:"client"`
	Selection Selection `json:"selection"`
	// Totals counts the results by level and verdict; a count of 0 is left out.
	Totals map[scenarios.Level]map[assertions.Verdict]int `json:"totals"`
	// Results has one entry for each contract that was run, sorted by id.
	Results []Result `json:"results"`
	// Meta is what varies from run to run.
	Meta Meta `json:"meta"`
}

// Tool is the program that judged.
type Tool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

// Client is the client that was judged.
type Client struct {
	Name string `json:"name"`
	// Version is what the client says of itself; empty where it does not tell.
	Version string `json:"version,omitempty"`
	// Language is what it is written for and its version, such as "Java 17.0.15";
	// empty where it does not tell.
	Language string `json:"language,omitempty"`
	// Kind is how the client is reached, such as "in-process" or "exec".
	Kind string `json:"kind"`
	// Capabilities are what it can do or be told, sorted.
	Capabilities []scenarios.Capability `json:"capabilities"`
	// Promises is the policy that the client declares; null where it declares none.
	Promises *scenarios.Policy `json:"promises,omitempty"`
}

// Selection is what was asked for.
type Selection struct {
	// Patterns are the globs on contract ids; empty means all.
	Patterns []string `json:"patterns"`
	// Level is what runs: "must", "should" or "all".
	Level string `json:"level"`
	// FailOn is what fails the run: "must" (also when empty), or "should", which
	// fails it on a weak verdict too.
	FailOn scenarios.Level `json:"fail_on"`
	// Contracts is how many contracts were selected. A run that was cut short
	// has fewer results.
	Contracts int `json:"contracts"`
	// Shard is which part of the selection ran; null where all of it did.
	Shard *Shard `json:"shard,omitempty"`
}

// Shard is a part of a run that is cut into several (see scenarios.InShard).
type Shard struct {
	// Index counts from 1 to Of.
	Index int `json:"index"`
	Of    int `json:"of"`
}

// Meta is what varies from run to run. Of a merged run (see Merge), Host,
// GoVersion, Seed and Command are empty where the shards differ.
type Meta struct {
	Started time.Time `json:"started"`
	// Duration is the whole run's, in nanoseconds.
	Duration  time.Duration `json:"duration_ns"`
	Host      Host          `json:"host"`
	GoVersion string        `json:"go_version"`
	Seed      uint64        `json:"seed"`
	// Command is the command of the run, as arguments. Assemble hashes its secrets.
	Command []string `json:"command"`
	// Partial tells that the run was cut short, PartialReason by what, such as
	// "got SIGINT".
	Partial       bool   `json:"partial,omitempty"`
	PartialReason string `json:"partial_reason,omitempty"`
	// WorstLateness is the worst lateness of a timer over all results, in nanoseconds.
	WorstLateness time.Duration `json:"worst_lateness_ns"`
	// Shards are what varied in each shard of a merged run, in their order.
	Shards []Meta `json:"shards,omitempty"`
}

// Host is the machine that a run was made on.
type Host struct {
	OS   string `json:"os"`
	Arch string `json:"arch"`
	CPUs int    `json:"cpus"`
}

// Assemble makes a run complete: it takes the head (everything but Format,
// Totals, Results and the worst lateness), sorts the results by id, counts
// them, and hides the secrets of the command, and in every text what the
// redactor has learned to be one since the result was made.
func Assemble(head Run, results []Result, redactor *Redactor) Run {
	run := head
	run.Format = Format
	run.Client.Capabilities = notNil(slices.Sorted(slices.Values(head.Client.Capabilities)))
	run.Selection.Patterns = notNil(run.Selection.Patterns)
	if run.Selection.FailOn == "" {
		run.Selection.FailOn = scenarios.Must
	}
	run.Meta.Command = redactor.Arguments(head.Meta.Command)
	run.Results = make([]Result, 0, len(results))
	for _, result := range results {
		run.Results = append(run.Results, result.mapTexts(redactor.Text))
		run.Meta.WorstLateness = max(run.Meta.WorstLateness, result.Meta.Lateness)
	}
	slices.SortFunc(run.Results, func(a, b Result) int { return strings.Compare(a.ID, b.ID) })
	run.Totals = totals(run.Results)
	run.Meta.PartialReason = redactor.Text(run.Meta.PartialReason)
	return run
}

func totals(results []Result) map[scenarios.Level]map[assertions.Verdict]int {
	counts := map[scenarios.Level]map[assertions.Verdict]int{}
	for _, result := range results {
		if counts[result.Level] == nil {
			counts[result.Level] = map[assertions.Verdict]int{}
		}
		counts[result.Level][result.Verdict]++
	}
	return counts
}

// count is how many results have one of the verdicts.
func (r Run) count(verdicts ...assertions.Verdict) int {
	count := 0
	for _, result := range r.Results {
		if slices.Contains(verdicts, result.Verdict) {
			count++
		}
	}
	return count
}

// notNil makes a list of nothing, which is [] in JSON, of no list, which is null.
func notNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func sameTotals(a, b map[scenarios.Level]map[assertions.Verdict]int) bool {
	return maps.EqualFunc(a, b, maps.Equal[map[assertions.Verdict]int, map[assertions.Verdict]int])
}
