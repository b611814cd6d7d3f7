package main

import (
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

type object = jsonschema.Schema

// The patterns of what is written as one word; the grammar beside the reference
// says the same.
const (
	durationPattern = `^(0|((0|[1-9][0-9]*)(\.[0-9]+)?h)?((0|[1-9][0-9]*)(\.[0-9]+)?m)?((0|[1-9][0-9]*)(\.[0-9]+)?s)?((0|[1-9][0-9]*)(\.[0-9]+)?ms)?((0|[1-9][0-9]*)(\.[0-9]+)?us)?((0|[1-9][0-9]*)ns)?)$`
	sizePattern     = `^(0|[1-9][0-9]*)(B|KiB|MiB|GiB)?$`
	sizedPattern    = `(0|[1-9][0-9]*)(B|KiB|MiB|GiB)?`
	pointPattern    = `^(accept|tls-handshake|request-head|request-end|response-head|(request|response)-body@` + sizedPattern + `)$`
	offsetPattern   = `^[+-]?(0|([0-9.]+[hms]+)+)$`
	fieldPattern    = `^(method|target|proto|header\.[!#$%&'*+.^_` + "`" + `|~0-9A-Za-z-]+)$`
	callPattern     = `^[a-z][a-z0-9]*(-[a-z0-9]+)*$`
)

// handWritten are structs with so short a form that they are defined whole.
var handWritten = []reflect.Type{
	reflect.TypeFor[faultserver.Step](),
	reflect.TypeFor[faultserver.Header](),
	reflect.TypeFor[faultserver.RetryAfter](),
	reflect.TypeFor[scenarios.Expectations](),
	reflect.TypeFor[scenarios.GapBound](),
	reflect.TypeFor[scenarios.PolicyRef](),
	reflect.TypeFor[scenarios.ReturnsAfter](),
}

// scalarOf names the definition of a type that is one word.
func scalarOf(t reflect.Type) string {
	switch t {
	case reflect.TypeFor[time.Duration]():
		return "duration"
	case reflect.TypeFor[faultserver.Size]():
		return "size"
	case reflect.TypeFor[faultserver.Point]():
		return "point"
	case reflect.TypeFor[faultserver.Span]():
		return "span"
	case reflect.TypeFor[faultserver.Fault]():
		return "fault"
	default:
		return ""
	}
}

func (s *schema) scalars(c *comments) error {
	s.define("text", &object{
		AnyOf:       []*object{{Type: "string"}, {Type: "number"}, {Type: "boolean"}},
		Description: "Text, taken as it is written: 010 and yes are texts like any other.",
	})
	s.define("duration", &object{
		AnyOf:       []*object{{Type: "string", Pattern: durationPattern}, {Const: 0}},
		Description: "A duration: numbers with a unit (h, m, s, ms, us, ns), the larger ones first, such as 40ms, 1.5s or 1m30s.",
	})
	s.define("size", &object{
		AnyOf:       []*object{{Type: "integer", Minimum: number(0)}, {Type: "string", Pattern: sizePattern}},
		Description: c.ofType(reflect.TypeFor[faultserver.Size]()),
	})
	s.define("point", &object{
		Type: "string", Pattern: pointPattern,
		Description: c.ofType(reflect.TypeFor[faultserver.Point]()),
	})
	s.define("span", &object{
		AnyOf:       []*object{{Type: "integer", Minimum: number(0)}, {Type: "string", Pattern: durationPattern}},
		Description: c.ofType(reflect.TypeFor[faultserver.Span]()),
	})
	s.define("fault", &object{
		AnyOf:       []*object{{Type: "string"}, {Type: "integer", Minimum: number(200), Maximum: number(999)}},
		Description: c.ofType(reflect.TypeFor[faultserver.Fault]()),
	})
	return nil
}

// pieceInBase64 is how bytes are written that YAML cannot write as a text.
func pieceInBase64() *object {
	properties := jsonschema.NewProperties()
	properties.Set("base64", &object{Type: "string", Pattern: `^[A-Za-z0-9+/]*={0,2}$`, Description: "The bytes in base64, with padding."})
	return &object{Type: "object", Properties: properties, Required: []string{"base64"}, AdditionalProperties: jsonschema.FalseSchema}
}

// closedLists defines each closed list of words.
func (s *schema) closedLists(c *comments) error {
	for t, words := range scenarios.Words() {
		definition := &object{Description: c.ofList(t)}
		for _, word := range words {
			if word == "true" {
				definition.Enum = append(definition.Enum, true) // YAML reads the word so
			}
			definition.Enum = append(definition.Enum, word)
		}
		s.define(s.name(t), definition)
	}
	return nil
}

// shortForms defines the types of scenarios.Forms: the reflected mapping, if
// there is one, beside the short forms. A form that is not here is an error.
func (s *schema) shortForms(c *comments) error {
	policy := func() *object { return &object{Const: "policy"} }
	whole := func() *object { return &object{Type: "integer", Minimum: number(0)} }
	short := map[reflect.Type][]*object{
		reflect.TypeFor[scenarios.Attempts]():       {whole(), policy()},
		reflect.TypeFor[scenarios.Range]():          {whole()},
		reflect.TypeFor[scenarios.GapBound]():       {ref("duration"), policy(), {Const: "retry-after"}},
		reflect.TypeFor[scenarios.PolicyRef]():      {policy()},
		reflect.TypeFor[scenarios.ReturnsAfter]():   {{Const: "cancel"}, ref("moment")},
		reflect.TypeFor[scenarios.OutcomeRule]():    {{Const: "success"}},
		reflect.TypeFor[scenarios.ServerKind]():     {ref("protocol")},
		reflect.TypeFor[[]scenarios.ErrorKind]():    {ref("error-kind"), {Type: "array", Items: ref("error-kind")}},
		reflect.TypeFor[scenarios.Field]():          {{Type: "string", Pattern: fieldPattern}},
		reflect.TypeFor[faultserver.Body]():         {ref("text")},
		reflect.TypeFor[faultserver.Piece]():        {ref("text"), pieceInBase64()},
		reflect.TypeFor[faultserver.Delay]():        {ref("duration")},
		reflect.TypeFor[faultserver.Header]():       {ref("text"), {Type: "object", AdditionalProperties: ref("text"), MaxProperties: one(), MinProperties: one()}},
		reflect.TypeFor[faultserver.Headers]():      {{Type: "object", AdditionalProperties: &object{AnyOf: []*object{ref("text"), {Type: "array", Items: ref("text")}}}}},
		reflect.TypeFor[faultserver.RetryAfter]():   {ref("text"), s.retryAfterDate(c)},
		reflect.TypeFor[[]scenarios.OutcomeCount](): {s.outcomeCounts()},
		reflect.TypeFor[scenarios.Expectations]():   {s.expectations()},
		reflect.TypeFor[[]faultserver.Step]():       {},
		reflect.TypeFor[faultserver.Step]():         {},
		reflect.TypeFor[scenarios.Backoff]():        {}, // a mapping, of which the schema says nothing more
	}
	for t, written := range scenarios.Forms() {
		forms, known := short[t]
		switch {
		case !known:
			return fmt.Errorf("the type %s has a short form that the schema does not know: %s", t, written)
		case len(forms) == 0:
			continue // see steps, or as it is reflected
		}
		name := s.formName(t)
		if mapping := s.root.Definitions[name]; mapping != nil {
			mapping.Description = ""
			forms = append(forms, mapping)
		}
		definition := &object{AnyOf: forms, Description: s.written(c, t, written)}
		if len(forms) == 1 {
			description := definition.Description
			definition = forms[0]
			definition.Description = description
		}
		s.define(name, definition)
		delete(short, t)
	}
	for t, forms := range short {
		if len(forms) > 0 {
			return fmt.Errorf("the schema knows a short form of %s that the loader does not read", t)
		}
	}
	return nil
}

// written is a type's comment and how it is written.
func (s *schema) written(c *comments, t reflect.Type, how string) string {
	written := "Written as " + how + "."
	if t.Name() == "" {
		return written
	}
	return strings.TrimSpace(c.ofType(t) + " " + written)
}

func (s *schema) retryAfterDate(c *comments) *object {
	of := reflect.TypeFor[faultserver.RetryAfter]()
	mapping := &object{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema, Required: []string{"date"}}
	date, form := &object{Type: "string", Pattern: offsetPattern}, ref("date-form")
	date.Description, form.Description = s.field(c, of, "date"), s.field(c, of, "form")
	mapping.Properties.Set("date", date)
	mapping.Properties.Set("form", form)
	return mapping
}

func (s *schema) field(c *comments, of reflect.Type, key string) string {
	f, declaring, _ := fieldOf(of, key)
	return c.ofField(declaring, f)
}

func (s *schema) outcomeCounts() *object {
	count := func() *object { return &object{Type: "integer", Minimum: number(0)} }
	kinds := []string{string(scenarios.SuccessOutcome)}
	kinds = append(kinds, scenarios.Words()[reflect.TypeFor[scenarios.ErrorKind]()]...)
	return &object{
		Type: "object", AdditionalProperties: jsonschema.FalseSchema,
		PatternProperties: map[string]*object{"^(" + strings.Join(kinds, "|") + "|status-[1-5][0-9][0-9])$": count()},
	}
}

// expectations are the words of an expectation for all calls, and any other key
// for a call by its name.
func (s *schema) expectations() *object {
	return &object{
		Type:                 "object",
		Properties:           s.root.Definitions["expectation"].Properties,
		AdditionalProperties: ref("expectation"),
		PropertyNames:        &object{Pattern: callPattern},
	}
}

func one() *uint64 { n := uint64(1); return &n }
