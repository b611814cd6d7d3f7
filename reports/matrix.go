package reports

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A Matrix is the columns of many clients beside each other: contracts × clients.
type Matrix struct {
	// Columns are in the order of their columns: by language, then by name.
	Columns []Column
	// Evidence are, by the name of a client, the address of the page with all that
	// was recorded (see [HTML]), from the matrix's folder; a client without one has
	// cells that lead nowhere.
	Evidence map[string]string
	// Missing are the names of clients that were to be judged and were not: the
	// matrix says so, since it cannot show them. Nil where all were.
	Missing []string
}

// NewMatrix orders the columns. No column, and two of one name, are errors.
func NewMatrix(columns []Column, evidence map[string]string) (Matrix, error) {
	if len(columns) == 0 {
		return Matrix{}, errors.New("matrix: expected the results of at least one client, got none")
	}
	ordered := slices.SortedFunc(slices.Values(columns), func(a, b Column) int {
		return cmp.Or(cmp.Compare(a.groupRank(), b.groupRank()), strings.Compare(a.Group(), b.Group()), strings.Compare(a.Client.Name, b.Client.Name))
	})
	names := map[string]bool{}
	for _, column := range ordered {
		if names[column.Client.Name] {
			return Matrix{}, fmt.Errorf("matrix: two clients are called %q: names are unique over all languages", column.Client.Name)
		}
		names[column.Client.Name] = true
	}
	return Matrix{Columns: ordered, Evidence: evidence}, nil
}

// missingText says which clients are not in the matrix; empty where all are.
func (m Matrix) missingText() string {
	if len(m.Missing) == 0 {
		return ""
	}
	return fmt.Sprintf("This matrix is partial: %s could not be judged, or not to the end: %s.", count(len(m.Missing), "client"), strings.Join(m.Missing, ", "))
}

// The groups of clients that are not of a language.
const (
	groupPrograms = "Programs"
	groupServices = "Services"
)

// versionNumber is the version behind the name of a language, as in "Node.js v20.20.2"
// and "go1.26.8".
var versionNumber = regexp.MustCompile(` *v?[0-9].*$`)

// Group is what a client stands under: its language, without the version, or what
// it is where it has none.
func (c Column) Group() string {
	switch {
	case c.Client.Language != "":
		name := versionNumber.ReplaceAllString(c.Client.Language, "")
		first, size := utf8.DecodeRuneInString(name)
		return string(unicode.ToUpper(first)) + name[size:]
	case c.Client.Kind == "in-process":
		return "Go"
	case c.Client.Kind == "service":
		return groupServices
	default:
		return groupPrograms
	}
}

// groupRank puts what is of a language before what is of none.
func (c Column) groupRank() int {
	return slices.Index([]string{groupPrograms, groupServices}, c.Group())
}

// rows are the contracts that any client was judged by, as the first column that has
// them tells, sorted by id.
func (m Matrix) rows() []Cell {
	var rows []Cell
	seen := map[string]bool{}
	for _, column := range m.Columns {
		for _, cell := range column.Cells {
			if !seen[cell.ID] {
				seen[cell.ID] = true
				rows = append(rows, cell)
			}
		}
	}
	slices.SortFunc(rows, func(a, b Cell) int { return strings.Compare(a.ID, b.ID) })
	return rows
}

// A mark is how a verdict is shown in a cell: by a glyph, a word and a color,
// never by a color alone.
type mark struct {
	// Class is a word of ours for the color.
	Class, Glyph, Word string
	// Emoji is the glyph where only a picture has a color.
	Emoji   string
	Meaning string
}

