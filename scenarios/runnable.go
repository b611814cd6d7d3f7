package scenarios

import (
	"errors"
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Runnable says why the contract cannot be run by this version, naming each act
// and word that parses and is not built yet; nil if it can.
func (c *Contract) Runnable() error {
	var reasons []error
	unbuilt := func(what string) {
		reasons = append(reasons, fmt.Errorf("%s: %s is not built yet", c.ID, what))
	}
	steps := slices.Concat(c.Connections, c.Script)
	for _, call := range c.Calls {
		steps = append(steps, call.Script...)
	}
	named := map[string]bool{}
	for _, step := range steps {
		if act, ok := step.Act.(faultserver.Unbuilt); ok && !named[act.Name] {
			named[act.Name] = true
			unbuilt("act " + act.Name)
		}
	}
	if p := c.Server.Protocol; p != "" && p != Plain {
		unbuilt("server protocol " + string(p))
	}
	if c.Server.SecondHost {
		unbuilt("server second-host")
	}
	return errors.Join(reasons...)
}
