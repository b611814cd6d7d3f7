package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// library hands the control API what it does not know itself: contracts, and how
// a client is judged by one.
type library struct {
	contracts map[string]*scenarios.Contract
	timers    *timers
	redactor  *reports.Redactor
}

func newLibrary(wanted *selection, timers *timers, redactor *reports.Redactor) (*library, error) {
	known, err := wanted.known()
	if err != nil {
		return nil, err
	}
	l := &library{contracts: make(map[string]*scenarios.Contract, len(known)), timers: timers, redactor: redactor}
	for _, contract := range known {
		l.contracts[contract.ID] = contract
	}
	return l, nil
}

// resolve finds a contract by its id.
func (l *library) resolve(id string) (control.Scenario, error) {
	contract := l.contracts[id]
	if contract == nil {
		ids := make([]string, 0, len(l.contracts))
		for known := range l.contracts {
			ids = append(ids, known)
		}
		if near := scenarios.Nearest(id, ids); near != "" {
			return control.Scenario{}, fmt.Errorf("there is no such contract; did you mean %s?", near)
		}
		return control.Scenario{}, fmt.Errorf("there is no such contract; `faultsrv contracts list` shows all %d", len(ids))
	}
	return l.scenario(contract)
}

// parse reads a contract, YAML or JSON.
func (l *library) parse(document []byte) (control.Scenario, error) {
	contracts, err := scenarios.Parse("scenario", document)
	if err != nil {
		return control.Scenario{}, err
	}
	if len(contracts) > 1 {
		return control.Scenario{}, fmt.Errorf("expected one contract, got %d; make a session of each", len(contracts))
	}
	return l.scenario(contracts[0])
}

// scenario is a contract as the API plays it.
func (l *library) scenario(written *scenarios.Contract) (control.Scenario, error) {
	if err := written.Runnable(); err != nil {
		return control.Scenario{}, err
	}
	contract := written.Defaulted()
	by := judge{contract: contract, opened: time.Now(), timers: l.timers, redactor: l.redactor}
	scenario := control.Scenario{
		ID: contract.ID, Title: contract.Title, Config: contract.Config(),
		Policy: contract.Policy.Defaulted(contract.Calls), Judge: by.verdict,
	}
	for _, call := range contract.Calls {
		for _, token := range call.Tokens() {
			one := control.Call{Token: token, Name: call.Name, Method: call.Method, Path: call.Path, Headers: call.Headers}
			if call.Body != nil {
				one.Body = *call.Body
			}
			scenario.Calls = append(scenario.Calls, one)
		}
	}
	return scenario, nil
}

// parseSteps reads a list of steps as a contract's script has them.
func parseSteps(list []byte) ([]faultserver.Step, error) {
	var document struct {
		Script []faultserver.Step `yaml:"script"`
	}
	text, err := json.Marshal(map[string]json.RawMessage{"script": list})
	if err != nil {
		return nil, err
	}
	_, err = scenarios.DecodeStrict("steps", text, &document)
	return document.Script, err
}

// checkOutcome says what is wrong with an outcome.
func checkOutcome(text json.RawMessage) error {
	_, err := readOutcome(text)
	return err
}
