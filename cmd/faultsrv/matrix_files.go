package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/faultsrv/faultsrv/reports"
)

// evidenceFolder has, in the matrix's folder, all that was recorded of each client.
const evidenceFolder = "evidence"

// matrixFiles is the folder that a matrix is written to.
type matrixFiles struct {
	folder string
	// evidence are the pages of the clients by their names, from the folder.
	evidence map[string]string
}

// make makes the folders, before anybody has waited.
func (f *matrixFiles) make() error {
	f.evidence = map[string]string{}
	if err := os.MkdirAll(filepath.Join(f.folder, evidenceFolder), 0o777); err != nil { //nolint:gosec // the user's umask decides who may read it
		return fmt.Errorf("--out: expected a folder that can be written, or that can be made: %w", err)
	}
	return nil
}

// add writes what is kept of a client.
func (f *matrixFiles) add(run reports.Run, column reports.Column) error {
	name := column.Client.Name
	page := filepath.Join(evidenceFolder, name+".html")
	err := errors.Join(
		f.write(name+".json", func(w io.Writer) error { return reports.ColumnJSON(w, column) }),
		f.write(page, func(w io.Writer) error { return reports.HTML(w, run) }),
		f.write(filepath.Join(evidenceFolder, name+".json"), func(w io.Writer) error { return reports.JSON(w, run) }),
	)
	if err == nil {
		f.evidence[name] = filepath.ToSlash(page)
	}
	return err
}

// finish writes the matrix of all clients; of none there is no matrix.
func (f *matrixFiles) finish(columns []reports.Column) error {
	if len(columns) == 0 {
		return nil
	}
	made, err := reports.NewMatrix(columns, f.evidence)
	if err != nil {
		return err
	}
	return errors.Join(
		f.write("matrix.md", func(w io.Writer) error { return reports.MatrixMarkdown(w, made) }),
		f.write("matrix.html", func(w io.Writer) error { return reports.MatrixHTML(w, made) }),
	)
}

func (f *matrixFiles) write(name string, render func(io.Writer) error) error {
	file, err := os.Create(filepath.Join(f.folder, name))
	if err != nil {
		return fmt.Errorf("--out: expected a folder whose files can be written: %w", err)
	}
	if err := errors.Join(render(file), file.Close()); err != nil {
		return fmt.Errorf("--out: %s is not written; make room there or choose another folder: %w", file.Name(), err)
	}
	return nil
}
