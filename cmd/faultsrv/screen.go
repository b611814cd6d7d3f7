package main

import (
	"io"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"github.com/faultsrv/faultsrv/reports"
)

// screen is how text is laid out where it is going to.
type screen struct {
	// report is of standard output, progress of standard error.
	report, progress reports.Style
	// live tells that a line of standard error can be written over.
	live bool
}

func newScreen(cmd *cobra.Command, color string, env func(string) string) (screen, error) {
	report, _, err := styleOf(cmd.OutOrStdout(), color, env)
	if err != nil {
		return screen{}, err
	}
	progress, terminal, err := styleOf(cmd.ErrOrStderr(), color, env)
	if err != nil {
		return screen{}, err
	}
	return screen{report: report, progress: progress, live: reports.LiveOn(terminal, env)}, nil
}

// styleOf is the style for a writer, and whether that is a terminal.
func styleOf(w io.Writer, color string, env func(string) string) (style reports.Style, terminal bool, err error) {
	if file, ok := w.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(file.Fd())) {
		terminal = true
		if columns, _, err := term.GetSize(int(file.Fd())); err == nil {
			style.Width = columns
		}
	}
	style.Color, err = reports.ColorOn(color, terminal, env)
	return style, terminal, err
}
