package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios"
)

func newContractsShow() *cobra.Command {
	var wanted selection
	cmd := &cobra.Command{
		Use:   "show ID…",
		Short: "Show contracts: the rule, its reason and sources, and the contract as it is written",
		Example: `  faultsrv contracts show body.replay-after-503
  faultsrv contracts show 'cancellation.*'`,
		Args:              someArguments("contract id or glob"),
		ValidArgsFunction: completeContracts,
		RunE: func(cmd *cobra.Command, ids []string) error {
			wanted.patterns = ids
			contracts, err := wanted.chosen()
			if err != nil {
				return err
			}
			specs := make([]string, len(contracts))
			for i, c := range contracts {
				specs[i] = specification(c)
			}
			return printText(cmd.OutOrStdout(), strings.Join(specs, "\n"))
		},
	}
	wanted.fromFlag(cmd)
	return cmd
}

// specification is a contract for a reader.
func specification(c *scenarios.Contract) string {
	var text strings.Builder
	fmt.Fprintf(&text, "%s\n  %s.\n\n", c.ID, c.Title)
	line := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&text, "  %-8s %s\n", name, value)
		}
	}
	line("level", string(c.Level))
	line("basis", basisText(c.Basis))
	line("why", c.Why)
	for i, cite := range c.Cites {
		name := ""
		if i == 0 {
			name = "sources"
		}
		line(name, citeText(cite))
	}
	line("cases", strings.Join(c.Cases, ", "))
	line("needs", cmp.Or(capabilityText(c.Capabilities()), "nothing: any client can be judged"))
	if c.OptIn {
		line("opt-in", "runs only when named in full")
	}
	line("from", fmt.Sprintf("%s:%d", c.Source.File, c.Source.Line))
	text.WriteString("\n")
	for source := range strings.Lines(c.Source.YAML()) {
		text.WriteString(strings.TrimRight("    "+source, " \n") + "\n")
	}
	return text.String()
}

// basisText is a basis with what it means.
func basisText(basis scenarios.Basis) string {
	meanings := map[scenarios.Basis]string{
		scenarios.Standard: "a standard or a draft says so",
		scenarios.Safety:   "otherwise data is lost, doubled or corrupted, or the caller hangs",
		scenarios.Promise:  "the client declares it, or was told to by the policy",
		scenarios.Practice: "good practice",
	}
	return fmt.Sprintf("%s: %s", basis, meanings[basis])
}

func citeText(cite scenarios.Cite) string {
	text := cite.Doc
	if cite.Section != "" {
		text += ", " + cite.Section
	}
	if cite.Strength != "" {
		text += fmt.Sprintf(" (%s)", cite.Strength)
	}
	if cite.URL != "" {
		text += " " + cite.URL
	}
	return text
}
