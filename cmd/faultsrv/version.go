package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// version is set when a release is linked (-ldflags "-X main.version=v1.2.3").
// Empty, the version is the one that the go command recorded.
var version string

func newVersion() *cobra.Command {
	format := oneOf("text", "json")
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version, and the versions of the formats",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			build := buildOf(version)
			if format.value == "json" {
				return printJSON(cmd.OutOrStdout(), build)
			}
			return printText(cmd.OutOrStdout(), build.String()+"\n")
		},
	}
	format.flag(cmd, "format", "how to print it")
	return cmd
}

// build is what is known of this program.
type build struct {
	Version string `json:"version"`
	// Commit is empty where the program was built outside of a repository.
	Commit string `json:"commit,omitempty"`
	// Modified tells that the sources differed from the commit.
	Modified bool    `json:"modified,omitempty"`
	Go       string  `json:"go"`
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
	Formats  formats `json:"formats"`
}

// formats are the versions of what is read and written.
type formats struct {
	Contracts int `json:"contracts"`
	Results   int `json:"results"`
}

// buildOf is this program's build, with the version that was linked; empty
// means the recorded one.
func buildOf(linked string) build {
	b := build{
		Version: linked, Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
		Formats: formats{Contracts: scenarios.FormatVersion, Results: reports.Format},
	}
	info, recorded := debug.ReadBuildInfo()
	if recorded {
		for _, setting := range info.Settings {
			switch setting.Key {
			case "vcs.revision":
				b.Commit = setting.Value
			case "vcs.modified":
				b.Modified = setting.Value == "true"
			}
		}
		if b.Version == "" {
			b.Version = info.Main.Version
		}
	}
	if b.Version == "" {
		b.Version = "(devel)"
	}
	return b
}

// String is the build in one line.
func (b build) String() string {
	text := "faultsrv " + b.Version
	if b.Commit != "" {
		text += fmt.Sprintf(", commit %.12s", b.Commit)
		if b.Modified {
			text += " (modified)"
		}
	}
	return text + fmt.Sprintf(", %s %s/%s, contract format %d, results format %d",
		b.Go, b.OS, b.Arch, b.Formats.Contracts, b.Formats.Results)
}
