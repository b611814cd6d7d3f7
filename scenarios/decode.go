package scenarios

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// decoder walks the nodes of one document into the types of the format. It
// goes on after a problem, so that a file's problems are told all at once.
type decoder struct {
	*tables

	text *text
	// offset is how many lines of the file come before the document.
	offset   int
	problems Problems
	places   map[string]place
}

// tables are what the decoders of a file's documents share: what can be read
// off the types is read once.
type tables struct {
	forms    map[reflect.Type]form
	stepKeys []StepKey
	fields   map[reflect.Type][]field
}

func newTables() *tables {
	return &tables{forms: newForms(), stepKeys: StepKeys(), fields: map[reflect.Type][]field{}}
}

func (t *tables) fieldsOf(of reflect.Type) []field {
	if _, known := t.fields[of]; !known {
		t.fields[of] = fieldsOf(of)
	}
	return t.fields[of]
}

// node is a YAML node and its path in the document.
type node struct {
	*yaml.Node
	path string
}

func (d *decoder) place(n *yaml.Node) place { return place{n.Line + d.offset, n.Column} }

func (d *decoder) problem(n node, format string, args ...any) {
	d.problems = append(d.problems, d.text.problem(d.place(n.Node), n.path, fmt.Sprintf(format, args...)))
}

// suggest is problem with the nearest of the words; where none is near, the
// words are listed.
func (d *decoder) suggest(n node, written string, words []string, format string, args ...any) {
	p := d.text.problem(d.place(n.Node), n.path, fmt.Sprintf(format, args...))
	if len(d.problems) > maxProblems {
		words = nil // it will not be shown
	}
	if p.Suggestion = Nearest(written, words); p.Suggestion == "" {
		p.Message += "; expected " + oneOf(words)
	}
	d.problems = append(d.problems, p)
}

// decode reads a node into a value. What cannot be read is a problem and
// leaves the value as it was.
func (d *decoder) decode(n node, into reflect.Value) {
	d.places[n.path] = d.place(n.Node)
	if n.Kind == yaml.AliasNode {
		return // reported by plain
	}
	if isNull(n.Node) {
		d.problem(n, "no value: expected %s; leave the key out if nothing is meant", d.describe(into.Type()))
		return
	}
	if form, ok := d.forms[into.Type()]; ok && form.read(d, n, into) {
		return
	}
	if d.shortened(n, into) || d.scalar(n, into) {
		return
	}
	switch into.Kind() { //nolint:exhaustive // a type of the format that is none of these is a defect of the format
	case reflect.Pointer:
		value := reflect.New(into.Type().Elem())
		d.decode(n, value.Elem())
		into.Set(value)
	case reflect.Slice:
		d.list(n, into)
	case reflect.Map:
		d.table(n, into)
	case reflect.Struct:
		d.mapping(n, into)
	default:
		d.problem(n, "cannot read a value of type %s", into.Type())
	}
}

// list reads a sequence into a slice.
func (d *decoder) list(n node, into reflect.Value) {
	if n.Kind != yaml.SequenceNode {
		d.problem(n, "expected a list, such as [a, b]; got %s", shown(n.Node))
		return
	}
	if d.tooMany(n, len(n.Content)) {
		return
	}
	items := reflect.MakeSlice(into.Type(), len(n.Content), len(n.Content))
	for i, item := range n.Content {
		d.decode(node{item, itemPath(n.path, i)}, items.Index(i))
	}
	into.Set(items)
}

// tooMany reports a list or a mapping that is longer than any contract needs.
func (d *decoder) tooMany(n node, items int) bool {
	if items > MaxItems {
		d.problem(n, "expected at most %d items; got %d", MaxItems, items)
	}
	return items > MaxItems
}

// table reads a mapping whose keys are the user's, such as names, into a map.
func (d *decoder) table(n node, into reflect.Value) {
	of := into.Type()
	read := reflect.MakeMap(of)
	d.entries(n, of, func(key, value node) {
		name, item := reflect.New(of.Key()).Elem(), reflect.New(of.Elem()).Elem()
		before := len(d.problems)
		d.decode(key, name)
		d.decode(value, item)
		if len(d.problems) == before {
			read.SetMapIndex(name, item)
		}
	})
	into.Set(read)
}

