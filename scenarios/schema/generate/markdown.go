package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

//go:embed format.head.md
var formatHead string

// page writes the reference.
type page struct {
	bytes.Buffer
	schema   *schema
	comments *comments
	// written are the definitions that have a section.
	written []string
}

// reference is the page of the format: every key and word, with its comment.
func reference(s *schema, c *comments) []byte {
	p := &page{schema: s, comments: c}
	p.WriteString(formatHead)
	p.section("A contract", p.table(s.root))
	p.definitions(s.root)
	p.section("Steps", p.steps())
	p.definitions(s.root.Definitions["step"].AnyOf[0])
	p.section("Expectations", p.expectations())
	p.definitions(s.root.Definitions["expectation"])
	p.section("Closed lists", p.closedLists())
	p.section("Words", p.words())
	p.section("Capabilities", capabilities())
	p.section("Lint", lintRules())
	p.section("Limits", limits())
	return p.Bytes()
}

func (p *page) section(title, text string) { p.WriteString("\n## " + title + "\n\n" + text) }

// definitions writes a section for each mapping that an object refers to, and
// for those that they refer to, in the order of their mention.
func (p *page) definitions(object *jsonschema.Schema) {
	for _, name := range mentioned(object) {
		definition := p.schema.root.Definitions[name]
		if definition == nil || slices.Contains(p.written, name) || slices.Contains(elsewhere, name) {
			continue
		}
		p.written = append(p.written, name)
		if mapping := mappingOf(definition); mapping != nil && mapping.Properties != nil {
			p.WriteString("\n### " + name + "\n\n" + definition.Description + "\n\n" + p.table(mapping))
		}
		p.definitions(definition)
	}
}

// elsewhere are the definitions that have a place of their own on the page.
var elsewhere = []string{"script", "step", "expectation", "expectations", "text", "duration", "size", "point"}

// mentioned are the definitions that a schema refers to, in order.
func mentioned(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	var names []string
	if s.Ref != "" {
		names = append(names, refName(s))
	}
	names = append(names, mentioned(s.Items)...)
	for _, way := range s.AnyOf {
		names = append(names, mentioned(way)...)
	}
	if s.Properties != nil {
		for _, property := range s.Properties.FromOldest() {
			names = append(names, mentioned(property)...)
		}
	}
	return names
}

// table lists the keys of a mapping.
func (p *page) table(mapping *jsonschema.Schema) string {
	var b strings.Builder
	b.WriteString("| key | value | meaning |\n|---|---|---|\n")
	for key, property := range mapping.Properties.FromOldest() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, p.value(property), cell(p.meaning(property)))
	}
	return b.String()
}

// meaning is what a key's comment says; of a key without one, what its value is.
func (p *page) meaning(property *jsonschema.Schema) string {
	if property.Description != "" || property.Ref == "" || slices.Contains(elsewhere, refName(property)) {
		return property.Description
	}
	return firstSentence(p.schema.root.Definitions[refName(property)].Description)
}

func firstSentence(text string) string {
	first, _, more := strings.Cut(text, ". ")
	if more {
		first += "."
	}
	return first
}

// value says how a value is written.
func (p *page) value(s *jsonschema.Schema) string {
	switch {
	case s.Ref != "":
		return p.link(refName(s))
	case len(s.AnyOf) > 0:
		var ways []string
		for _, way := range s.AnyOf {
			if text := p.value(way); !slices.Contains(ways, text) {
				ways = append(ways, text)
			}
		}
		return strings.Join(ways, ", or ")
	case s.Items != nil:
		return "list of " + p.value(s.Items)
	case s.Const != nil:
		return fmt.Sprintf("`%v`", s.Const)
	case s.Type == "integer" || s.Type == "number":
		return numbers(s)
	case s.Type == "boolean":
		return "`true` or `false`"
	case s.Type == "string":
		return "text"
	case s.Properties != nil || s.AdditionalProperties != nil:
		return "mapping"
	default:
		return "anything"
	}
}

func numbers(s *jsonschema.Schema) string {
	kind := map[string]string{"integer": "whole number", "number": "number"}[s.Type]
	switch {
	case s.Maximum != "":
		return fmt.Sprintf("%s from %s to %s", kind, s.Minimum, s.Maximum)
	default:
		return kind
	}
}

// link names a definition, and leads to its section where it has one.
func (p *page) link(name string) string {
	definition := p.schema.root.Definitions[name]
	switch {
	case name == "script" || name == "step":
		return "[" + name + "](#steps)"
	case name == "expectations" || name == "expectation":
		return "[" + name + "](#expectations)"
	case name == "text":
		return "text"
	case slices.Contains(elsewhere, name):
		return "[" + name + "](#words)"
	case definition == nil:
		return name
	case name == "capability":
		return "[" + name + "](#capabilities)"
	case definition.Enum != nil:
		return "[" + name + "](#closed-lists)"
	case mappingOf(definition) != nil:
		return "[" + name + "](#" + name + ")"
	}
	if _, how, found := strings.Cut(definition.Description, "Written as "); found && definition.Items == nil && definition.AnyOf == nil {
		return cell(strings.TrimSuffix(how, "."))
	}
	return p.value(definition)
}

