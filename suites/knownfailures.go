package suites

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A KnownFailure is a contract that a client is known to break, or several of
// them that it breaks for one reason.
type KnownFailure struct {
	// Contract is an id, or a glob of ids such as "retry-after.http-date-*". Each
	// contract that it means has to fail.
	Contract string `yaml:"contract"`
	// Reason says why it fails.
	Reason string `yaml:"reason"`
	// Link is where more is said of it, such as an issue or a page of the client's
	// manual: an http or https URL.
	Link string `yaml:"link"`
}

// KnownFailures is a list of them. A contract that is on it is known-fail where
// it would fail or be weak, which fails no run; and unexpected-pass where it
// passes, which does, so that no entry outlives its reason. A contract that is
// not judged keeps its verdict.
type KnownFailures []KnownFailure

// ReadKnownFailures reads a list from a YAML file; its name is for messages.
// The error is of type [scenarios.Problems] and holds all that is wrong.
func ReadKnownFailures(file string, data []byte) (KnownFailures, error) {
	var list KnownFailures
	source, err := scenarios.DecodeStrict(file, data, &list)
	if err != nil {
		return nil, err
	}
	if problems := list.Problems(source, ""); len(problems) > 0 {
		return nil, problems
	}
	return list, nil
}

// Problems are what is wrong with each entry by itself, of a list that stands
// at a path of a file.
func (k KnownFailures) Problems(source scenarios.Source, at string) scenarios.Problems {
	var problems scenarios.Problems
	for i, known := range k {
		entry := fmt.Sprintf("%s[%d]", at, i)
		report := func(key, format string, args ...any) {
			problems = append(problems, source.Problem(strings.TrimPrefix(entry+"."+key, "."), format, args...))
		}
		if known.Contract == "" {
			report("contract", "expected the id of a contract that is known to fail, or a glob such as body.*; got none")
		} else if _, err := path.Match(known.Contract, ""); err != nil {
			report("contract", "expected an id or a glob such as body.*; got %q: %v", known.Contract, err)
		}
		if strings.TrimSpace(known.Reason) == "" {
			report("reason", "expected why the contract fails; got nothing")
		}
		if !isLink(known.Link) {
			report("link", "expected where more is said of it, such as https://example.com/issues/1; got %q", known.Link)
		}
	}
	return problems
}

func isLink(text string) bool {
	link, err := url.Parse(text)
	return err == nil && (link.Scheme == "https" || link.Scheme == "http") && link.Host != ""
}

// CheckKnownFailures compares what a subject's profile lists, and what is
// listed besides, with all contracts that there are, whether they are selected
// or not. An entry that lacks something or means none of them, or none that
// could fail, is an error, and so is a contract that two entries mean.
func CheckKnownFailures(subject Subject, besides KnownFailures, contracts []*scenarios.Contract) error {
	all := slices.Concat(subject.Profile().KnownFailures, besides)
	if problems := all.Problems(scenarios.Source{}, "known-failures"); len(problems) > 0 {
		return problems
	}
	return all.check(contracts)
}

func (k KnownFailures) check(contracts []*scenarios.Contract) error {
	var wrong []error
	meant := make([]int, len(k))
	for _, contract := range contracts {
		var by []KnownFailure
		for i, known := range k {
			if known.means(contract.ID) && contract.Level != scenarios.Observe {
				meant[i]++
				by = append(by, known)
			}
		}
		if len(by) > 1 {
			wrong = append(wrong, fmt.Errorf("known failures: two entries mean %s, %q (%s) and %q (%s): leave one of them",
				contract.ID, by[0].Contract, by[0].Reason, by[1].Contract, by[1].Reason))
		}
	}
	for i, known := range k {
		if meant[i] == 0 {
			wrong = append(wrong, fmt.Errorf("known failures: %q means no contract that can fail%s: correct it or take it off the list",
				known.Contract, nearestContract(known.Contract, contracts)))
		}
	}
	return errors.Join(wrong...)
}

func nearestContract(written string, contracts []*scenarios.Contract) string {
	var ids []string
	for _, contract := range contracts {
		ids = append(ids, contract.ID)
	}
	if near := scenarios.Nearest(written, ids); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// means tells whether an entry is about a contract.
func (k KnownFailure) means(id string) bool {
	matched, err := path.Match(k.Contract, id)
	return err == nil && matched
}

// apply changes a result by what the list says of its contract.
func (k KnownFailures) apply(result reports.Result) reports.Result {
	i := slices.IndexFunc(k, func(known KnownFailure) bool { return known.means(result.ID) })
	if i < 0 {
		return result
	}
	known := k[i]
	result.Known = &reports.KnownFailure{Reason: known.Reason, Link: known.Link}
	switch result.Verdict {
	case assertions.Fail, assertions.Weak:
		result.Verdict = assertions.KnownFail
		result.Reason = fmt.Sprintf("%s (%s); %s", known.Reason, known.Link, result.Reason)
	case assertions.Pass:
		result.Verdict = assertions.UnexpectedPass
		result.Reason = fmt.Sprintf("it is listed as a known failure by %q, and passes: take it off the list, which gives as the reason: %s (%s)",
			known.Contract, known.Reason, known.Link)
	case assertions.Unsupported, assertions.NotExercised:
		result.Reason = fmt.Sprintf("%s; it is listed as a known failure: %s (%s)", result.Reason, known.Reason, known.Link)
	}
	return result
}
