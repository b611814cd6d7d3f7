// Package ginkgosuite judges a client in a Ginkgo suite: one spec a contract,
// generated from the catalogue.
//
//	var _ = ginkgosuite.Describe(mySubject)
//
// A container an area, one It a contract, with the labels "level:must",
// "area:body" and "needs:retry", so that Ginkgo's own filters choose. The
// contracts run side by side, and each It awaits its own. It imports suites and
// Ginkgo; nothing that the command links imports it.
package ginkgosuite

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// A Suite is the specs of one client.
type Suite struct {
	plan suites.Plan

	start   sync.Once
	running *suites.Running
	failure error
	// shared are results of another process, by contract id; nil where this
	// process runs the contracts itself.
	shared map[string]reports.Result
}

// Describe adds the specs of a client to the suite that is being built: call
// it where Describe may be called. A choice that comes to no contract fails the
// suite, as does a catalogue that cannot be read.
//
// Under `ginkgo -p` each process runs the contracts of the specs it is given,
// one after another. To run all of them once, side by side, on the first
// process, hand the suite to the SynchronizedBeforeSuite, of which Ginkgo
// allows one:
//
//	var suite = ginkgosuite.Describe(mySubject)
//	var _ = SynchronizedBeforeSuite(suite.RunOnce, suite.Share)
func Describe(subject suites.Subject, choices ...suites.Choice) *Suite {
	plan, err := suites.NewPlan(subject, choices...)
	s := &Suite{plan: plan}
	name := nameOf(subject)
	if err != nil {
		ginkgo.It(name+" is judged", func() { ginkgo.Fail(err.Error()) })
		return s
	}
	ginkgo.Describe(name, func() {
		for _, area := range areas(plan.Contracts) {
			ginkgo.Describe(area, ginkgo.Label("area:"+area), func() {
				for _, contract := range plan.Contracts {
					if contract.Area() == area {
						ginkgo.It(text(contract), ginkgo.Label(labels(contract)...), func() {
							s.await(contract)
						})
					}
				}
			})
		}
	})
	return s
}

// nameOf is a client's name; of one that was forgotten, what a spec can be called by
// that says so.
func nameOf(subject suites.Subject) string {
	if subject == nil {
		return "a client"
	}
	return subject.Profile().Name
}

// Specs is how many specs the suite has: one a contract.
func (s *Suite) Specs() int { return len(s.plan.Contracts) }

// RunOnce runs every contract that Ginkgo's filters select, and gives the
// results for Share. It is the first function of a SynchronizedBeforeSuite.
func (s *Suite) RunOnce() []byte {
	s.begin()
	if s.failure != nil {
		ginkgo.Fail(s.failure.Error())
	}
	if suite, _ := ginkgo.GinkgoConfiguration(); suite.ParallelTotal == 1 {
		return nil // the specs of this process await the run
	}
	results, err := json.Marshal(s.running.Wait().Results)
	if err != nil {
		ginkgo.Fail(fmt.Sprintf("hand the results to the other processes: %v", err))
	}
	return results
}

// Share takes the results of RunOnce. It is the second function of a
// SynchronizedBeforeSuite.
func (s *Suite) Share(results []byte) {
	if results == nil {
		return
	}
	var list []reports.Result
	if err := json.Unmarshal(results, &list); err != nil {
		ginkgo.Fail(fmt.Sprintf("take the results of the first process: %v", err))
	}
	s.shared = make(map[string]reports.Result, len(list))
	for _, result := range list {
		s.shared[result.ID] = result
	}
}

// await is the body of a contract's spec.
func (s *Suite) await(contract *scenarios.Contract) {
	result, ran := s.result(contract)
	if !ran {
		ginkgo.Fail("the run ended before this contract was judged")
	}
	ginkgo.AddReportEntry(string(result.Verdict), ginkgo.ReportEntryVisibilityFailureOrVerbose, result.Reason)
	switch {
	case s.plan.Fails(result):
		ginkgo.Fail(reports.Explain(result))
	case result.Verdict == assertions.Unsupported, result.Verdict == assertions.NotExercised:
		ginkgo.Skip(fmt.Sprintf("%s: %s", result.Verdict, result.Reason))
	}
}

// result is the contract's, wherever it was run.
func (s *Suite) result(contract *scenarios.Contract) (reports.Result, bool) {
	if s.shared != nil {
		result, ran := s.shared[contract.ID]
		return result, ran
	}
	if config, _ := ginkgo.GinkgoConfiguration(); config.ParallelTotal == 1 {
		s.begin()
		if s.failure != nil {
			ginkgo.Fail(s.failure.Error())
		}
		if s.running.Has(contract.ID) {
			return s.running.Result(contract.ID)
		}
	}
	// Ginkgo chose it by something that selected does not know, such as the
	// text of a container around this suite.
	run, err := suites.Start(context.Background(), s.plan.Subject, []*scenarios.Contract{contract}, s.plan.Options)
	if err != nil {
		ginkgo.Fail(err.Error())
	}
	return run.Result(contract.ID)
}

// begin starts the selected contracts, once.
func (s *Suite) begin() {
	s.start.Do(func() {
		contracts := s.selected()
		if len(contracts) == 0 {
			contracts = s.plan.Contracts
		}
		// The run outlives the spec that begins it; it ends by itself, as every
		// call has a deadline.
		s.running, s.failure = suites.Start(context.Background(), s.plan.Subject, contracts, s.plan.Options)
	})
}

// selected are the contracts that Ginkgo's filters leave.
func (s *Suite) selected() []*scenarios.Contract {
	config, _ := ginkgo.GinkgoConfiguration()
	filter := func([]string) bool { return true }
	// Ginkgo has refused a filter that cannot be parsed before it came here.
	if parsed, err := types.ParseLabelFilter(config.LabelFilter); err == nil && config.LabelFilter != "" {
		filter = parsed
	}
	name := s.plan.Subject.Profile().Name
	return slices.DeleteFunc(slices.Clone(s.plan.Contracts), func(contract *scenarios.Contract) bool {
		full := name + " " + contract.Area() + " " + text(contract)
		return !filter(append(labels(contract), "area:"+contract.Area())) ||
			len(config.FocusStrings) > 0 && !matches(config.FocusStrings, full) ||
			matches(config.SkipStrings, full)
	})
}

// areas are the contracts' areas, in the catalogue's order.
func areas(contracts []*scenarios.Contract) []string {
	var list []string
	for _, contract := range contracts {
		if !slices.Contains(list, contract.Area()) {
			list = append(list, contract.Area())
		}
	}
	return list
}

// text is the spec's text: the id, by which it is found, and the rule.
func text(contract *scenarios.Contract) string { return contract.ID + ": " + contract.Title }

// labels are the spec's own labels.
func labels(contract *scenarios.Contract) []string {
	list := []string{"level:" + string(contract.Level)}
	for _, capability := range contract.Capabilities() {
		list = append(list, "needs:"+string(capability))
	}
	return list
}

// matches tells whether one of the patterns is in the text. Ginkgo has refused
// a pattern that is none before it came here.
func matches(patterns []string, text string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		found, err := regexp.MatchString(pattern, text)
		return err == nil && found
	})
}
