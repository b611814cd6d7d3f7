package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/invopop/jsonschema"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// schema is the JSON Schema of a document, and what the reference needs of it.
type schema struct {
	root *jsonschema.Schema
	// types are the Go types of the definitions.
	types map[string]reflect.Type
	json  []byte
}

// contractSchema reflects the types of the format, and then gives those with
// short forms, closed lists and bounds what Go types cannot say.
func contractSchema(c *comments) (*schema, error) {
	s := &schema{types: map[string]reflect.Type{}}
	reflector := &jsonschema.Reflector{
		FieldNameTag:               "yaml",
		RequiredFromJSONSchemaTags: true, // no key is required: lint says what a contract needs
		ExpandedStruct:             true,
		Anonymous:                  true,
		Namer:                      s.name,
		KeyNamer:                   writtenKey,
		Mapper:                     s.word,
		LookupComment:              c.lookup,
	}
	s.root = reflector.ReflectFromType(reflect.TypeFor[scenarios.Contract]())
	s.reflect(reflector, reflect.TypeFor[scenarios.Expectation]())
	s.reflect(reflector, reflect.TypeFor[faultserver.Moment]())
	for _, t := range parameterTypes() {
		s.reflect(reflector, t)
	}
	for _, define := range []func(*comments) error{s.scalars, s.closedLists, s.shortForms, s.steps, s.bounds, s.head} {
		if err := define(c); err != nil {
			return nil, err
		}
	}
	data, err := json.MarshalIndent(s.root, "", "  ")
	if err != nil {
		return nil, err
	}
	s.json = append(s.json, data...)
	s.json = append(s.json, '\n')
	return s, nil
}

// parameterTypes are the types of the acts' parameters and of what goes with an
// act that other types do not mention.
func parameterTypes() []reflect.Type {
	var types []reflect.Type
	for _, form := range scenarios.ActForms() {
		types = append(types, form.Parameters)
	}
	for _, key := range scenarios.StepKeys() {
		t := key.Field.Type
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Struct && t != reflect.TypeFor[faultserver.Point]() {
			types = append(types, t)
		}
	}
	return types
}

// reflect adds the definitions of a type, the type's own among them.
func (s *schema) reflect(r *jsonschema.Reflector, t reflect.Type) {
	own := r.ReflectFromType(t)
	maps.Copy(s.root.Definitions, own.Definitions)
	own.Definitions, own.Version = nil, ""
	s.root.Definitions[s.name(t)] = own
}

// name is what a type is called in $defs.
func (s *schema) name(t reflect.Type) string {
	if t.PkgPath() == "" {
		return t.Name()
	}
	name := kebab(t.Name())
	s.types[name] = t
	return name
}

// writtenKey drops the fields without a tag, which are not written as keys.
func writtenKey(name string) string {
	if unicode.IsUpper(rune(name[0])) {
		return ""
	}
	return name
}

func (c *comments) lookup(t reflect.Type, field string) string {
	if field == "" {
		return c.ofType(t)
	}
	f, _ := t.FieldByName(field)
	return c.ofField(declaring(t, f), f)
}

// word refers to the definitions of what is not written as a mapping; nil for
// what is reflected.
func (s *schema) word(t reflect.Type) *jsonschema.Schema {
	switch {
	case t == reflect.TypeFor[string]():
		return ref("text")
	case t == reflect.TypeFor[[]faultserver.Step]():
		return ref("script")
	case scalarOf(t) != "":
		return ref(scalarOf(t))
	case scenarios.Words()[t] != nil, isWritten(t):
		return ref(s.formName(t))
	}
	return nil
}

// formName names the definition of a type with a short form; lists are named
// after what they list.
func (s *schema) formName(t reflect.Type) string {
	if t.Kind() == reflect.Slice && t.Name() == "" {
		return kebab(t.Elem().Name()) + "s"
	}
	return s.name(t)
}

// isWritten tells whether a type is written in another way than as a mapping of
// its fields only; such a type is defined by hand in shortForms.
func isWritten(t reflect.Type) bool {
	_, ok := scenarios.Forms()[t]
	return ok && t.Kind() != reflect.Struct || slices.Contains(handWritten, t)
}

// bounds gives each number the bounds that its field has.
func (s *schema) bounds(*comments) error {
	for name, t := range s.types {
		definition := s.root.Definitions[name]
		if t.Kind() != reflect.Struct || definition == nil {
			continue
		}
		mapping := mappingOf(definition)
		if mapping == nil {
			continue
		}
		for key, property := range mapping.Properties.FromOldest() {
			if f, _, ok := fieldOf(t, key); ok {
				bound(property, f.Tag.Get("bounds"))
			}
		}
	}
	return nil
}

func bound(property *jsonschema.Schema, tag string) {
	if property.Items != nil {
		property = property.Items
	}
	switch {
	case tag != "":
		low, high := scenarios.Bounds(tag)
		property.Minimum, property.Maximum = number(low), number(high)
	case property.Type == "integer" || property.Type == "number":
		property.Minimum = number(0)
	}
}

func number(n float64) json.Number { return json.Number(strconv.FormatFloat(n, 'f', -1, 64)) }

// head adds what stands at the head of a file, and the schema's own head.
func (s *schema) head(*comments) error {
	s.root.Title = "A document of a faultsrv contract file"
	s.root.Properties.Set("format", &jsonschema.Schema{
		Const:       scenarios.FormatVersion,
		Description: "The version of the format; it stands at the head of a file, in its first document or as a document of its own.",
	})
	if err := s.root.Properties.MoveToFront("format"); err != nil {
		return fmt.Errorf("format: %w", err)
	}
	return nil
}

// mappingOf is the mapping among the ways in which a definition is written; nil
// if there is none.
func mappingOf(s *jsonschema.Schema) *jsonschema.Schema {
	if s.Properties != nil {
		return s
	}
	for _, way := range s.AnyOf {
		if way.Properties != nil {
			return way
		}
	}
	return nil
}

// define adds a definition, once.
func (s *schema) define(name string, definition *jsonschema.Schema) {
	s.root.Definitions[name] = definition
}

func ref(name string) *jsonschema.Schema { return &jsonschema.Schema{Ref: "#/$defs/" + name} }

// refName is the definition that a schema refers to.
func refName(s *jsonschema.Schema) string { return strings.TrimPrefix(s.Ref, "#/$defs/") }
