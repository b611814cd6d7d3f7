package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/suites/matrix"
)

// evidenceFolder has, in the matrix's folder, all that was recorded of each client.
const evidenceFolder = "evidence"

// matrixFiles is the folder that a matrix is written to.
type matrixFiles struct {
	folder string
	// evidence are the pages of the clients by their names, from the folder.
	evidence map[string]string
}

// The matrix itself.
const (
	matrixText = "matrix.md"
	matrixPage = "matrix.html"
)

// filesOf are the files of a client: its column, its evidence as a page and as JSON.
func filesOf(name string) (column, page, results string) {
	return name + ".json", filepath.Join(evidenceFolder, name+".html"), filepath.Join(evidenceFolder, name+".json")
}

// make makes the folders, and takes away what an earlier run left of these clients,
// which is never to be taken for this one's. A folder that cannot be written is
// found before anybody has waited.
func (f *matrixFiles) make(entrants []matrix.Entrant) error {
	f.evidence = map[string]string{}
	if err := os.MkdirAll(filepath.Join(f.folder, evidenceFolder), 0o777); err != nil { //nolint:gosec // the user's umask decides who may read it
		return fmt.Errorf("--out: expected a folder that can be written, or that can be made: %w", err)
	}
	stale := []string{matrixText, matrixPage}
	for _, entrant := range entrants {
		column, page, results := filesOf(entrant.Name)
		stale = append(stale, column, page, results)
	}
	var problems []error
	for _, name := range stale {
		if err := os.Remove(filepath.Join(f.folder, name)); !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, err)
		}
	}
	for _, folder := range []string{f.folder, filepath.Join(f.folder, evidenceFolder)} {
		problems = append(problems, canWrite(folder))
	}
	if err := errors.Join(problems...); err != nil {
		return fmt.Errorf("--out: expected a folder whose files can be written: %w", err)
	}
	return nil
}

// canWrite tries to leave a file in a folder.
func canWrite(folder string) error {
	file, err := os.CreateTemp(folder, "trial-*")
	if err != nil {
		return err
	}
	return errors.Join(file.Close(), os.Remove(file.Name()))
}

// add writes what is kept of a client.
func (f *matrixFiles) add(run reports.Run, column reports.Column) error {
	name := column.Client.Name
	columnFile, page, results := filesOf(name)
	err := errors.Join(
		f.write(columnFile, func(w io.Writer) error { return reports.ColumnJSON(w, column) }),
		f.write(page, func(w io.Writer) error { return reports.HTML(w, run) }),
		f.write(results, func(w io.Writer) error { return reports.JSON(w, run) }),
	)
	if err == nil {
		f.evidence[name] = filepath.ToSlash(page)
	}
	return err
}

// finish writes the matrix of all clients that were judged; of none there is no
// matrix. It says which are missing.
func (f *matrixFiles) finish(columns []reports.Column, missing []string) error {
	if len(columns) == 0 {
		return nil
	}
	made, err := reports.NewMatrix(columns, f.evidence)
	if err != nil {
		return err
	}
	made.Missing = missing
	return errors.Join(
		f.write(matrixText, func(w io.Writer) error { return reports.MatrixMarkdown(w, made) }),
		f.write(matrixPage, func(w io.Writer) error { return reports.MatrixHTML(w, made) }),
	)
}

// write writes a file whole, or not at all.
func (f *matrixFiles) write(name string, render func(io.Writer) error) error {
	name = filepath.Join(f.folder, name)
	if err := writeWhole(name, render); err != nil {
		return fmt.Errorf("--out: %s is not written; make room there or choose another folder: %w", name, err)
	}
	return nil
}
