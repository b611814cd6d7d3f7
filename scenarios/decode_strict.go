package scenarios

import (
	"errors"
	"fmt"
	"reflect"

	"go.yaml.in/yaml/v4"
)

// DecodeStrict reads a file that is one YAML document, such as a client's
// profile, into what `into` points to, as strictly as a contract: keys are the
// `yaml` tags of the fields, numbers have their `bounds` tags, the types of
// this package and of faultserver have their short forms, other closed lists
// are [Worded], and a map takes any key of its key type.
//
// file is the name that problems are told with. The error is of type [Problems]
// and holds every problem of the file. The source makes problems of what the
// types cannot say, with [Source.Problem].
func DecodeStrict(file string, data []byte, into any) (Source, error) {
	target := reflect.ValueOf(into)
	if target.Kind() != reflect.Pointer || target.IsNil() {
		return Source{}, fmt.Errorf("decode %s: expected a pointer to read into, got %T", file, into)
	}
	text, err := readable(file, data)
	if err != nil {
		return Source{}, err
	}
	root, err := load(data)
	switch {
	case errors.Is(err, errUnseparated), err == nil && len(documents(data)) > 1 && root == nil:
		return Source{}, Problems{text.problem(place{}, "", "expected one YAML document; got several")}
	case err != nil:
		at, why := notYAML(chunk{data: data}, err)
		return Source{}, Problems{text.problem(at, "", why)}
	case root == nil:
		return Source{}, Problems{text.problem(place{}, "", "the file is empty")}
	}
	d := decoder{tables: newTables(), text: text, places: map[string]place{}}
	d.plain(root)
	d.decode(node{Node: root}, target.Elem())
	source := Source{File: file, Line: root.Line, text: text, places: d.places}
	return source, d.problems.inOrder().clipped(file).asError()
}

// A Shortened type of another format is a mapping that can also be written as
// one word, which stands for some of it.
type Shortened interface {
	// Shorten reads the word; the error says what was expected.
	Shorten(word string) error
}

// shortened reads a type's one word, and tells whether the node is one.
func (d *decoder) shortened(n node, into reflect.Value) bool {
	if n.Kind != yaml.ScalarNode || !into.CanAddr() {
		return false
	}
	short, is := into.Addr().Interface().(Shortened)
	if !is {
		return false
	}
	if err := short.Shorten(n.Value); err != nil {
		d.problem(n, "%v", err)
	}
	return true
}

// Peek is the value of a key at the top of a YAML document, to choose by it what
// to decode the document into. It is empty where there is no such key, or no
// such document: whoever decodes it says why.
func Peek(data []byte, key string) string {
	if len(data) > MaxFileSize {
		return ""
	}
	root, err := load(data)
	if err != nil || root == nil || root.Kind != yaml.MappingNode {
		return ""
	}
	for i := 0; i+1 < len(root.Content); i += 2 {
		if value := root.Content[i+1]; root.Content[i].Value == key && value.Kind == yaml.ScalarNode {
			return value.Value
		}
	}
	return ""
}
