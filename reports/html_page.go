package reports

import (
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// mostOpen is how many broken contracts stand open when the page is opened:
// more would bury the list of all contracts.
const mostOpen = 5

// pageView is what the template shows of a run.
type pageView struct {
	Policy        string
	Style, Script template.HTML

	Title      string
	State      string // "good", "bad" or "stopped"
	Glyph      string
	Conclusion string
	Line       string
	Command    string
	Facts      []fact
	Summary    []summaryRow
	Attention  []contractView
	Filters    []filter
	Areas      []areaView
	Contracts  int
}

// fact is a labelled text; a code is shown as one.
type fact struct {
	Name, Text string
	Code       bool
}

// summaryRow counts the results of a level and basis.
type summaryRow struct {
	Level, Basis           string
	Kept, Judged           int
	Broken, Weak           int
	Known, Observed        int
	PassedOver, Impossible int
	All                    int
	Bars                   []box
}

// filter shows or hides the contracts of a section.
type filter struct {
	Key, Text, Glyph string
	Count            int
}

type areaView struct {
	Name      string
	Contracts []contractView
}

func newPageView(run Run) pageView {
	status := ExitStatus(run)
	view := pageView{
		Policy: contentPolicy(), Style: styleElement(), Script: scriptElement(),
		Title: strings.TrimSpace(run.Client.Name + " " + run.Client.Version), Conclusion: conclusion(run, status),
		Line: clean(runLine(run)), Command: clean(commandText(run.Meta)),
		Facts: runFacts(run), Summary: summaryOf(run), Contracts: len(run.Results),
	}
	view.State, view.Glyph = "stopped", "⊘"
	switch status {
	case Conforming:
		view.State, view.Glyph = "good", "✓"
	case Broken:
		view.State, view.Glyph = "bad", "✗"
	}
	for _, result := range worstFirst(run) {
		view.Attention = append(view.Attention, newContractView(result))
	}
	open := map[string]bool{}
	for _, contract := range view.Attention[:min(mostOpen, len(view.Attention))] {
		open[contract.ID] = true
	}
	for _, section := range sections {
		if count := run.count(section.verdicts...); count > 0 {
			view.Filters = append(view.Filters, filter{section.key, section.title, section.glyph, count})
		}
	}
	for _, area := range areas(run) {
		made := areaView{Name: area}
		for _, result := range run.Results {
			if result.Area == area {
				contract := newContractView(result)
				contract.Open = open[result.ID]
				made.Contracts = append(made.Contracts, contract)
			}
		}
		view.Areas = append(view.Areas, made)
	}
	return view
}

// runFacts say what was run, where and how.
func runFacts(run Run) []fact {
	var facts []fact
	add := func(name, text string) {
		if text != "" {
			facts = append(facts, fact{Name: name, Text: clean(text)})
		}
	}
	meta := run.Meta
	add("Client", strings.TrimSpace(run.Client.Name+" "+run.Client.Version)+" ("+run.Client.Kind+")")
	add("Can do or be told", strings.Join(mapped(run.Client.Capabilities, func(c scenarios.Capability) string { return string(c) }), ", "))
	if run.Client.Promises != nil {
		add("Promises", strings.Join(PolicyFacts(*run.Client.Promises), "; "))
	}
	add("Judged by", strings.TrimSpace(run.Tool.Name+" "+run.Tool.Version))
	add("Contracts", selectionText(run))
	add("Random draws", seedText(meta))
	if !meta.Started.IsZero() {
		add("Started", meta.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	}
	add("Took", rounded(meta.Duration).String())
	add("On", hostText(meta))
	add("Timers were late by up to", clock(meta.WorstLateness))
	for i, shard := range meta.Shards {
		facts = append(facts, fact{fmt.Sprintf("Command of shard %d", i+1), clean(commandText(shard)), true})
	}
	return facts
}

func commandText(meta Meta) string { return strings.Join(mapped(meta.Command, shellQuote), " ") }

func selectionText(run Run) string {
	s := run.Selection
	text := fmt.Sprintf("%d of %d selected", len(run.Results), max(s.Contracts, len(run.Results)))
	if len(s.Patterns) > 0 {
		text += " by " + strings.Join(s.Patterns, ", ")
	}
	text += fmt.Sprintf(", level %s; the run fails on a broken %s", s.Level, s.FailOn)
	if s.FailOn == scenarios.Should {
		text += " or must"
	}
	if s.Shard != nil {
		text += fmt.Sprintf("; shard %d of %d", s.Shard.Index, s.Shard.Of)
	}
	return text
}

func hostText(meta Meta) string {
	if meta.Host.OS == "" {
		return meta.GoVersion
	}
	return fmt.Sprintf("%s/%s, %s CPUs, %s", meta.Host.OS, meta.Host.Arch, strconv.Itoa(meta.Host.CPUs), meta.GoVersion)
}

// bases are in the order of their strength.
var bases = []scenarios.Basis{scenarios.Standard, scenarios.Safety, scenarios.Promise, scenarios.Practice}

// summaryOf counts by level and basis: no single score says what a client does.
func summaryOf(run Run) []summaryRow {
	var rows []summaryRow
	for _, level := range levels {
		for _, basis := range bases {
			row := summaryRow{Level: string(level), Basis: string(basis)}
			for _, result := range run.Results {
				if result.Level == level && result.Basis == basis {
					row.count(result.Verdict)
				}
			}
			if row.All > 0 {
				row.Bars = row.bars()
				rows = append(rows, row)
			}
		}
	}
	return rows
}

func (r *summaryRow) count(verdict assertions.Verdict) {
	r.All++
	if slices.Contains(judged, verdict) {
		r.Judged++
	}
	switch verdict {
	case assertions.Pass, assertions.UnexpectedPass:
		r.Kept++
	case assertions.Fail:
		r.Broken++
	case assertions.Weak:
		r.Weak++
	case assertions.KnownFail:
		r.Known++
	case assertions.Observed:
		r.Observed++
	default:
		if slices.Contains(impossible, verdict) {
			r.Impossible++
		} else {
			r.PassedOver++
		}
	}
}

// bars are the counts as parts of a whole.
func (r *summaryRow) bars() []box {
	var bars []box
	x := percent(0)
	for _, part := range []struct {
		class string
		count int
	}{{"keeps", r.Kept}, {"breaks", r.Broken}, {"weak", r.Weak}, {"known", r.Known}, {"observed", r.Observed}, {"impossible", r.Impossible}, {"passed-over", r.PassedOver}} {
		width := percent(100 * float64(part.count) / float64(r.All))
		if part.count > 0 {
			bars = append(bars, box{X: x, W: width, Class: part.class})
		}
		x += width
	}
	return bars
}

// unknownTime is shown where something did not happen.
const unknownTime = "–"

func timeOrNone(t, zero time.Duration) string {
	if t == 0 {
		return unknownTime
	}
	return columnOf(t - zero)
}
