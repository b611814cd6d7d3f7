package main

import (
	"fmt"
	"strings"

	"github.com/faultsrv/faultsrv/reports"
)

// A resultFormat is one in which results are written.
type resultFormat struct {
	// name is what --format and report call it; file is what --out calls it, empty
	// for one that is for a terminal.
	name, file string
	render     reports.Renderer
}

// formatText is the format whose style depends on where it goes.
const formatText = "text"

// resultFormats has every format but text, in the order of their files.
var resultFormats = []resultFormat{
	{"json", "results.json", reports.JSON},
	{"junit", "junit.xml", reports.JUnit},
	{"markdown", "report.md", reports.Markdown},
	{"html", "report.html", reports.HTML},
}

// formatNames are the names of all formats, the default first.
func formatNames() []string {
	names := []string{formatText}
	for _, f := range resultFormats {
		names = append(names, f.name)
	}
	return names
}

// renderer is the renderer of a format; of text, with a style.
func renderer(name string, style reports.Style) reports.Renderer {
	for _, f := range resultFormats {
		if f.name == name {
			return f.render
		}
	}
	return reports.Terminal(style)
}

// outputNames are the files that a run leaves, as a list for a reader.
func outputNames() string {
	names := make([]string, len(resultFormats))
	for i, f := range resultFormats {
		names[i] = f.file
	}
	last := len(names) - 1
	return fmt.Sprintf("%s and %s", strings.Join(names[:last], ", "), names[last])
}