// mapping reads a mapping into a struct; its keys are the fields' yaml tags.
func (d *decoder) mapping(n node, into reflect.Value) {
	fields := d.fieldsOf(into.Type())
	d.entries(n, into.Type(), func(key, value node) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		if i < 0 {
			d.suggest(key, key.Value, fieldNames(fields), "unknown key %q", clipped(key.Value))
			return
		}
		d.field(value, fields[i], into)
	})
}

func (d *decoder) field(value node, f field, into reflect.Value) {
	before := len(d.problems)
	target := into.FieldByIndex(f.index)
	d.decode(value, target)
	if len(d.problems) == before {
		d.within(value, f, target)
	}
}

// entries calls each for the keys and values of a mapping. Keys that are no
// plain text or come twice are problems and left out.
func (d *decoder) entries(n node, t reflect.Type, each func(key, value node)) {
	if n.Kind != yaml.MappingNode {
		d.problem(n, "expected %s; got %s", d.describe(t), shown(n.Node))
		return
	}
	if d.tooMany(n, len(n.Content)/2) {
		return
	}
	first := make(map[string]int, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		if key.Kind != yaml.ScalarNode || key.Tag == "!!merge" {
			if key.Kind != yaml.ScalarNode && key.Kind != yaml.AliasNode {
				d.problem(node{key, n.path}, "expected a word as the key; got %s", shown(key))
			}
			continue
		}
		path := keyPath(n.path, key.Value)
		if line, twice := first[key.Value]; twice {
			d.problem(node{key, path}, "the key %q is there twice; it was first given in line %d", clipped(key.Value), line)
			continue
		}
		first[key.Value] = key.Line + d.offset
		each(node{key, path}, node{value, path})
	}
}

// plain reports what the format leaves out of YAML, anywhere in the document:
// aliases, anchors, merge keys and tags would let a contract mean something
// else than it says.
func (d *decoder) plain(n *yaml.Node) {
	at := node{Node: n}
	switch {
	case n.Kind == yaml.AliasNode:
		d.problem(at, "an alias (*%s) is not part of the format; write the value out", clipped(n.Value))
		return
	case n.Anchor != "":
		d.problem(at, "an anchor (&%s) is not part of the format; write the value out where it is needed", clipped(n.Anchor))
	case n.Tag == "!!merge":
		d.problem(at, "a merge key (<<) is not part of the format; write the keys out")
	case n.Style&yaml.TaggedStyle != 0:
		d.problem(at, "a tag (%s) is not part of the format; leave it out", clipped(n.Tag))
	}
	for _, child := range n.Content {
		d.plain(child)
	}
}

// field is a key of a mapping: where it goes in the struct, and the bounds of
// its value.
type field struct {
	name   string
	index  []int
	bounds string
}

// fieldsOf lists the fields of a struct that have a yaml tag, those of inlined
// structs among them.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		f := t.Field(i)
		name, option, _ := strings.Cut(f.Tag.Get("yaml"), ",")
		switch {
		case option == "inline":
			for _, inner := range fieldsOf(f.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
		case name != "" && name != "-":
			fields = append(fields, field{name: name, index: []int{i}, bounds: f.Tag.Get("bounds")})
		}
	}
	return fields
}

func fieldNames(fields []field) []string {
	names := make([]string, 0, len(fields))
	for _, f := range fields {
		names = append(names, f.name)
	}
	return names
}

// isNull tells a value that was left empty, or written as YAML's null.
func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.Tag == "!!null" }

// shown is how a message says what came.
func shown(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.ScalarNode:
		if isNull(n) {
			return "nothing"
		}
		return fmt.Sprintf("%q", clipped(n.Value))
	default:
		return "an alias"
	}
}

// clipped bounds what a message repeats of a value.
func clipped(s string) string {
	const longest = 80
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return s
}

func oneOf(words []string) string {
	switch len(words) {
	case 0:
		return "nothing"
	case 1:
		return words[0]
	default:
		return "one of " + strings.Join(words, ", ")
	}
}
