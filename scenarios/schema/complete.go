package schema

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Complete is another schema with those definitions of the contract's that it
// refers to: a profile has policies and answers too. A definition of its own wins;
// one that is nowhere is an error.
func Complete(own []byte) (string, error) {
	var mine, theirs struct {
		Definitions map[string]json.RawMessage `json:"$defs"`
	}
	var whole map[string]json.RawMessage
	for _, read := range []struct {
		data []byte
		into any
	}{{own, &mine}, {own, &whole}, {[]byte(contract), &theirs}} {
		if err := json.Unmarshal(read.data, read.into); err != nil {
			return "", fmt.Errorf("schema: %w", err)
		}
	}
	if mine.Definitions == nil {
		mine.Definitions = map[string]json.RawMessage{}
	}
	// What is added refers to more in its turn.
	for refers := references(own); len(refers) > 0; {
		name := refers[0]
		refers = refers[1:]
		if _, there := mine.Definitions[name]; there {
			continue
		}
		definition, there := theirs.Definitions[name]
		if !there {
			return "", fmt.Errorf("schema: nothing defines %q", name)
		}
		mine.Definitions[name] = definition
		refers = append(refers, references(definition)...)
	}
	var err error
	if whole["$defs"], err = json.Marshal(mine.Definitions); err != nil {
		return "", fmt.Errorf("schema: %w", err)
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return "", fmt.Errorf("schema: %w", err)
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
