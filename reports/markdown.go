package reports

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
)

// mostExplained is how many broken contracts are explained in Markdown; the
// others are listed. A comment on GitHub holds 65,536 characters, and a failure
// with the longest attempt table that is shown takes up to 5,000.
const mostExplained = 10

// Markdown writes the run as GitHub-flavored Markdown, for the summary of a CI
// job or a comment on a pull request: the conclusion, the totals, each broken
// contract explained as on a terminal, and the lists of the others folded away.
// It is a [Renderer]; whatever a client or a contract says is text in it, never
// markup.
func Markdown(w io.Writer, run Run) error {
	var d markdown
	d.head(run)
	d.totals(run)
	d.broken(run)
	for _, section := range sections {
		d.list(section, run)
	}
	if _, err := io.WriteString(w, d.text.String()); err != nil {
		return fmt.Errorf("write the results as Markdown: %w", err)
	}
	return nil
}

// markdown is a document in the making: blocks with an empty line between them.
type markdown struct{ text strings.Builder }

func (d *markdown) block(text string) {
	if d.text.Len() > 0 {
		d.text.WriteString("\n")
	}
	d.text.WriteString(strings.TrimRight(text, "\n") + "\n")
}

// field is a labelled paragraph; of no text it is nothing.
func (d *markdown) field(label, text string) {
	if text != "" {
		d.block("**" + label + ":** " + text)
	}
}

func (d *markdown) head(run Run) {
	status := ExitStatus(run)
	client := markdownText(strings.TrimSpace(run.Client.Name + " " + run.Client.Version))
	d.block(fmt.Sprintf("## %s faultsrv: %s", statusGlyph(status), client))
	d.block("**" + markdownText(conclusion(run, status)) + "**")
	d.block(markdownText(runLine(run)))
}

// totals is the table of levels by those verdicts that were given.
func (d *markdown) totals(run Run) {
	given := givenVerdicts(run)
	if len(given) == 0 {
		return
	}
	header, rule := "| level |", "| --- |"
	for _, verdict := range given {
		header += fmt.Sprintf(" %s %s |", verdictGlyph(verdict), verdict)
		rule += " ---: |"
	}
	rows := header + "\n" + rule + "\n"
	for _, level := range levels {
		if len(run.Totals[level]) == 0 {
			continue
		}
		rows += "| " + string(level) + " |"
		for _, verdict := range given {
			rows += fmt.Sprintf(" %d |", run.Totals[level][verdict])
		}
		rows += "\n"
	}
	d.block(rows)
}

func (d *markdown) broken(run Run) {
	broken := worstFirst(run)
	if len(broken) == 0 {
		return
	}
	d.block("### What to look at")
	for _, result := range broken[:min(mostExplained, len(broken))] {
		d.result(result)
	}
	if more := len(broken) - mostExplained; more > 0 {
		d.block(fmt.Sprintf("%s more: see the lists below, and the results as JSON or HTML for the attempts.", contracts(more)))
	}
}

// result explains a result in the order that it has everywhere.
func (d *markdown) result(result Result) {
	d.block(fmt.Sprintf("#### %s %s %s: %s", verdictGlyph(result.Verdict), result.Verdict, markdownCode(result.ID), markdownText(result.Title)))
	d.block(markdownText(source(result)))
	failed := failedChecks(result)
	if len(failed) == 0 {
		d.field("Reason", markdownText(result.Reason))
	} else {
		rows := "| check | expected | observed |\n| --- | --- | --- |\n"
		for _, check := range failed {
			rows += fmt.Sprintf("| %s | %s | %s |\n", markdownCode(checkName(check)), markdownText(check.Expected), markdownText(check.Observed))
		}
		d.block(rows)
	}
	if len(result.Attempts) > 0 {
		d.block(markdownFence("text", attemptTable(result)))
	}
	d.field("Besides", markdownText(besides(result)))
	if result.Outcome != nil {
		d.field("Caller got", markdownCode(outcomeText(*result.Outcome)))
	}
	d.field("Meaning", markdownText(meaning(failed, result.Why)))
	if result.Meta.Rerun != "" {
		d.block(markdownFence("sh", result.Meta.Rerun))
	}
	if strings.Contains(result.Meta.Rerun, hashPrefix) {
		d.block("(" + rerunSecret + ")")
	}
}

// list is a section's results, folded; nothing where all are explained above.
func (d *markdown) list(s section, run Run) {
	listed := slices.DeleteFunc(slices.Clone(run.Results), func(r Result) bool { return !slices.Contains(s.verdicts, r.Verdict) })
	explainedAbove := slices.Contains(explained, s.verdicts[0]) && run.count(explained...) <= mostExplained
	if len(listed) == 0 || explainedAbove {
		return
	}
	rows := "| verdict | contract | |\n| --- | --- | --- |\n"
	for _, result := range listed {
		rows += fmt.Sprintf("| %s %s | %s | %s |\n", verdictGlyph(result.Verdict), result.Verdict, markdownCode(result.ID), markdownText(gist(result)))
	}
	// The empty lines around the table make it Markdown inside the HTML.
	d.block(fmt.Sprintf("<details><summary>%s (%d)</summary>\n\n%s\n</details>", s.title, len(listed), rows))
}

// worstFirst are the results that the reader has to do something about: what
// fails a run first, then what could not run, then what is weak.
func worstFirst(run Run) []Result {
	var ordered []Result
	for _, verdict := range slices.Concat([]assertions.Verdict{assertions.Fail, assertions.UnexpectedPass}, impossible, []assertions.Verdict{assertions.Weak}) {
		for _, result := range run.Results {
			if result.Verdict == verdict {
				ordered = append(ordered, result)
			}
		}
	}
	return ordered
}

// verdictGlyph shows a verdict in color, where a glyph is all that has one.
func verdictGlyph(verdict assertions.Verdict) string {
	switch verdict {
	case assertions.Pass:
		return "✅"
	case assertions.Fail, assertions.UnexpectedPass:
		return "❌"
	case assertions.Weak:
		return "⚠️"
	case assertions.ClientError, assertions.HarnessError:
		return "⛔"
	case assertions.KnownFail:
		return "📌"
	case assertions.Observed:
		return "👀"
	default:
		return "➖"
	}
}

func statusGlyph(status int) string {
	switch status {
	case Conforming:
		return "✅"
	case Broken:
		return "❌"
	default:
		return "⛔"
	}
}

// runLine says who was judged by what.
func runLine(run Run) string {
	return fmt.Sprintf("%s (%s) judged by %s, level %s, %s, in %v by %s.",
		run.Client.Name, run.Client.Kind, contracts(len(run.Results)), run.Selection.Level, seedText(run.Meta),
		rounded(run.Meta.Duration), strings.TrimSpace(run.Tool.Name+" "+run.Tool.Version))
}

// seedText is the run's seed, or those of its shards.
func seedText(meta Meta) string {
	if len(meta.Shards) == 0 || meta.Seed != 0 {
		return fmt.Sprintf("seed %d", meta.Seed)
	}
	seeds := mapped(meta.Shards, func(shard Meta) string { return strconv.FormatUint(shard.Seed, 10) })
	return "seeds " + strings.Join(seeds, ", ") + " (by shard)"
}

// rounded is a run's duration as a reader wants it.
func rounded(d time.Duration) time.Duration { return d.Round(10 * time.Millisecond) }
