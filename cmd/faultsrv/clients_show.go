package main

import (
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/profile"
)

func newClientsShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show (NAME|FILE.yaml)…",
		Short: "Show clients: what they are, can do and promise, and what they are known to break",
		Example: `  faultsrv clients show curl
  faultsrv clients show my-client.yaml`,
		Args:              someArguments("client's name or profile"),
		ValidArgsFunction: completeClients,
		RunE: func(cmd *cobra.Command, names []string) error {
			pages := make([]string, len(names))
			for i, name := range names {
				known, err := findClient(name)
				if err != nil {
					return err
				}
				if pages[i], err = known.page(cmd); err != nil {
					return err
				}
			}
			return printText(cmd.OutOrStdout(), strings.Join(pages, "\n"))
		},
	}
}

// page is all that is known of a client, for a reader.
func (k knownClient) page(cmd *cobra.Command) (string, error) {
	var about suites.Profile
	var version string
	client, err := k.open(cmd.Context(), 0)
	switch {
	case errors.Is(err, exec.ErrNotFound) && k.profile != nil:
		about = suites.Profile{Name: k.profile.Name, Kind: string(k.profile.Kind), Promises: k.profile.Promises, KnownFailures: k.profile.KnownFailures}
		version = fmt.Sprintf(notInstalled+": there is no program %q on the PATH", k.profile.Command[0])
	case err != nil:
		return "", err
	default:
		about = client.Profile()
		version = about.Version
		if err := closeClient(client); err != nil {
			return "", err
		}
	}
	var p page
	p.text.WriteString(about.Name + "\n")
	if k.about != "" {
		p.text.WriteString("  " + k.about + ".\n")
	}
	p.text.WriteString("\n")
	p.line("kind", about.Kind)
	p.line("version", version)
	if k.profile != nil {
		p.program(*k.profile)
	}
	p.line("can", capabilityText(about.Capabilities))
	if about.Promises != nil {
		p.lines("promises", reports.PolicyFacts(*about.Promises))
	}
	p.line("breaks", strings.Join(k.breaks, ", "))
	for i, known := range about.KnownFailures {
		p.line(first(i, "known"), fmt.Sprintf("%s: %s (%s)", known.Contract, known.Reason, known.Link))
	}
	return p.text.String(), nil
}

// page is text in two columns, a name and a value.
type page struct{ text strings.Builder }

// line adds a value with its name; nothing for no value.
func (p *page) line(name, value string) {
	if value != "" {
		fmt.Fprintf(&p.text, "  %-9s %s\n", name, value)
	}
}

// lines adds a value a line; the name stands before the first.
func (p *page) lines(name string, values []string) {
	for i, value := range values {
		p.line(first(i, name), value)
	}
}

func first(i int, name string) string {
	if i > 0 {
		return ""
	}
	return name
}

// program adds what a profile says of a program.
func (p *page) program(of profile.Profile) {
	p.line("command", commandText(of.Command))
	p.line("cannot", capabilityText(of.Cannot))
	if of.Status != nil {
		p.line("status", fmt.Sprintf("from %s, the last match of %s", of.Status.From, of.Status.Match))
	}
	var exits []string
	for _, exit := range slices.Sorted(maps.Keys(of.Exits)) {
		exits = append(exits, fmt.Sprintf("%d %s", exit, of.Exits[exit]))
	}
	p.line("exits", strings.Join(exits, ", "))
}