// marks are in the order of the legend.
var marks = []struct {
	verdict assertions.Verdict
	mark
}{
	{assertions.Pass, mark{"pass", "✓", "pass", "✅", "The rule was kept, and the faults that put it to the test did happen."}},
	{assertions.Fail, mark{"fail", "✗", "fail", "❌", "A must was broken."}},
	{assertions.Weak, mark{"weak", "!", "weak", "⚠️", "A should was broken."}},
	{assertions.KnownFail, mark{"known", "✗", "known", "❌", "Broken, and listed as known to be, with a reason and a link. It counts as judged, and never as kept."}},
	{assertions.UnexpectedPass, mark{"fail", "↯", "passes", "❗", "Listed as known to be broken, and not broken: the list is stale."}},
	{assertions.Observed, mark{"seen", "●", "seen", "👀", "Reported and never judged: an answer to “what does it do?”, to which no rule says what is right."}},
	{assertions.Unsupported, mark{"none", "–", "cannot", "➖", "Not judged: this client cannot be told, or cannot tell, what the rule needs."}},
	{assertions.NotExercised, mark{"none", "○", "n/a", "⚪", "Not judged: the client did nothing that the rule speaks about, such as a rule of retried bodies where it does not retry."}},
	{assertions.ClientError, mark{"void", "⊘", "error", "⛔", "Not judged: the client could not be run."}},
	{assertions.HarnessError, mark{"void", "⊘", "void", "⛔", "Not judged: the machine was too busy, or faultsrv itself could not do its part. It says nothing of the client."}},
}

func markOf(verdict assertions.Verdict) mark {
	for _, m := range marks {
		if m.verdict == verdict {
			return m.mark
		}
	}
	return mark{Class: "none", Glyph: "?", Word: string(verdict), Emoji: "➖"}
}

// whyText is a cell's reason as a sentence or two, without what varies in it.
func (c Cell) whyText() string {
	switch {
	case c.Known != nil && c.Verdict == assertions.KnownFail:
		return sentence(c.Known.Reason) + " " + sentence(c.Reason)
	case c.Verdict == assertions.Observed:
		return sentence(strings.Join(mapped(c.Checks, func(check CellCheck) string { return check.Name + ": " + check.Observed }), "; "))
	case c.Reason != "":
		return sentence(c.Reason)
	default:
		return everyCheckHolds
	}
}

// spoken is the reason with its times, where they are known.
func (c Cell) spoken() string { return cmp.Or(c.why, c.whyText()) }

// broken are the contracts by which the client would have to change.
func (c Column) broken() []Cell {
	return slices.DeleteFunc(slices.Clone(c.Cells), func(cell Cell) bool { return !slices.Contains(broken, cell.Verdict) })
}

const everyCheckHolds = "Each check holds."

// whyOf is a result's reason with its times.
func whyOf(result Result) string {
	switch {
	case result.Verdict == assertions.Observed:
		return sentence(observations(result))
	case result.Verdict == assertions.KnownFail && result.Known != nil:
		return sentence(result.Known.Reason) + " " + sentence(reasonBeside(result))
	case result.Reason != "":
		return sentence(result.Reason)
	default:
		return everyCheckHolds
	}
}

// matrixTotal counts the cells of a client and a level. Kept and judged are a
// share; there is no score over levels.
type matrixTotal struct {
	Kept, Judged, Broken, Known, NotJudged, Void, All int
}

func (c Column) total(level scenarios.Level) matrixTotal {
	var total matrixTotal
	for _, cell := range c.Cells {
		if cell.Level != level {
			continue
		}
		total.All++
		switch {
		case slices.Contains(judged, cell.Verdict):
			total.Judged++
		case slices.Contains(impossible, cell.Verdict):
			total.Void++
		default:
			total.NotJudged++
		}
		switch cell.Verdict {
		case assertions.Pass, assertions.UnexpectedPass:
			total.Kept++
		case assertions.Fail, assertions.Weak:
			total.Broken++
		case assertions.KnownFail:
			total.Known++
		}
	}
	return total
}

// text is the share: "62 of 70".
func (t matrixTotal) text() string {
	if t.Judged == 0 {
		return unknownTime
	}
	return fmt.Sprintf("%d of %d", t.Kept, t.Judged)
}

// judgedLevels are those whose contracts are judged.
var judgedLevels = []scenarios.Level{scenarios.Must, scenarios.Should}

// Line is the column in a line: who was judged, and what was kept of what was
// judged.
func (c Column) Line() string {
	text := strings.TrimSpace(c.Client.Name + " " + c.Client.Version)
	for _, level := range judgedLevels {
		if total := c.total(level); total.All > 0 {
			text += fmt.Sprintf(", %s judged %ss kept", total.text(), level)
		}
	}
	return clean(text)
}
