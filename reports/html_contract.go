package reports

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// evidencePrefix comes before a contract's id in the address of what is inside of it
// on a page: a browser opens what such an address leads into, without any script.
const evidencePrefix = "in:"

// contractView is what the template shows of a result.
type contractView struct {
	ID, Inside, Title, Verdict string
	// Section is the key of the section that it is listed in, Glyph its sign.
	Section, Glyph string
	Open           bool
	Gist           string

	Level, Basis, Why string
	Cites             []citeView
	Cases, Needs      string
	Policy            string
	Reason            string
	Checks            []checkView
	Timeline          *timeline
	Attempts          *attemptTableView
	Calls             *callTableView
	Sides             []sideBySide
	SidesNote         string
	Besides           []string
	Meaning           string
	Rerun             string
	RerunNote         string
}

// broken are the verdicts by which a client has to change: of these a page says
// what that means for a user, of the others why they were given.
var broken = []assertions.Verdict{assertions.Fail, assertions.Weak, assertions.KnownFail}

type citeView struct{ Text, URL string }

// checkView is a comparison; State is "ok", "failed", "unseen" (not observed),
// "noise" or "seen" (reported and not judged).
type checkView struct {
	State, Glyph, StateText  string
	Part, Name               string
	Expected, Observed, Says string
}

func newContractView(result Result) contractView {
	view := contractView{
		ID: clean(result.ID), Inside: evidencePrefix + clean(result.ID), Title: clean(result.Title), Verdict: string(result.Verdict), Gist: clean(gist(result)),
		Level: clean(string(result.Level)), Basis: clean(string(result.Basis)), Why: clean(result.Why),
		Cites: mapped(result.Cites, newCiteView), Cases: clean(strings.Join(result.Cases, ", ")),
		Needs:    clean(strings.Join(mapped(result.Needs, func(c scenarios.Capability) string { return string(c) }), ", ")),
		Policy:   clean(strings.Join(PolicyFacts(result.Policy), "; ")),
		Checks:   mapped(result.Checks, newCheckView),
		Timeline: newTimeline(result), Attempts: newAttemptTable(result), Calls: newCallTable(result),
		Besides: besidesOf(result), Rerun: clean(result.Meta.Rerun),
	}
	view.Sides, view.SidesNote = sidesOf(result)
	if slices.Contains(broken, result.Verdict) {
		view.Meaning = clean(meaning(failedChecks(result), result.Why))
	} else {
		view.Reason = clean(result.Reason)
	}
	if strings.Contains(view.Rerun, hashPrefix) {
		view.RerunNote = sentence(rerunSecret)
	}
	for _, section := range sections {
		if slices.Contains(section.verdicts, result.Verdict) {
			view.Section, view.Glyph = section.key, section.glyph
		}
	}
	return view
}

// rfc is a document that has a page of its own, with its sections as anchors.
var rfc = regexp.MustCompile(`^RFC (\d+)$`)

func newCiteView(cite scenarios.Cite) citeView {
	view := citeView{URL: cite.URL}
	if number := rfc.FindStringSubmatch(cite.Doc); view.URL == "" && number != nil {
		view.URL = "https://www.rfc-editor.org/rfc/rfc" + number[1]
		if cite.Section != "" {
			view.URL += "#section-" + cite.Section
		}
	}
	if !strings.HasPrefix(view.URL, "https://") && !strings.HasPrefix(view.URL, "http://") {
		view.URL = ""
	}
	cite.URL = ""
	view.Text = clean(citation(cite))
	return view
}

func newCheckView(check assertions.Check) checkView {
	view := checkView{
		Part: clean(string(check.Part)), Name: clean(checkName(check)),
		Expected: clean(check.Expected), Observed: clean(check.Observed), Says: clean(sentence(check.Explanation)),
	}
	switch {
	case check.Part == assertions.PartObserve:
		view.State, view.Glyph, view.StateText = "seen", "●", "seen"
	case check.Noise:
		view.State, view.Glyph, view.StateText = "noise", "≈", "too noisy to judge"
	case check.OK == nil:
		view.State, view.Glyph, view.StateText = "unseen", "○", "not observed"
	case *check.OK:
		view.State, view.Glyph, view.StateText = "ok", "✓", "ok"
	default:
		view.State, view.Glyph, view.StateText = "failed", "✗", "failed"
	}
	return view
}

// besidesOf are what neither the attempts nor the calls show.
func besidesOf(result Result) []string {
	var lines []string
	if text := besides(result); text != "" {
		lines = append(lines, sentence(text))
	}
	silent := 0
	for _, connection := range result.Connections {
		if connection.Silent {
			silent++
		}
	}
	if silent > 0 {
		lines = append(lines, fmt.Sprintf("Of %d connections %d never carried a byte; they are no attempts.", len(result.Connections), silent))
	}
	if len(result.Unmet) > 0 {
		lines = append(lines, "Not met: "+strings.Join(result.Unmet, "; ")+".")
	}
	if result.Effects > 0 {
		lines = append(lines, fmt.Sprintf("Side effects performed: %d.", result.Effects))
	}
	if result.Dropped > 0 {
		lines = append(lines, fmt.Sprintf("The journal could not hold %d entries.", result.Dropped))
	}
	if result.Meta.Watched > 0 {
		lines = append(lines, fmt.Sprintf("Late attempts were looked for during %s after the last return.", clock(result.Meta.Watched)))
	}
	return mapped(lines, clean)
}
