package doctor

import (
	"slices"
	"strings"
)

// A Status is what became of one promise on the path.
type Status string

// The statuses.
const (
	// Kept: what was sent is what arrived, each time.
	Kept Status = "kept"
	// Noted: something differs that changes no fault and no verdict, such as a
	// header that the path adds.
	Noted Status = "noted"
	// Changed: a fault, or what verdicts are made of, does not arrive as it was sent.
	Changed Status = "changed"
	// NotJudged: the check could not be made.
	NotJudged Status = "not-judged"
	// Impossible: the server cannot play the fault, so that no contract has it
	// either.
	Impossible Status = "impossible"
)

// A Finding is what one check has found.
type Finding struct {
	// Check is its name, such as "reset-in-body".
	Check  string `json:"check"`
	Status Status `json:"status"`
	// Expected is what arrives where the path changes nothing; Got what did.
	Expected string `json:"expected"`
	Got      string `json:"got"`
	// Exchanges is how often it was tried, Deviating how often it came otherwise.
	Exchanges int `json:"exchanges"`
	Deviating int `json:"deviating"`
	// Means says what the change does to verdicts, Do what to do. They are given
	// where the status is changed.
	Means string `json:"means,omitempty"`
	Do    string `json:"do,omitempty"`
}

// A Verdict is what a report comes to.
type Verdict string

// The verdicts.
const (
	// Faithful: no check found a change.
	Faithful Verdict = "faithful"
	// Unfaithful: the path changes faults: what is judged through it says nothing of
	// the client.
	Unfaithful Verdict = "unfaithful"
	// Incomplete: no change was found, and a check could not be made.
	Incomplete Verdict = "incomplete"
)

// A Report is what an examination has found.
type Report struct {
	// Format is the version of this form.
	Format int `json:"format"`
	// Via is where the path begins.
	Via     string  `json:"via"`
	Verdict Verdict `json:"verdict"`
	// Checks are in a fixed order: how things end, bytes, attempts, times,
	// connections, requests.
	Checks []Finding `json:"checks"`
}

// reportFormat is the version of the report's form.
const reportFormat = 1

// verdictOf is what findings come to.
func verdictOf(findings []Finding) Verdict {
	has := func(status Status) bool {
		return slices.ContainsFunc(findings, func(f Finding) bool { return f.Status == status })
	}
	switch {
	case has(Changed):
		return Unfaithful
	case has(NotJudged):
		return Incomplete
	default:
		return Faithful
	}
}

// Of are the findings of a status.
func (r Report) Of(status Status) []Finding {
	var list []Finding
	for _, finding := range r.Checks {
		if finding.Status == status {
			list = append(list, finding)
		}
	}
	return list
}

// Summary names what the path changes, or what of it is not known; empty for a
// faithful one.
func (r Report) Summary() string {
	status, verb := Changed, "changes what is sent through it"
	switch r.Verdict {
	case Faithful:
		return ""
	case Incomplete:
		status, verb = NotJudged, "could not be examined whole"
	case Unfaithful:
	}
	var names []string
	for _, finding := range r.Of(status) {
		names = append(names, finding.Check)
	}
	return "the path " + r.Via + " " + verb + ": " + strings.Join(names, ", ")
}
