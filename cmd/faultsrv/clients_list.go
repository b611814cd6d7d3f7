package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/profile"
)

func newClientsList() *cobra.Command {
	format := oneOf("text", "json")
	var wrong bool
	cmd := &cobra.Command{
		Use:   "list",
		Short: "List the built-in clients",
		Example: `  faultsrv clients list
  faultsrv clients list --mutants
  faultsrv clients list --format json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			known, err := builtIn()
			if err != nil {
				return err
			}
			clients := []clientSummary{}
			for _, k := range known {
				if k.isMutant() != wrong {
					continue
				}
				summary, err := k.summary(cmd.Context())
				if err != nil {
					return err
				}
				clients = append(clients, summary)
			}
			if format.value == "json" {
				return printJSON(cmd.OutOrStdout(), clients)
			}
			if err := listClients(cmd.OutOrStdout(), clients); err != nil || wrong {
				return err
			}
			return printText(cmd.OutOrStdout(), fmt.Sprintf("and %s, clients that are wrong on purpose: faultsrv clients list --mutants\n", plural(len(known)-len(clients), "mutant")))
		},
	}
	cmd.Flags().BoolVar(&wrong, "mutants", false, "list the clients that are wrong on purpose, in the place of the others")
	format.flag(cmd, "format", "how to print them")
	return cmd
}

// notInstalled is the problem of a client whose program is not there.
const notInstalled = "not installed"

// clientSummary is what a list says of a client; nothing in it is null.
type clientSummary struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Version is empty where the client has none of its own, or is not there.
	Version string `json:"version"`
	// Problem is why it cannot be run on this machine; empty where it can.
	Problem      string                 `json:"problem"`
	About        string                 `json:"about"`
	Capabilities []scenarios.Capability `json:"capabilities"`
	// Breaks are the contracts that a mutant is made to break.
	Breaks []string `json:"breaks"`
}

// summary opens a client to ask for its version. A program that cannot be run,
// since it is not installed or broken, is said so and no error.
func (k knownClient) summary(ctx context.Context) (clientSummary, error) {
	s := clientSummary{Name: k.name, About: k.about, Capabilities: []scenarios.Capability{}, Breaks: notNil(k.breaks)}
	client, err := k.open(ctx, 0)
	if err != nil {
		s.Problem = err.Error()
		if errors.Is(err, exec.ErrNotFound) {
			s.Problem = notInstalled
		}
		if k.profile != nil {
			s.Kind = string(k.profile.Kind)
		}
		return s, nil
	}
	known := client.Profile()
	s.Kind, s.Version, s.Capabilities = known.Kind, known.Version, notNil(known.Capabilities)
	return s, closeClient(client)
}

func closeClient(client profile.Client) error {
	if err := client.Close(); err != nil {
		return couldNotRun(fmt.Errorf("end the client: %w", err))
	}
	return nil
}

func listClients(w io.Writer, clients []clientSummary) error {
	columns := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range clients {
		_, _ = fmt.Fprintf(columns, "%s\t%s\t%s\t%s\n", c.Name, c.Kind, c.versionText(), c.About)
	}
	if err := columns.Flush(); err != nil { // of all that was written
		return unprinted(err)
	}
	return nil
}

func (c clientSummary) versionText() string {
	if c.Problem != "" && c.Problem != notInstalled {
		return "cannot be run" // the JSON says why; it does not fit a column
	}
	return cmp.Or(c.Problem, c.Version, "-")
}
