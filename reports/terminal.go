package reports

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// Terminal renders a run for a reader: what the client keeps, what it breaks
// and what could not be judged; each failure explained; and last, where a
// terminal shows it, the totals by level and what the run's exit status means.
func Terminal(style Style) Renderer {
	return func(w io.Writer, run Run) error {
		p := page{out: bufio.NewWriter(w), style: style}
		p.head(run)
		for _, section := range sections {
			p.section(section, run)
		}
		for _, result := range run.Results {
			if slices.Contains(explained, result.Verdict) {
				p.result(result)
			}
		}
		p.totals(run)
		p.conclusion(run)
		if err := p.out.Flush(); err != nil {
			return fmt.Errorf("write the results: %w", err)
		}
		return nil
	}
}

// page writes text of a style; the writer keeps the first error.
type page struct {
	out   *bufio.Writer
	style Style
}

func (p page) line(text string) { _, _ = fmt.Fprintln(p.out, strings.TrimRight(text, " ")) }

func (p page) heading(text string) {
	p.line("")
	p.line(p.style.paint(bold, text))
}

func (p page) head(run Run) {
	client := strings.TrimSpace(run.Client.Name + " " + run.Client.Version)
	p.line(clean(fmt.Sprintf("%s %s judged %s (%s) by %s, level %s, %s.",
		run.Tool.Name, run.Tool.Version, client, run.Client.Kind, contracts(len(run.Results)), run.Selection.Level, seedText(run.Meta))))
}

// A section lists the results of some verdicts. The key and the glyph are how
// a page marks them.
type section struct {
	title, key, glyph string
	verdicts          []assertions.Verdict
}

var sections = []section{
	{"Keeps", "keeps", "✓", []assertions.Verdict{assertions.Pass}},
	{"Does, without judgement", "observed", "●", []assertions.Verdict{assertions.Observed}},
	{"Known to fail", "known", "◇", []assertions.Verdict{assertions.KnownFail}},
	{"Not judged", "passed-over", "○", passedOver},
	{"Could not run", "impossible", "⊘", impossible},
	{"Breaks a should", "weak", "!", []assertions.Verdict{assertions.Weak}},
	{"Breaks", "breaks", "✗", []assertions.Verdict{assertions.Fail, assertions.UnexpectedPass}},
}

// explained are the verdicts that the reader has to do something about.
var explained = slices.Concat(impossible, []assertions.Verdict{assertions.Fail, assertions.UnexpectedPass, assertions.Weak})

func (p page) section(s section, run Run) {
	var listed []Result
	verdictWidth, idWidth := 0, 0
	for _, result := range run.Results {
		if slices.Contains(s.verdicts, result.Verdict) {
			listed = append(listed, result)
			verdictWidth = max(verdictWidth, len(result.Verdict))
			idWidth = max(idWidth, len(result.ID))
		}
	}
	if len(listed) == 0 {
		return
	}
	p.heading(fmt.Sprintf("%s (%d)", s.title, len(listed)))
	indent := 2 + verdictWidth + 2 + idWidth + 2
	for _, result := range listed {
		lead := fmt.Sprintf("  %s  %-*s  ", p.style.verdict(result.Verdict, verdictWidth), idWidth, clean(result.ID))
		for i, text := range p.style.wrapped(clean(gist(result)), indent) {
			if i > 0 {
				lead = strings.Repeat(" ", indent)
			}
			p.line(lead + text)
		}
	}
}

// gist is what a list says of a result: the rule where it was judged, else why
// it was not, else what was seen.
func gist(result Result) string {
	switch {
	case result.Verdict == assertions.Observed:
		return observations(result)
	case slices.Contains(passedOver, result.Verdict), slices.Contains(impossible, result.Verdict),
		result.Verdict == assertions.KnownFail:
		return result.Reason
	default:
		return result.Title
	}
}

func observations(result Result) string {
	var seen []string
	for _, check := range result.Checks {
		seen = append(seen, check.Name+": "+check.Observed)
	}
	return strings.Join(seen, "; ")
}

// levelColumn is the width of the column of levels, its indent included.
const levelColumn = 10

var levels = []scenarios.Level{scenarios.Must, scenarios.Should, scenarios.Observe}

// totals is a table of levels by those verdicts that were given.
func (p page) totals(run Run) {
	columns := givenVerdicts(run)
	if len(columns) == 0 {
		return
	}
	p.heading("Totals")
	cells := []string{strings.Repeat(" ", levelColumn)}
	for _, verdict := range columns {
		cells = append(cells, p.style.verdict(verdict, 0))
	}
	p.line(strings.Join(cells, "  "))
	for _, level := range levels {
		if len(run.Totals[level]) == 0 {
			continue
		}
		cells = []string{fmt.Sprintf("  %-*s", levelColumn-2, level)}
		for _, verdict := range columns {
			cells = append(cells, fmt.Sprintf("%*d", len(verdict), run.Totals[level][verdict]))
		}
		p.line(strings.Join(cells, "  "))
	}
}

// conclusion says what the exit status is and why.
func (p page) conclusion(run Run) {
	status := ExitStatus(run)
	attribute := red
	if status == Conforming {
		attribute = green
	}
	p.line("")
	for _, text := range p.style.wrapped(clean(conclusion(run, status)), 0) {
		p.line(p.style.paint(attribute, text))
	}
}

func conclusion(run Run, status int) string {
	var text string
	switch status {
	case Conforming:
		text = "Conforming: no contract failed the run" + weakHint(run)
	case Broken:
		text = contracts(failures(run)) + " failed the run"
	case NothingJudged:
		text = "Nothing was judged, which proves nothing: choose other contracts, or give the client what they need"
	default:
		text = incomplete(run)
	}
	return fmt.Sprintf("%s (exit status %d).", text, status)
}

// weakHint says that a should was broken, which a reader of "conforming" would
// not expect, and how to have it fail the run; empty where none was.
func weakHint(run Run) string {
	weak := run.count(assertions.Weak)
	if weak == 0 {
		return ""
	}
	return fmt.Sprintf("; %s broke a should, which fails it with --fail-on should", contracts(weak))
}

// incomplete says why a run counts as not completed.
func incomplete(run Run) string {
	if run.Meta.Partial {
		text := fmt.Sprintf("The run was cut short after %d of %s", len(run.Results), contracts(run.Selection.Contracts))
		if run.Meta.PartialReason != "" {
			text += ": " + run.Meta.PartialReason
		}
		return text
	}
	return contracts(run.count(impossible...)) + " could not be run"
}