func (p *page) steps() string {
	var b strings.Builder
	step := p.schema.root.Definitions["step"]
	fmt.Fprintf(&b, "%s\n\n| act | value | meaning |\n|---|---|---|\n", step.Description)
	mapping := step.AnyOf[0]
	for _, act := range scenarios.ActForms() {
		property, _ := mapping.Properties.Get(act.Name)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", act.Name, p.actValue(act), cell(property.Description))
	}
	b.WriteString("\nWhat goes with an act:\n\n| key | value | meaning |\n|---|---|---|\n")
	for _, key := range scenarios.StepKeys() {
		property, _ := mapping.Properties.Get(key.Name)
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key.Name, p.value(property), cell(property.Description))
	}
	fmt.Fprintf(&b, "\nThese acts can be written and are not built yet; a contract with one refuses to run: `%s`.\n",
		strings.Join(faultserver.UnbuiltActs, "`, `"))
	return b.String()
}

func (p *page) actValue(act scenarios.ActForm) string {
	value := "`{}`"
	if act.Parameters.NumField() > 0 {
		value = p.link(p.schema.name(act.Parameters))
	}
	if act.Short != "" {
		return act.Short + ", or " + value
	}
	return value
}

func (p *page) expectations() string {
	definitions := p.schema.root.Definitions
	return cell(definitions["expectations"].Description) + "\n\n" + p.table(definitions["expectation"])
}

// closedLists lists the words of each closed list, with their comments.
func (p *page) closedLists() string {
	var b strings.Builder
	b.WriteString("| list | word | meaning |\n|---|---|---|\n")
	words := scenarios.Words()
	byName := func(a, b reflect.Type) int { return strings.Compare(kebab(a.Name()), kebab(b.Name())) }
	for _, t := range slices.SortedFunc(maps.Keys(words), byName) {
		if t == reflect.TypeFor[scenarios.Capability]() {
			continue // see Capabilities
		}
		fmt.Fprintf(&b, "| **%s** | | %s |\n", kebab(t.Name()), cell(p.comments.ofList(t)))
		for _, word := range words[t] {
			fmt.Fprintf(&b, "| | `%s` | %s |\n", word, cell(p.comments.ofWord(t, word)))
		}
	}
	return b.String()
}

func (p *page) words() string {
	var b strings.Builder
	b.WriteString("| word | meaning |\n|---|---|\n")
	for _, name := range []string{"text", "duration", "size", "point"} {
		fmt.Fprintf(&b, "| **%s** | %s |\n", name, cell(p.schema.root.Definitions[name].Description))
	}
	return b.String()
}

func capabilities() string {
	var b strings.Builder
	b.WriteString("What a client must be able to do or be told is derived from what a contract uses; `needs` adds to it. A client without\n" +
		"one of them is `unsupported` there. Only `needs` can ask for those that are not in the table.\n\n| capability | needed by |\n|---|---|\n")
	derived := map[scenarios.Capability]bool{}
	for _, d := range scenarios.Derivations() {
		derived[d.Capability] = true
		fmt.Fprintf(&b, "| `%s` | %s |\n", d.Capability, cell(d.Use))
	}
	for _, capability := range scenarios.AllCapabilities() {
		if !derived[capability] {
			fmt.Fprintf(&b, "| `%s` | `needs` |\n", capability)
		}
	}
	return b.String()
}

func lintRules() string {
	var b strings.Builder
	b.WriteString("`faultsrv contracts lint` holds every contract to these rules.\n\n| rule | says |\n|---|---|\n")
	for _, rule := range scenarios.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", rule.Name, cell(rule.Says))
	}
	return b.String()
}

func limits() string {
	return fmt.Sprintf(`| what | at most |
|---|---|
| a file | %d bytes, %d documents, %d levels deep |
| a contract | %d calls, %d requests with all repeats and attempts |
| a script | %d steps; %s counts as one |
| a body of a call | %d bytes |
| the time that a contract takes | %v; of level observe %v |
`, scenarios.MaxFileSize, scenarios.MaxDocuments, scenarios.MaxDepth, scenarios.MaxCalls, scenarios.MaxRequests,
		scenarios.MaxSteps, "`times`", scenarios.MaxBody, scenarios.MaxJudged, scenarios.MaxObserved)
}

// cell keeps a text within a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }
