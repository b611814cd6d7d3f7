package reports

import (
	"bufio"
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Explain is what there is to say of one result, as plain text of several
// lines: for a test's message, and for forms that hold text.
func Explain(result Result) string {
	var text strings.Builder
	p := page{out: bufio.NewWriter(&text)}
	p.result(result)
	_ = p.out.Flush() // a strings.Builder takes everything
	return strings.TrimLeft(text.String(), "\n")
}

// result explains a result, always in this order: the contract and its
// source; what was expected; the attempts; what it means for a user; the
// command that runs it again.
func (p page) result(result Result) {
	p.line("")
	p.line(p.style.verdict(result.Verdict, 0) + " " + p.style.paint(bold, clean(result.ID)) + ": " + clean(result.Title))
	p.field("rule", source(result))
	failed := failedChecks(result)
	if len(failed) == 0 {
		p.field("reason", result.Reason)
		p.seen(result.Checks)
	}
	for _, check := range failed {
		p.field("expected", checkName(check)+": "+check.Expected)
		p.field("observed", check.Observed)
	}
	p.attempts(result)
	p.field("besides", besides(result))
	if result.Outcome != nil {
		p.field("caller got", outcomeText(*result.Outcome))
	}
	p.field("meaning", meaning(failed, result.Why))
	p.rerun(result)
}

// labelWidth is the column at which a field's text begins.
const labelWidth = 14

func (p page) field(label, text string) {
	if text == "" {
		return
	}
	lead := fmt.Sprintf("  %-*s", labelWidth-2, label)
	for _, line := range p.style.wrapped(clean(text), labelWidth) {
		p.line(lead + line)
		lead = strings.Repeat(" ", labelWidth)
	}
}

// source is what the rule rests on, and what it stands for.
func source(result Result) string {
	parts := []string{fmt.Sprintf("%s, %s", result.Level, result.Basis)}
	for _, cite := range result.Cites {
		parts = append(parts, citation(cite))
	}
	if len(result.Cases) > 0 {
		parts = append(parts, "field reports "+strings.Join(result.Cases, ", "))
	}
	return strings.Join(parts, "; ")
}

func citation(cite scenarios.Cite) string {
	text := cite.Doc
	if cite.Section != "" {
		text += " section " + cite.Section
	}
	if cite.Strength != "" {
		text += " (" + string(cite.Strength) + ")"
	}
	if cite.URL != "" {
		text += " " + cite.URL
	}
	return text
}

func failedChecks(result Result) []assertions.Check {
	var failed []assertions.Check
	for _, check := range result.Checks {
		if check.OK != nil && !*check.OK {
			failed = append(failed, check)
		}
	}
	return failed
}

// seen is what was observed where nothing failed.
func (p page) seen(checks []assertions.Check) {
	for _, check := range checks {
		if check.OK != nil || check.Part == assertions.PartObserve {
			p.field("seen", checkName(check)+": "+check.Observed)
		}
	}
}

func checkName(check assertions.Check) string {
	if check.Call == "" {
		return check.Name
	}
	return check.Name + " of " + check.Call
}

// meaning is what the failed checks mean, and what the rule protects.
func meaning(failed []assertions.Check, why string) string {
	var sentences []string
	for _, check := range failed {
		sentences = append(sentences, sentence(check.Explanation))
	}
	return strings.TrimSpace(strings.Join(append(sentences, sentence(why)), " "))
}

// sentence gives a text a sentence's beginning and end, where it has none.
func sentence(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	text = string(unicode.ToUpper(first)) + text[size:]
	if !strings.ContainsAny(text[len(text)-1:], ".!?") {
		text += "."
	}
	return text
}

func (p page) attempts(result Result) {
	if len(result.Attempts) == 0 {
		p.field("attempts", "none arrived")
		return
	}
	p.line("  attempts")
	for row := range strings.Lines(attemptTable(result)) {
		p.line("    " + clean(strings.TrimRight(row, "\n")))
	}
}

// besides are what the attempts do not show: when the listener refused, and
// what came and is no attempt.
func besides(result Result) string {
	const most = 5
	var parts []string
	for _, window := range result.Windows {
		until := "to the end"
		if window.Meta.Until != 0 {
			until = "to " + window.Meta.Until.String()
		}
		parts = append(parts, fmt.Sprintf("%s from %v %s", window.Act, window.Meta.From, until))
	}
	for _, event := range result.Events[:min(most, len(result.Events))] {
		parts = append(parts, fmt.Sprintf("%s on connection %d at %v: %s", event.Kind, event.Connection, event.Meta.From, event.Detail))
	}
	if more := len(result.Events) - most; more > 0 {
		parts = append(parts, fmt.Sprintf("%d more", more))
	}
	return strings.Join(parts, "; ")
}

func outcomeText(outcome scenarios.Outcome) string {
	text := shortOutcome(outcome)
	if outcome.Error != nil && outcome.Error.Message != "" {
		text += ": " + outcome.Error.Message
	}
	if outcome.Note != "" {
		text += "; " + outcome.Note
	}
	return text
}

// shortOutcome is the outcome without anybody's own words.
func shortOutcome(outcome scenarios.Outcome) string {
	text := string(outcome.Kind)
	status := outcome.Status
	if outcome.Error != nil {
		text += " " + string(outcome.Error.Kind)
		status = cmp.Or(status, outcome.Error.LastStatus)
	}
	if status != 0 {
		text += fmt.Sprintf(", status %d", status)
	}
	return text
}

// rerunSecret says what to do with a command in which a secret is hidden.
const rerunSecret = "the " + hashPrefix + "… in it stands for a secret: put yours there"

// rerun is never broken over lines: it is there to be copied.
func (p page) rerun(result Result) {
	if result.Meta.Rerun == "" {
		return
	}
	p.line(fmt.Sprintf("  %-*s%s", labelWidth-2, "rerun", clean(result.Meta.Rerun)))
	if strings.Contains(result.Meta.Rerun, hashPrefix) {
		p.field("", "("+rerunSecret+")")
	}
}
