package profile

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios/schema"
)

//go:embed profile.schema.json
var ownSchema []byte

// Schema is the JSON Schema (draft 2020-12) of a profile, for editors: what
// stands in profile.schema.json, with the definitions of the contract's schema
// that it refers to. It says less than the loader.
func Schema() (string, error) {
	var profile, contract struct {
		Definitions map[string]json.RawMessage `json:"$defs"`
	}
	var whole map[string]json.RawMessage
	for _, read := range []struct {
		data []byte
		into any
	}{{ownSchema, &profile}, {ownSchema, &whole}, {[]byte(schema.Contract()), &contract}} {
		if err := json.Unmarshal(read.data, read.into); err != nil {
			return "", fmt.Errorf("the schema of profiles: %w", err)
		}
	}
	// What is added refers to more in its turn.
	for refers := references(ownSchema); len(refers) > 0; {
		name := refers[0]
		refers = refers[1:]
		if _, there := profile.Definitions[name]; there {
			continue
		}
		definition, there := contract.Definitions[name]
		if !there {
			return "", fmt.Errorf("the schema of profiles: nothing defines %q", name)
		}
		profile.Definitions[name] = definition
		refers = append(refers, references(definition)...)
	}
	var err error
	if whole["$defs"], err = json.Marshal(profile.Definitions); err != nil {
		return "", fmt.Errorf("the schema of profiles: %w", err)
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return "", fmt.Errorf("the schema of profiles: %w", err)
	}
	return string(text) + "\n", nil
}

// references are the definitions that a schema refers to.
func references(text []byte) []string {
	var names []string
	for i, part := range strings.Split(string(text), `"#/$defs/`) {
		if name, _, ok := strings.Cut(part, `"`); ok && i > 0 {
			names = append(names, name)
		}
	}
	return names
}
