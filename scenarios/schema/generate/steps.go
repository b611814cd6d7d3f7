package main

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// shortActs are the forms that an act's value has beside a mapping of its
// parameters.
func shortActs() map[string][]*object {
	status := func() *object { return &object{Type: "integer", Minimum: number(100), Maximum: number(999)} }
	return map[string][]*object{
		"respond":     {status()},
		"redirect":    {status()},
		"reset":       {ref("point")},
		"close":       {ref("point")},
		"stall":       {ref("duration"), ref("point")},
		"truncate":    {ref("size")},
		"stale":       {ref("duration"), ref("end-kind")},
		"refuse":      {ref("duration")},
		"accept-hang": {ref("duration")},

		"connect-hang":    {ref("duration")},
		"raw":             {ref("text")},
		"malformed":       {ref("malformation")},
		"dribble":         {ref("duration")},
		"bandwidth":       {ref("size")},
		"slow-read":       {ref("duration")},
		"expect-continue": {ref("continuation")},
		"throttle":        {&object{Type: "integer", Minimum: number(1)}},
		"capacity":        {&object{Type: "integer", Minimum: number(1)}},
		"outage":          {ref("span")},
		"ramp":            {ref("span")},
		"tls":             {ref("tls-fault")},
	}
}

// steps defines a script and a step: one act, and what goes with it.
func (s *schema) steps(c *comments) error {
	step := &object{Type: "object", Properties: jsonschema.NewProperties(), AdditionalProperties: jsonschema.FalseSchema}
	short := shortActs()
	for _, act := range scenarios.ActForms() {
		forms, known := short[act.Name]
		if known != (act.Short != "") {
			return fmt.Errorf("the act %s can be written as %q, and the schema has %d forms for that", act.Name, act.Short, len(forms))
		}
		definition := s.root.Definitions[s.name(act.Parameters)]
		step.Properties.Set(act.Name, &object{AnyOf: append(forms, ref(s.name(act.Parameters))), Description: definition.Description})
		step.OneOf = append(step.OneOf, &object{Required: []string{act.Name}})
	}
	for _, name := range faultserver.UnbuiltActs {
		step.Properties.Set(name, &object{Description: "Not built yet: it can be written, and refuses to run."})
		step.OneOf = append(step.OneOf, &object{Required: []string{name}})
	}
	for _, key := range scenarios.StepKeys() {
		property := s.stepKey(key)
		property.Description = c.ofField(reflect.TypeFor[faultserver.Step](), key.Field)
		step.Properties.Set(key.Name, property)
	}
	line := &object{AnyOf: []*object{{Type: "string"}, {Type: "integer", Minimum: number(100), Maximum: number(999)}}}
	s.define("step", &object{
		AnyOf:       []*object{step, line},
		Description: c.ofType(reflect.TypeFor[faultserver.Step]()) + " Written as a mapping of one act and what goes with it, or as one or more steps in the notation of one-line scripts.",
	})
	s.define("script", &object{
		AnyOf:       []*object{{Type: "array", Items: ref("step")}, slices.Clone(line.AnyOf)[0], line.AnyOf[1]},
		Description: "A script: a list of steps, or one line such as 503x2,reset,200.",
	})
	return nil
}

func (s *schema) stepKey(key scenarios.StepKey) *object {
	t := key.Field.Type
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case key.Name == "times":
		return &object{AnyOf: []*object{{Type: "integer", Minimum: number(1), Maximum: number(scenarios.MaxRequests)}, {Const: "forever"}}}
	case key.Name == "probability":
		return &object{Type: "number", Minimum: number(0), Maximum: number(1)}
	case t.Kind() == reflect.Bool:
		return &object{Type: "boolean"}
	case t == reflect.TypeFor[string]():
		return ref("text")
	case scalarOf(t) != "":
		return ref(scalarOf(t))
	default:
		return ref(s.name(t))
	}
}
