package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Runnable says why the contract cannot be run by this version on this
// platform: each act and word that parses and is not built yet by its name, and
// what the server says against its scripts; nil if it can.
func (c *Contract) Runnable() error {
	var reasons []error
	unbuilt := func(what string) {
		reasons = append(reasons, fmt.Errorf("%s: %s is not built yet", c.ID, what))
	}
	steps := slices.Concat(c.Connections, c.Script)
	for _, call := range c.Calls {
		steps = append(steps, call.Script...)
	}
	named := map[string]bool{} // by what the server says of them
	for _, step := range steps {
		if act, ok := step.Act.(faultserver.Unbuilt); ok && !named[unbuiltText(act)] {
			named[unbuiltText(act)] = true
			unbuilt("act " + act.Name)
		}
	}
	if p := c.Server.Protocol; p != "" && p != Plain && p != TLS {
		unbuilt("server protocol " + string(p))
	}
	if c.Server.SecondHost {
		unbuilt("server second-host")
	}
	for _, problem := range c.serverProblems() {
		if _, says := c.stepPath(problem.Error()); !named[says] {
			reasons = append(reasons, fmt.Errorf("%s: %w", c.ID, problem))
		}
	}
	return errors.Join(reasons...)
}

// unbuiltText is what the server says of an act that is not built.
func unbuiltText(act faultserver.Unbuilt) string {
	return act.Name + ": " + faultserver.ErrUnbuilt.Error()
}
