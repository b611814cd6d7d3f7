package service

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	validator "github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
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
	if err := compiler.AddResource("service.schema.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("service.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// asJSON is a file as an editor sees it: statuses are keys of text.
func asJSON(t *testing.T, text string) any {
	t.Helper()
	var node yaml.Node
	if err := yaml.Load([]byte(text), &node); err != nil {
		t.Fatal(err)
	}
	var retag func(*yaml.Node)
	retag = func(n *yaml.Node) {
		for i, child := range n.Content {
			if n.Kind == yaml.MappingNode && i%2 == 0 {
				child.Tag = "!!str"
			}
			retag(child)
		}
	}
	retag(&node)
	var document any
	if err := node.Decode(&document); err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	value, err := validator.UnmarshalJSON(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestTheSchemaTakesWhatIsShipped(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	files, err := filepath.Glob("../../examples/*/service.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d profiles among the examples, %v; expected some", len(files), err)
	}
	texts := map[string]string{"a whole profile": whole, "the least profile": least}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[file] = string(data)
	}
	for name, text := range texts {
		if err := schema.Validate(asJSON(t, text)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheSchemaAndTheLoaderAgree gives both the same lines.
func TestTheSchemaAndTheLoaderAgree(t *testing.T) {
	t.Parallel()
	schema := compiled(t)
	for lines, want := range map[string]bool{
		"about: x":                          true,
		"abuot: x":                          false,
		"command: []":                       false,
		"version: {command: [x], match: (}": false,
		"version: {match: a}":               false,
		"ready: {url: \"http://127.0.0.1:1/\", timeout: 2s}":           true,
		"ready: {url: \"127.0.0.1:1\"}":                                false,
		"ready: {url: \"http://127.0.0.1:1/\", timeout: soon}":         false,
		"match: {path: /x, header: Idempotency-Key}":                   true,
		"match: {url: /x}":                                             false,
		"otherwise: {respond: 503}":                                    true,
		"otherwise: {respond: {status: 503, retry-after: 2, body: x}}": true,
		"otherwise: {respond: 99}":                                     false,
		"otherwise: {respond: 404, pass: \"http://127.0.0.1:1\"}":      false,
		"otherwise: {}": false,
		"otherwise: {pass: \"https://127.0.0.1:1\"}":            false,
		"otherwise: {pass: \"http://127.0.0.1:1/path\"}":        false,
		"outcome: {success: [200, 202], error: {502: timeout}}": true,
		"outcome: {success: [600]}":                             false,
		"outcome: {error: {502: any}}":                          false,
		"outcome: {error: {bad: timeout}}":                      false,
		"baggage: true":                                         true,
		"baggage: 2":                                            false,
		"quiet: 1s":                                             true,
		"quiet: 1":                                              false,
		"known-failures: [{contract: a.b, reason: r, link: \"http://a\"}]": true,
		"known-failures: [{contract: a.b, reason: r}]":                     false,
	} {
		checkAgreement(t, schema, least+lines+"\n", want)
	}
	for part, others := range map[string]map[string]bool{
		"kind: service": {"kind: exec": false},
		`{payments: {listen: "127.0.0.1:8081"}}`: {
			"{}": false, `{payments: {}}`: false, `{payments: {listen: 8081}}`: false, `{payments: {listen: "127.0.0.1:8081", succeed: 201}}`: true,
		},
		`{url: "http://127.0.0.1:8080/"}`: {
			"{}": false, "{command: [x]}": true, "{command: [x], method: POST}": false, `{url: "http://127.0.0.1:1/", command: [x]}`: false,
			`{url: "http://127.0.0.1:8080/", body: x, body-file: y}`: false, `{url: "http://127.0.0.1:8080/", body: {size: 1KiB, seed: 1}}`: true,
		},
		"policy: {attempts: 1}": {"policy: {}": false, "policy: {attempts: 0}": false, "policy: {attempts: 2, backoff: {linear: 1s}}": true},
	} {
		for other, want := range others {
			text := strings.Replace(least, part, other, 1)
			if text == least {
				t.Fatalf("the least profile has no %q", part)
			}
			checkAgreement(t, schema, text, want)
		}
	}
}

func checkAgreement(t *testing.T, schema *validator.Schema, text string, want bool) {
	t.Helper()
	if _, err := Parse("service.yaml", []byte(text)); (err == nil) != want {
		t.Errorf("%s: the loader says %v", text, err)
	}
	if err := schema.Validate(asJSON(t, text)); (err == nil) != want {
		t.Errorf("%s: the schema says %v", text, err)
	}
}

// A key that is new in a type is new in the schema, and described.
func TestTheSchemaHasEveryKey(t *testing.T) {
	t.Parallel()
	text, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var whole map[string]any
	if err := json.Unmarshal([]byte(text), &whole); err != nil {
		t.Fatal(err)
	}
	for path, of := range map[string]reflect.Type{
		"": reflect.TypeFor[Profile](), "properties version": reflect.TypeFor[Version](),
		"properties upstreams additionalProperties": reflect.TypeFor[Upstream](), "$defs reply anyOf": reflect.TypeFor[Reply](),
		"properties ready": reflect.TypeFor[Ready](), "properties trigger": reflect.TypeFor[Trigger](), "properties match": reflect.TypeFor[Match](),
		"$defs otherwise": reflect.TypeFor[Otherwise](), "properties outcome": reflect.TypeFor[Outcome](),
	} {
		part := whole
		for step := range strings.FieldsSeq(path) {
			if list, is := part[step].([]any); is { // the last is the whole form
				part = list[len(list)-1].(map[string]any)
				continue
			}
			part = part[step].(map[string]any)
		}
		properties := part["properties"].(map[string]any)
		if got, want := slices.Sorted(maps.Keys(properties)), keysOf(of); !slices.Equal(got, want) {
			t.Errorf("%q: the schema has %q; %v has %q", path, got, of, want)
		}
		for key, property := range properties {
			if about := property.(map[string]any); about["description"] == nil && about["$ref"] == nil {
				t.Errorf("%q: %s is not described", path, key)
			}
		}
	}
}

// keysOf are the keys of a type, those of what is inlined included, sorted.
func keysOf(of reflect.Type) []string {
	var keys []string
	for i := range of.NumField() {
		field := of.Field(i)
		tag := field.Tag.Get("yaml")
		if tag == ",inline" {
			keys = append(keys, keysOf(field.Type)...)
		} else if tag != "" && tag != "-" {
			keys = append(keys, tag)
		}
	}
	slices.Sort(keys)
	return keys
}
