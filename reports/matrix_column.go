package reports

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// ColumnFormat is the version of the format of a [Column].
const ColumnFormat = 1

// A Column is what a matrix keeps of a client: who it is, and for each contract
// the verdict and the attempts that led to it. Nothing in it varies from run to
// run: it has no times, no ports, no seed. So it can be committed, and compared
// with the next run's.
type Column struct {
	// Format is the version of this format, 1.
	Format int          `json:"format"`
	Client ColumnClient `json:"client"`
	// Level is what ran: "must", "should" or "all".
	Level string `json:"level"`
	// Totals counts the cells by level and verdict; a count of 0 is left out.
	Totals map[scenarios.Level]map[assertions.Verdict]int `json:"totals"`
	// Cells has one cell for each contract that was run, sorted by id.
	Cells []Cell `json:"cells"`
}

// ColumnClient is the client of a column, and what it was told.
type ColumnClient struct {
	Name string `json:"name"`
	// About says in a sentence what is judged.
	About string `json:"about"`
	// Version and Language are empty where the client does not tell.
	Version  string `json:"version"`
	Language string `json:"language"`
	Kind     string `json:"kind"`
	// Capabilities are what it can do or be told, sorted.
	Capabilities []scenarios.Capability `json:"capabilities"`
	// Promises are how it says that it retries where it cannot be told, a phrase each.
	Promises []string `json:"promises"`
	// Command is the command that judges it again, quoted for a shell.
	Command string `json:"command"`
}

// A Cell is what is said of one contract, and what it was said from.
type Cell struct {
	ID      string             `json:"id"`
	Title   string             `json:"title"`
	Level   scenarios.Level    `json:"level"`
	Verdict assertions.Verdict `json:"verdict"`
	// Reason says why, where there is more to say than that each check holds.
	Reason string `json:"reason,omitempty"`
	// Known is what is listed of a failure that is known.
	Known  *KnownFailure `json:"known,omitempty"`
	Checks []CellCheck   `json:"checks"`
	// Outcomes are what the caller got of each call; of repeats of one, how many got what.
	Outcomes []string      `json:"outcomes"`
	Attempts []CellAttempt `json:"attempts"`
	// More is how many attempts there were besides.
	More int `json:"more,omitempty"`

	// why is the reason with its times, of a run that was just made; else empty.
	why string
}

// area is the part of the id before the first dot.
func (c Cell) area() string {
	area, _, _ := strings.Cut(c.ID, ".")
	return area
}

// CellCheck is a comparison, without the times that it measured.
type CellCheck struct {
	Name string          `json:"name"`
	Part assertions.Part `json:"part"`
	// OK is nil where it was not observed, and where it is not judged.
	OK       *bool  `json:"ok"`
	Expected string `json:"expected"`
	Observed string `json:"observed"`
}

// CellAttempt is an attempt as the server saw it. They stand by their calls, since
// calls that are made at the same time are answered in any order.
type CellAttempt struct {
	// Call is the call's name.
	Call string `json:"call"`
	// Times is how many repeats of the call made this attempt; left out where it is one.
	Times int `json:"times,omitempty"`
	// Number counts the call's attempts, from 1.
	Number  int    `json:"number"`
	Request string `json:"request"`
	// Body is how many bytes of a body came; empty for no body.
	Body   string `json:"body,omitempty"`
	Fault  string `json:"fault"`
	Answer string `json:"answer"`
	// Reused tells that it came on a connection that had carried a request before. Of
	// repeats it is not said.
	Reused bool `json:"reused,omitempty"`
}

// NewColumn is what a matrix keeps of a run; about is a sentence on what was
// judged, command what judges it again.
func NewColumn(run Run, about string, command []string) Column {
	client := ColumnClient{
		Name: run.Client.Name, About: about, Version: run.Client.Version, Language: run.Client.Language, Kind: run.Client.Kind,
		Capabilities: notNil(run.Client.Capabilities), Promises: []string{},
		Command: strings.Join(mapped(command, shellQuote), " "),
	}
	if run.Client.Promises != nil {
		client.Promises = notNil(PolicyFacts(*run.Client.Promises))
	}
	cells := mapped(run.Results, newCell)
	return Column{Format: ColumnFormat, Client: client, Level: run.Selection.Level, Totals: run.Totals, Cells: cells}
}

// ColumnJSON writes the column; the same column gives the same bytes, what is short
// on one line, so that a change of a cell is a change of its lines alone.
func ColumnJSON(w io.Writer, column Column) error {
	if err := writeFolded(w, column); err != nil {
		return fmt.Errorf("write the matrix's column as JSON: %w", err)
	}
	return nil
}

// ReadColumn reads what ColumnJSON wrote, strictly.
func ReadColumn(r io.Reader) (Column, error) {
	var column Column
	if err := readStrictly(r, "the file of a client", ColumnFormat, &column); err != nil {
		return Column{}, fmt.Errorf("read the matrix's column: %w", err)
	}
	if err := column.check(); err != nil {
		return Column{}, fmt.Errorf("read the matrix's column: %w", err)
	}
	return column, nil
}

// check finds what the JSON types cannot: all of it.
func (c Column) check() error {
	var problems []error
	if c.Client.Name == "" {
		problems = append(problems, errors.New("client: expected its name, got none"))
	}
	for i, cell := range c.Cells {
		if i > 0 && c.Cells[i-1].ID >= cell.ID {
			problems = append(problems, fmt.Errorf("cell %d: expected the ids in order, each once; got %q after %q", i+1, cell.ID, c.Cells[i-1].ID))
		}
		if !slices.Contains(levels, cell.Level) {
			problems = append(problems, fmt.Errorf("cell %d (%s): expected one of the levels %q, got %q", i+1, cell.ID, levels, cell.Level))
		}
		if !slices.Contains(known, cell.Verdict) {
			problems = append(problems, fmt.Errorf("cell %d (%s): expected one of the verdicts %q, got %q", i+1, cell.ID, known, cell.Verdict))
		}
	}
	return errors.Join(problems...)
}

// cell is the cell of a contract.
func (c Column) cell(id string) (Cell, bool) {
	i, found := slices.BinarySearchFunc(c.Cells, id, func(c Cell, id string) int { return cmp.Compare(c.ID, id) })
	if !found {
		return Cell{}, false
	}
	return c.Cells[i], true
}
