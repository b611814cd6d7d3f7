package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
)

// outputs are the files that a run leaves in a folder. They are emptied before the
// run: a folder that cannot be written is found before anybody has waited, and what
// an earlier run left is never taken for this one's.
type outputs []output

type output struct {
	name   string
	render reports.Renderer
}

// outUsage says what --out does.
func outUsage() string {
	return "write the results to this `FOLDER`, as " + outputNames() + "; it is made if need be, and files of an earlier run are overwritten"
}

// openOutputs creates the folder and its files; an empty name means none.
func openOutputs(folder string) (outputs, error) {
	if folder == "" {
		return nil, nil
	}
	if err := os.MkdirAll(folder, 0o777); err != nil { //nolint:gosec // the user's umask decides who may read it
		return nil, fmt.Errorf("--out: expected a folder that can be written, or that can be made: %w", err)
	}
	var opened outputs
	for _, one := range resultFormats {
		name := filepath.Join(folder, one.file)
		file, err := os.Create(name)
		if err == nil {
			err = file.Close()
		}
		if err != nil {
			return nil, fmt.Errorf("--out: expected a folder whose files can be written: %w", err)
		}
		opened = append(opened, output{name, one.render})
	}
	return opened, nil
}

// write renders the run into each file. One that cannot be written stays empty, and
// the others are written all the same. Of two runs into one folder the later one's
// files stay.
func (o outputs) write(run reports.Run) error {
	var problems []error
	for _, one := range o {
		if err := writeWhole(one.name, func(w io.Writer) error { return one.render(w, run) }); err != nil {
			problems = append(problems, fmt.Errorf("--out: %s is not written; make room there or choose another folder: %w", one.name, err))
		}
	}
	return errors.Join(problems...)
}

// tell tells what a run found, first to the files, then on standard output, so
// that a verdict is printed whatever becomes of the files. It ends with the
// run's exit status.
func tell(cmd *cobra.Command, run reports.Run, files outputs, render reports.Renderer) error {
	if err := errors.Join(files.write(run), render(cmd.OutOrStdout(), run)); err != nil {
		return couldNotRun(fmt.Errorf("the verdict stands, and not all of it is written (exit status %d): %w", statusCouldNotRun, err))
	}
	return endWith(reports.ExitStatus(run))
}
