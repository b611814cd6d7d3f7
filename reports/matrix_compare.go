package reports

import (
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/assertions"
)

// A Change is a cell whose verdict is not the one that was accepted.
type Change struct {
	Client, Contract string
	// Was is empty for a cell that is new, Is for one that is gone.
	Was, Is assertions.Verdict
	// Why is the new reason, in a sentence or two.
	Why string
}

// String is the change in one line.
func (c Change) String() string {
	was, is := string(c.Was), string(c.Is)
	if was == "" {
		was = "not there"
	}
	if is == "" {
		is = "not there"
	}
	text := fmt.Sprintf("%s, %s: was %s, is %s", c.Client, c.Contract, was, is)
	if c.Why != "" {
		text += ": " + c.Why
	}
	return text
}

// Changes are the cells of two columns of a client that differ, sorted by id. A cell
// that could not be judged this time (client-error, harness-error) is no change: it
// is in void, since nothing can be said of it.
func Changes(accepted, now Column) (changed []Change, void []Change) {
	ids := mapped(accepted.Cells, func(c Cell) string { return c.ID })
	for _, cell := range now.Cells {
		ids = append(ids, cell.ID)
	}
	slices.Sort(ids)
	for _, id := range slices.Compact(ids) {
		was, _ := accepted.cell(id)
		is, there := now.cell(id)
		change := Change{Client: now.Client.Name, Contract: id, Was: was.Verdict, Is: is.Verdict}
		if there {
			change.Why = clean(is.spoken())
		}
		switch {
		case slices.Contains(impossible, is.Verdict):
			void = append(void, change)
		case was.Verdict != is.Verdict:
			changed = append(changed, change)
		}
	}
	return changed, void
}

// Void are the cells that could not be judged.
func (c Column) Void() []Change {
	_, void := Changes(c, c)
	return void
}

// Only is the column with the cells of those contracts alone.
func (c Column) Only(ids []string) Column {
	c.Cells = slices.DeleteFunc(slices.Clone(c.Cells), func(c Cell) bool { return !slices.Contains(ids, c.ID) })
	return c
}
