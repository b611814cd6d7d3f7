package reports

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

//go:generate go test -run ^TestSchemaIsFresh$ . -update

const schemaFile = "results.schema.json"

// The schema is made of the types and their comments, so it stands in a test:
// what makes it would otherwise be linked into everything that reads results.
func TestSchemaIsFresh(t *testing.T) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(schema(t)); err != nil {
		t.Fatal(err)
	}
	sameAsFile(t, schemaFile, out.Bytes())
}

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	reflector := jsonschema.Reflector{Mapper: ownSchema}
	for _, folder := range []string{".", "../assertions", "../scenarios", "../faultserver"} {
		if err := reflector.AddGoComments("github.com/faultsrv/faultsrv/reports", folder); err != nil {
			t.Fatal(err)
		}
	}
	made := reflector.Reflect(Run{})
	made.ID = "https://github.com/faultsrv/faultsrv/reports/results.schema.json"
	made.Title = "The results of a run of faultsrv, format 1"
	for _, nullable := range []struct{ definition, property string }{
		{"Check", "ok"}, {"AttemptMeta", "gap_ns"}, {"Result", "outcome"},
	} {
		property, found := made.Definitions[nullable.definition].Properties.Get(nullable.property)
		if !found {
			t.Fatalf("the schema has no %s.%s", nullable.definition, nullable.property)
		}
		description := property.Description
		value := *property
		value.Description = ""
		*property = jsonschema.Schema{Description: description, OneOf: []*jsonschema.Schema{&value, {Type: "null"}}}
	}
	for _, policy := range []string{"Policy", "Backoff", "Timeouts", "Breaker", "Hedge"} {
		spellDurations(made.Definitions[policy])
	}
	return made
}

// nanoseconds is the title of a duration that was measured.
const nanoseconds = "nanoseconds"

// spellDurations makes texts of a schema's durations: somebody chose them.
func spellDurations(schema *jsonschema.Schema) {
	for property := schema.Properties.Oldest(); property != nil; property = property.Next() {
		if property.Value.Title == nanoseconds {
			property.Value.Type, property.Value.Title = "string", "a duration such as 40ms or 1m30s"
		}
	}
}

// ownSchema is the schema of a duration or of a type whose words are a closed
// list; nil for others.
func ownSchema(of reflect.Type) *jsonschema.Schema {
	if of == reflect.TypeFor[assertions.Verdict]() {
		return enum(known)
	}
	if of == reflect.TypeFor[assertions.Part]() {
		return enum([]assertions.Part{
			assertions.PartPremise, assertions.PartExpect, assertions.PartAlso, assertions.PartObserve, assertions.PartScript,
		})
	}
	if of == reflect.TypeFor[time.Duration]() {
		return &jsonschema.Schema{Type: "integer", Title: nanoseconds}
	}
	if words, ok := scenarios.Words()[of]; ok {
		return enum(words)
	}
	return nil
}

// Who reads a number has to know its unit.
func TestANumberOfNanosecondsSaysSo(t *testing.T) {
	for name, definition := range schema(t).Definitions {
		for property := definition.Properties.Oldest(); property != nil; property = property.Next() {
			value := property.Value
			if len(value.OneOf) > 0 {
				value = value.OneOf[0]
			}
			if (value.Title == nanoseconds) != strings.HasSuffix(property.Key, "_ns") {
				t.Errorf("%s.%s: a duration that was measured, and nothing else, has a name that ends in _ns", name, property.Key)
			}
		}
	}
}

func enum[T ~string](words []T) *jsonschema.Schema {
	made := &jsonschema.Schema{Type: "string"}
	for _, word := range words {
		made.Enum = append(made.Enum, string(word))
	}
	return made
}

// The schema must describe what is written: every key of the sample is a
// property of it, and every required property is there.
func TestSchemaDescribesWhatIsWritten(t *testing.T) {
	data, err := json.Marshal(schema(t))
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	var run any
	if err := json.Unmarshal(rendered(t, JSON, sampleRun()), &run); err != nil {
		t.Fatal(err)
	}
	describes(t, root["$defs"].(map[string]any), root, run, "run")
}

// describes checks a value against the part of JSON Schema that the schema
// uses: $ref, oneOf with null, type, enum, properties, required, items.
func describes(t *testing.T, definitions, schema map[string]any, value any, where string) {
	t.Helper()
	if ref, ok := schema["$ref"].(string); ok {
		name := ref[len("#/$defs/"):]
		describes(t, definitions, definitions[name].(map[string]any), value, where)
		return
	}
	if oneOf, ok := schema["oneOf"].([]any); ok {
		if value != nil {
			describes(t, definitions, oneOf[0].(map[string]any), value, where)
		}
		return
	}
	if got := typeOf(value); schema["type"] != nil && got != schema["type"] && (got != "integer" || schema["type"] != "number") {
		t.Errorf("%s: the schema says %v, written is %s", where, schema["type"], got)
		return
	}
	if words, ok := schema["enum"].([]any); ok && !slices.Contains(words, value) {
		t.Errorf("%s: the schema knows %v, written is %v", where, words, value)
	}
	switch value := value.(type) {
	case map[string]any:
		describesObject(t, definitions, schema, value, where)
	case []any:
		for _, item := range value {
			describes(t, definitions, schema["items"].(map[string]any), item, where+"[]")
		}
	}
}

func describesObject(t *testing.T, definitions, schema, value map[string]any, where string) {
	t.Helper()
	properties, _ := schema["properties"].(map[string]any)
	additional, open := schema["additionalProperties"].(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(value)) {
		property, ok := properties[key].(map[string]any)
		if !ok && open {
			property, ok = additional, true
		}
		if !ok {
			t.Errorf("%s: the schema has no property %q", where, key)
			continue
		}
		describes(t, definitions, property, value[key], where+"."+key)
	}
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, ok := value[key.(string)]; !ok {
			t.Errorf("%s: the schema requires %q, it is not written", where, key)
		}
	}
}

func typeOf(value any) string {
	switch value := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case float64:
		if value == float64(int64(value)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	default:
		return "object"
	}
}
