package profile

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"github.com/faultsrv/faultsrv/suites/clients"
)

func compiled(t *testing.T) *validator.Schema {
	t.Helper()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	document, err := validator.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	compiler := validator.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("profile.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("profile.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// asJSON is a file as an editor sees it.
func asJSON(t *testing.T, text []byte) any {
	t.Helper()
	var document any
	if err := yaml.Load(text, &document); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(textKeys(document))
	if err != nil {
		t.Fatal(err)
	}
	value, err := validator.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// textKeys makes texts of keys that YAML reads as numbers.
func textKeys(value any) any {
	switch value := value.(type) {
	case map[any]any:
		texts := map[string]any{}
		for key, item := range value {
			texts[fmt.Sprint(key)] = textKeys(item)
		}
		return texts
	case map[string]any:
		for key, item := range value {
			value[key] = textKeys(item)
		}
	case []any:
		for i, item := range value {
			value[i] = textKeys(item)
		}
	}
	return value
}

func TestTheSchemaTakesTheBuiltInProfiles(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for _, file := range []string{"curl/profile.yaml", "wget/profile.yaml"} {
		data, err := clients.Profiles.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(asJSON(t, data)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestTheSchemaAndTheLoaderAgree gives both the same lines.
func TestTheSchemaAndTheLoaderAgree(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for lines, want := range map[string]bool{
		"kind: exec\nname: x\ncommand: [x]":                      true,
		"kind: exce\nname: x\ncommand: [x]":                      false,
		"name: x\ncommand: [x]":                                  false,
		"kind: exec\ncommand: [x]":                               false,
		"kind: exec\nname: x":                                    false,
		"kind: exec\nname: x\ncommand: []":                       false,
		"nmae: x":                                                false,
		"version: {command: [x], match: a}":                      true,
		"version: {command: [x], match: (}":                      false,
		"version: {match: a}":                                    false,
		"reads: [url]":                                           true,
		"cannot: [parallel]":                                     true,
		"cannot: [sing]":                                         false,
		"promises: {attempts: 3, backoff: {linear: 1s}}":         true,
		"promises: {atempts: 3}":                                 false,
		"success: {status: 204}":                                 true,
		"success: {stat: 204}":                                   false,
		"parallel: 1":                                            true,
		"parallel: 0":                                            false,
		"status: {from: stdout, match: (a)}":                     true,
		"status: {from: stdin, match: (a)}":                      false,
		"status: {from: stdout, match: a}":                       false,
		"exits: {1: reset, 255: timeout}":                        true,
		"exits: {1: any}":                                        false,
		"exits: {0: reset}":                                      false,
		"exits: {256: reset}":                                    false,
		"exits: {one: reset}":                                    false,
		"exits: {8: answer}\nstatus: {from: stderr, match: (a)}": true,
		"known-failures: [{contract: a.b, reason: r, link: http://a}]": true,
		"known-failures: [{contract: a.b, reason: r}]":                 false,
		"known-failures: [{contract: a.b, reason: r, link: a}]":        false,
	} {
		text := lines
		if !strings.Contains(lines, "name: x") && !strings.HasPrefix(lines, "kind") {
			text = "kind: exec\nname: x\ncommand: [x]\n" + lines
		}
		if _, err := Parse("x.yaml", []byte(text+"\n")); (err == nil) != want {
			t.Errorf("%s: the loader says %v", lines, err)
		}
		if err := schema.Validate(asJSON(t, []byte(text))); (err == nil) != want {
			t.Errorf("%s: the schema says %v", lines, err)
		}
	}
}

// A key that is new in the type is new in the schema.
func TestTheSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	var schema struct {
		Properties map[string]struct {
			Description string `json:"description"`
			Ref         string `json:"$ref"`
		} `json:"properties"`
	}
	if err := json.Unmarshal(ownSchema, &schema); err != nil {
		t.Fatal(err)
	}
	var keys []string
	of := reflect.TypeFor[Profile]()
	for i := range of.NumField() {
		if key := of.Field(i).Tag.Get("yaml"); key != "" {
			keys = append(keys, key)
		}
	}
	for _, key := range keys {
		if property, there := schema.Properties[key]; !there || property.Description == "" && property.Ref == "" {
			t.Errorf("%s is not in the schema, or not described", key)
		}
	}
	for key := range schema.Properties {
		if !slices.Contains(keys, key) {
			t.Errorf("%s is no key of a profile", key)
		}
	}
}
