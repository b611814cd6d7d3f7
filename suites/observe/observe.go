// Package observe says what a client does, in about ten lines, of a run of the
// contracts of level observe: how often it sends, which pauses it makes, what
// it makes of resets, silence and cut bodies; and which of that is dangerous,
// by which contract of the catalogue.
//
// It is pure: the same run gives the same summary. It imports scenarios and
// reports. A new thing to look at is a contract of level observe in the
// catalogue and a part of a topic in topics.go; a new danger is a line of
// dangers.go.
package observe

import (
	"slices"
	"time"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Format is the version of the form in which a summary is written as JSON.
const Format = 1

// A Summary is what a client was seen to do.
type Summary struct {
	// Format is the version of this form, 1.
	Format int            `json:"format"`
	Tool   reports.Tool   `json:"tool"`
	Client reports.Client `json:"client"`
	// Findings are what was seen, a topic each, in a fixed order.
	Findings []Finding `json:"findings"`
	// NotObserved are what this client could not be asked, by the reason.
	NotObserved []Unseen `json:"not_observed"`
	// Warnings are what of it is dangerous, the gravest first.
	Warnings []Warning `json:"warnings"`
	// Attempts is how often a request that always gets 503 is sent, the first
	// time included; 0 where that is not known.
	Attempts int `json:"attempts"`
	// Waits are the pauses between these attempts, in nanoseconds as measured: a
	// machine only ever adds to them.
	Waits []time.Duration `json:"waits_ns"`
	// Retried are the statuses after which a GET was sent again, Final those
	// after which it was not.
	Retried []int `json:"retried_statuses"`
	Final   []int `json:"final_statuses"`
	// Promises are a guess at the client's policy, for a draft of its profile: what
	// was seen of fields that the client cannot be told.
	Promises scenarios.Policy `json:"promises"`
}

// A Finding is what was seen of a topic.
type Finding struct {
	Topic string `json:"topic"`
	Text  string `json:"text"`
	// Contracts are the ids that it was seen by.
	Contracts []string `json:"contracts"`
}

// Unseen are subjects that were not observed for one reason.
type Unseen struct {
	Subjects []string `json:"subjects"`
	Reason   string   `json:"reason"`
}

// A Warning is something dangerous that the client was seen to do.
type Warning struct {
	Text string `json:"text"`
	// Contract is the id of the rule that it breaks.
	Contract string `json:"contract"`
}

// Options are what a run does not say.
type Options struct {
	// CallTimeout is the time after which a call was ended; 0 means that none was.
	CallTimeout time.Duration
	// TellBy is how a client of this kind is told what a capability stands for,
	// such as "{method}"; empty where it cannot be. Nil means that capabilities are
	// named as they are.
	TellBy func(scenarios.Capability) string
}

// Summarize reads a run of the contracts of level observe. Results of other
// contracts are passed over.
func Summarize(run reports.Run, options Options) Summary {
	w := witness{client: run.Client, options: options, results: map[string]reports.Result{}}
	for _, result := range run.Results {
		w.results[result.ID] = result
	}
	s := Summary{
		Format: Format, Tool: run.Tool, Client: run.Client,
		Findings: []Finding{}, Warnings: dangers(&w), NotObserved: w.unseen(),
		Waits: []time.Duration{}, Retried: []int{}, Final: []int{},
		Promises: promises(&w),
	}
	for _, t := range topics {
		if finding, seen := w.find(t); seen {
			s.Findings = append(s.Findings, finding)
		}
	}
	if call, seen := w.only(on503); seen {
		s.Attempts = len(call.attempts)
		s.Waits = append(s.Waits, call.waits()...)
	}
	for _, status := range w.statuses() {
		if status.retried {
			s.Retried = append(s.Retried, status.status)
		} else {
			s.Final = append(s.Final, status.status)
		}
	}
	return s
}

// Contracts are the contracts of level observe, which a summary is made of,
// without those that run only when they are named.
func Contracts(catalogue []*scenarios.Contract) []*scenarios.Contract {
	return slices.DeleteFunc(slices.Clone(catalogue), func(c *scenarios.Contract) bool {
		return c.Level != scenarios.Observe || c.OptIn
	})
}
