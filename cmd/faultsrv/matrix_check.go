package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/matrix"
)

// statusChanged: a verdict is not the one that was accepted.
const statusChanged = 1

// accepted are the columns of an earlier run, by the name of the client; nil where
// nothing is to be compared. A client that has none is not in them; where all were
// asked for, one that is not judged any more is.
func (o *matrixOptions) accepted(entrants []matrix.Entrant) (map[string]reports.Column, error) {
	if o.check == "" {
		return nil, nil //nolint:nilnil // nothing is to be compared
	}
	entries, err := os.ReadDir(o.check)
	if err != nil {
		return nil, fmt.Errorf("--check: expected a folder with the results of an earlier run, NAME.json: %w", err)
	}
	columns := map[string]reports.Column{}
	var problems []error
	for _, name := range o.acceptedNames(entrants, entries) {
		column, err := readColumn(filepath.Join(o.check, name+".json"))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			problems = append(problems, err)
		default:
			columns[name] = column
		}
	}
	return columns, errors.Join(problems...)
}

// acceptedNames are the clients whose results of an earlier run are looked at.
func (o *matrixOptions) acceptedNames(entrants []matrix.Entrant, entries []fs.DirEntry) []string {
	if len(o.clients) > 0 {
		return o.clients
	}
	var names []string
	for _, entrant := range entrants {
		names = append(names, entrant.Name)
	}
	for _, entry := range entries {
		if name, is := strings.CutSuffix(entry.Name(), ".json"); is && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// readColumn reads the file of the client that it is named after: one that was
// copied over another's would have a client compared with another.
func readColumn(file string) (reports.Column, error) {
	opened, err := os.Open(file)
	if err != nil {
		return reports.Column{}, err
	}
	column, err := reports.ReadColumn(opened)
	if err := errors.Join(err, opened.Close()); err != nil {
		return reports.Column{}, fmt.Errorf("%s: %w", file, err)
	}
	if want := strings.TrimSuffix(filepath.Base(file), ".json"); column.Client.Name != want {
		return reports.Column{}, fmt.Errorf("%s: expected the results of the client %q, as the file is named, got those of %q: put each under its own name",
			file, want, column.Client.Name)
	}
	return column, nil
}

// conclude tells what is missing, void or changed, and ends with what that means.
func (o *matrixOptions) conclude(cmd *cobra.Command, judged []reports.Column, missing map[string]error, accepted map[string]reports.Column) error {
	var text strings.Builder
	status := statusDone
	changed, notes, err := o.compare(judged, accepted)
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintf(&text, "note: %s\n", note)
	}
	if len(changed) > 0 {
		status = statusChanged
		fmt.Fprintf(&text, "%s from %s:\n  %s\n", plural(len(changed), "change"), o.check, strings.Join(changed, "\n  "))
		fmt.Fprintf(&text, "What is right can be accepted: copy NAME.json from %s to %s, write the table again (faultsrv report matrix), "+
			"read the difference, and commit it. What is wrong is to be mended.\n", o.out, o.check)
	} else if accepted != nil && len(judged) > 0 {
		fmt.Fprintf(&text, "no verdict differs from %s\n", o.check)
	}
	for _, column := range judged {
		for _, void := range column.Void() {
			status = statusCouldNotRun
			fmt.Fprintf(&text, "not judged: %s, %s (%s): %s\n", void.Client, void.Contract, void.Is, void.Why)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(missing)) {
		status = statusCouldNotRun
		fmt.Fprintf(&text, "not judged: %v\n", missing[name])
	}
	if err := printText(cmd.OutOrStdout(), text.String()); err != nil {
		return err
	}
	return endWith(status)
}

// compare compares what was judged with what was accepted. Another version of a
// client is a note, since it need not change what the client does. Of a selection only
// what was selected is compared, and what is no contract any more.
func (o *matrixOptions) compare(judged []reports.Column, accepted map[string]reports.Column) (changed, notes []string, err error) {
	if accepted == nil {
		return nil, nil, nil
	}
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		return nil, nil, fmt.Errorf("the built-in contracts: %w", err)
	}
	compared := map[string]bool{}
	for _, column := range judged {
		name := column.Client.Name
		compared[name] = true
		was, there := accepted[name]
		if !there {
			changed = append(changed, fmt.Sprintf("%s: it has no results in %s", name, o.check))
			continue
		}
		if was.Client.Version != column.Client.Version || was.Client.Language != column.Client.Language {
			notes = append(notes, fmt.Sprintf("%s: was %s, is %s", name, versionOf(was.Client), versionOf(column.Client)))
		}
		if len(o.wanted.patterns) > 0 || column.Level != was.Level {
			was = was.Only(append(idsOf(column), goneFrom(catalogue, was)...))
		}
		differ, _ := reports.Changes(was, column)
		for _, change := range differ {
			changed = append(changed, change.String())
		}
	}
	if len(o.clients) > 0 {
		return changed, notes, nil
	}
	for _, name := range slices.Sorted(maps.Keys(accepted)) {
		if !compared[name] {
			changed = append(changed, fmt.Sprintf("%s: it has results in %s, and was not judged", name, o.check))
		}
	}
	return changed, notes, nil
}

// goneFrom are the ids of a column that no contract has any more.
func goneFrom(catalogue []*scenarios.Contract, column reports.Column) []string {
	return slices.DeleteFunc(idsOf(column), func(id string) bool {
		return slices.ContainsFunc(catalogue, func(c *scenarios.Contract) bool { return c.ID == id })
	})
}

func versionOf(client reports.ColumnClient) string {
	text := strings.TrimSpace(client.Version + " " + client.Language)
	if text == "" {
		return "without a version"
	}
	return text
}

func idsOf(column reports.Column) []string {
	ids := make([]string, len(column.Cells))
	for i, cell := range column.Cells {
		ids[i] = cell.ID
	}
	return ids
}
