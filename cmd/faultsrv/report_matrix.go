package main

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
)

func newReportMatrix() *cobra.Command {
	var out string
	format := oneOf("markdown", "html")
	cmd := &cobra.Command{
		Use:   "matrix FOLDER",
		Short: "Write the table of a matrix again, from what is committed of its clients",
		Long: `Writes the table of contracts × clients from the files NAME.json of a folder, as
'faultsrv matrix --out' leaves them. As html its cells have no page of evidence to
lead to.`,
		Example: "  faultsrv report matrix docs/matrix --out docs/matrix/matrix.md",
		Args:    oneArgument("folder with the files of a matrix"),
		RunE: func(cmd *cobra.Command, args []string) error {
			made, err := readMatrix(args[0])
			if err != nil {
				return err
			}
			render := reports.MatrixMarkdown
			if format.value == "html" {
				render = reports.MatrixHTML
			}
			return writeTo(cmd, out, func(w io.Writer) error { return render(w, made) })
		},
	}
	cmd.Flags().StringVar(&out, "out", "", "write the table to this `FILE` (default: standard output)")
	format.flag(cmd, "format", "how to write it")
	return cmd
}

// readMatrix reads all clients of a folder.
func readMatrix(folder string) (reports.Matrix, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err == nil && len(files) == 0 {
		err = errors.New("found none")
	}
	if err != nil {
		return reports.Matrix{}, fmt.Errorf("expected a folder with the files of a matrix, NAME.json, got %s: %w", folder, err)
	}
	var columns []reports.Column
	var problems []error
	for _, file := range files {
		column, err := readColumn(file)
		problems = append(problems, err)
		columns = append(columns, column)
	}
	if err := errors.Join(problems...); err != nil {
		return reports.Matrix{}, err
	}
	return reports.NewMatrix(columns, nil)
}
