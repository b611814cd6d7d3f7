package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios"
)

func newContractsList() *cobra.Command {
	var wanted selection
	format := oneOf("text", "json")
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the contracts",
		Long: `Lists the contracts, one a line: its id, its level, the basis that it rests on,
and the rule. The first part of the id is its area, which --contracts selects:
'body.*'. faultsrv contracts show prints one in full.`,
		Example: `  faultsrv contracts list --level must
  faultsrv contracts list --contracts 'retry-after.*' --format json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			contracts, err := wanted.listed()
			if err != nil {
				return err
			}
			if format.value == "json" {
				return printJSON(cmd.OutOrStdout(), summaries(contracts))
			}
			return listText(cmd.OutOrStdout(), contracts)
		},
	}
	wanted.flags(cmd, levelAll)
	format.flag(cmd, "format", "how to print them")
	return cmd
}

// listed are the selected contracts. Without a pattern these are all of the
// level, also those that a run has only where they are named in full.
func (s *selection) listed() ([]*scenarios.Contract, error) {
	if len(s.patterns) > 0 {
		return s.chosen()
	}
	contracts, err := s.known()
	if err != nil {
		return nil, err
	}
	weakest := s.weakest()
	return slices.DeleteFunc(contracts, func(c *scenarios.Contract) bool {
		return c.Level == scenarios.Observe && weakest != scenarios.Observe ||
			c.Level == scenarios.Should && weakest == scenarios.Must
	}), nil
}

// summary is what a list says of a contract; nothing in it is null.
type summary struct {
	ID    string                 `json:"id"`
	Title string                 `json:"title"`
	Level scenarios.Level        `json:"level"`
	Basis scenarios.Basis        `json:"basis"`
	Area  string                 `json:"area"`
	Cites []scenarios.Cite       `json:"cites"`
	Needs []scenarios.Capability `json:"needs"`
	Cases []string               `json:"cases"`
	// OptIn contracts run only where they are named in full.
	OptIn bool `json:"opt_in"`
}

func summaries(contracts []*scenarios.Contract) []summary {
	list := make([]summary, 0, len(contracts))
	for _, c := range contracts {
		list = append(list, summary{
			ID: c.ID, Title: c.Title, Level: c.Level, Basis: c.Basis, Area: c.Area(), OptIn: c.OptIn,
			Cites: notNil(c.Cites),
			Needs: notNil(c.Capabilities()),
			Cases: notNil(c.Cases),
		})
	}
	return list
}

func listText(w io.Writer, contracts []*scenarios.Contract) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range contracts {
		title := c.Title
		if c.OptIn {
			title += " (runs only when named in full)"
		}
		_, _ = fmt.Fprintf(columns, "%s\t%s\t%s\t%s\n", c.ID, c.Level, c.Basis, title)
	}
	if err := columns.Flush(); err != nil { // of all that was written
		return unprinted(err)
	}
	return nil
}
