package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/quick"
	"github.com/faultsrv/faultsrv/scenarios"
)

// config is the session that was asked for, and the calls it is made for, if
// any: a script's, a contract's, else what hands every attempt on to the upstream,
// else the fixed routes.
func (o *serveOptions) config(override bool) (faultserver.Config, []scenarios.Call, error) {
	var config faultserver.Config
	var calls []scenarios.Call
	switch {
	case o.script != "" && o.scenario != "":
		return config, nil, errors.New("expected either --script or --scenario, got both; see `faultsrv serve --help`")
	case o.script == "" && o.scenario == "":
		if override {
			return config, nil, errors.New("--after-script: there is no script; add one, such as --script 503x2,200")
		}
		if config = quick.Config(); len(o.upstreams) > 0 {
			config = faultserver.Config{Choose: func(faultserver.Request) faultserver.Step { return faultserver.Step{Act: faultserver.Untouched{}} }}
		}
	case o.script != "":
		steps, err := faultserver.ParseScript(o.script)
		if err != nil {
			return config, nil, fmt.Errorf("--script: %w", err)
		}
		config.Script = steps
		override = true
	default:
		contract, err := o.contract()
		if err != nil {
			return config, nil, err
		}
		config, calls = contract.Config(), contract.Defaulted().Calls
	}
	if override {
		config.AfterScript = faultserver.AfterScript(o.afterScript.value)
	}
	for _, upstream := range o.upstreams {
		if err := (faultserver.Config{Pass: upstream}).Validate(); err != nil {
			return config, nil, fmt.Errorf("--upstream: %w", err)
		}
		config.Pass = o.upstreams[0]
	}
	if err := config.Playable(); err != nil {
		return config, nil, fmt.Errorf("the script cannot be played: %w", err)
	}
	return config, calls, nil
}

// contract is the one that --scenario means.
func (o *serveOptions) contract() (*scenarios.Contract, error) {
	if info, err := os.Stat(o.scenario); err == nil && !info.IsDir() {
		contracts, err := scenarios.Load(o.scenario)
		if err != nil {
			return nil, err
		}
		if len(contracts) > 1 {
			var ids []string
			for _, c := range contracts {
				ids = append(ids, c.ID)
			}
			return nil, fmt.Errorf("--scenario: expected a file with one contract, got %d in %s (%s); name one: --contracts-from %s --scenario ID",
				len(contracts), o.scenario, strings.Join(ids, ", "), o.scenario)
		}
		return contracts[0], contracts[0].Runnable()
	}
	o.wanted.patterns = []string{o.scenario}
	contracts, err := o.wanted.chosen()
	if err != nil {
		return nil, fmt.Errorf("--scenario: %w; nor is it a file", err)
	}
	if len(contracts) > 1 {
		return nil, fmt.Errorf("--scenario: expected the id of one contract, got a pattern of %d", len(contracts))
	}
	return contracts[0], contracts[0].Runnable()
}
