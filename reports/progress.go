package reports

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// ProgressOptions say how progress is shown.
type ProgressOptions struct {
	// Contracts is how many will run.
	Contracts int
	// Live keeps one line up to date, which needs a terminal (see [LiveOn]);
	// without it each contract that ends is a line of its own.
	Live  bool
	Style Style
	// FailOn is what counts as failing, as in Selection.
	FailOn scenarios.Level
}

// Progress shows how far a run is. It may be told by several goroutines. That
// its lines cannot be written is no reason to end a run, so it says nothing.
type Progress struct {
	options ProgressOptions

	mu      sync.Mutex
	out     io.Writer
	running []string // in the order of their start
	done    int
	failing int
}

// NewProgress shows progress on w; nothing is written before the first event.
func NewProgress(w io.Writer, options ProgressOptions) *Progress {
	return &Progress{options: options, out: w}
}

// Started tells that a contract has begun.
func (p *Progress) Started(id string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.running = append(p.running, id)
	if p.options.Live {
		p.redraw()
	}
}

// Finished tells that a contract has a verdict. A contract that never started,
// such as an unsupported one, can finish too; without a live line, an unsupported
// one is counted and left to the report.
func (p *Progress) Finished(result Result) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if i := slices.Index(p.running, result.ID); i >= 0 {
		p.running = slices.Delete(p.running, i, i+1)
	}
	if Fails(result, p.options.FailOn) {
		p.failing++
	}
	if p.options.Live {
		p.redraw()
		return
	}
	if result.Verdict == assertions.Unsupported {
		return // known before anything ran, often of dozens; the report lists each with its reason
	}
	digits := len(strconv.Itoa(p.options.Contracts))
	line := fmt.Sprintf("[%*d/%d] %s  %s", digits, p.done, p.options.Contracts, p.options.Style.verdict(result.Verdict, verdictColumn), clean(result.ID))
	if result.Verdict != assertions.Pass && result.Reason != "" {
		line += ": " + clean(result.Reason)
	}
	_, _ = fmt.Fprintln(p.out, line)
}

// Close clears the live line, so that what follows begins on a clean one.
func (p *Progress) Close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.options.Live {
		_, _ = io.WriteString(p.out, clearLine)
	}
}

// verdictColumn is the width of the longest verdict, unexpected-pass.
const verdictColumn = len(assertions.UnexpectedPass)

// clearLine goes to the line's beginning and clears it (ECMA-48 EL).
const clearLine = "\r\x1b[K"

func (p *Progress) redraw() {
	text := fmt.Sprintf("%d/%d contracts", p.done, p.options.Contracts)
	lead := text
	if p.failing > 0 {
		failing := fmt.Sprintf(", %d failing", p.failing)
		text += failing
		lead += p.options.Style.paint(red, failing)
	}
	tail := ""
	if len(p.running) > 0 {
		tail = ", running " + strings.Join(p.running, ", ")
	}
	// A line that reaches the last column would break, and could not be cleared.
	if width := p.options.Style.Width; width > 0 {
		tail = clip(clean(tail), max(0, width-1-utf8.RuneCountInString(text)))
	}
	_, _ = io.WriteString(p.out, clearLine+lead+tail)
}

// clip cuts a text to a number of columns, with an ellipsis.
func clip(text string, columns int) string {
	runes := []rune(text)
	if len(runes) <= columns {
		return text
	}
	if columns == 0 {
		return ""
	}
	return string(runes[:columns-1]) + "…"
}
