package scenarios

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Scalars are taken as they are written, never as YAML resolves them: `010` is
// no number, `yes` is no bool, and 15.10 in a text stays "15.10".
var (
	wholeNumber   = regexp.MustCompile(`^(0|[1-9][0-9]{0,18})$`)
	decimalNumber = regexp.MustCompile(`^(0|[1-9][0-9]{0,15})(\.[0-9]{1,15})?$`)

	durationType        = reflect.TypeFor[time.Duration]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
)

// scalar reads the types that are written as one word, and tells whether the
// type is one of them.
func (d *decoder) scalar(n node, into reflect.Value) bool {
	read := d.reader(into.Type())
	if read == nil {
		return false
	}
	if n.Kind != yaml.ScalarNode {
		d.problem(n, "expected %s; got %s", d.describe(into.Type()), shown(n.Node))
		return true
	}
	read(n, into)
	return true
}

func (d *decoder) reader(t reflect.Type) func(node, reflect.Value) {
	switch {
	case closedList(t) != nil:
		return d.word
	case t == durationType:
		return d.duration
	case reflect.PointerTo(t).Implements(textUnmarshalerType):
		return d.textForm
	}
	switch t.Kind() { //nolint:exhaustive // the others are not written as one word
	case reflect.String:
		return func(n node, into reflect.Value) { into.SetString(n.Value) }
	case reflect.Bool:
		return d.bool
	case reflect.Int, reflect.Uint64:
		return d.whole
	case reflect.Float64:
		return d.decimal
	default:
		return nil
	}
}

func (d *decoder) word(n node, into reflect.Value) {
	all := closedList(into.Type())
	if !slices.Contains(all, n.Value) {
		d.suggest(n, n.Value, all, "unknown word %q", clipped(n.Value))
		return
	}
	into.SetString(n.Value)
}

func (d *decoder) duration(n node, into reflect.Value) {
	value, err := faultserver.ParseDuration(n.Value)
	if err != nil {
		d.problem(n, "%v", err)
		return
	}
	into.SetInt(int64(value))
}

// textForm reads a type that knows its own text, such as a size or a point.
func (d *decoder) textForm(n node, into reflect.Value) {
	value := reflect.New(into.Type())
	if err := value.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(n.Value)); err != nil { //nolint:forcetypeassert // reader asked
		d.problem(n, "%v", err)
		return
	}
	into.Set(value.Elem())
}

func (d *decoder) bool(n node, into reflect.Value) {
	switch {
	case n.Style == 0 && n.Value == "true":
		into.SetBool(true)
	case n.Style == 0 && n.Value == "false":
		into.SetBool(false)
	default:
		d.problem(n, "expected true or false; got %s", asWritten(n.Node))
	}
}

func (d *decoder) whole(n node, into reflect.Value) {
	if n.Style != 0 || !wholeNumber.MatchString(n.Value) {
		d.problem(n, "expected a whole number, such as 3; got %s", asWritten(n.Node))
		return
	}
	var err error
	if into.Kind() == reflect.Uint64 {
		var value uint64
		value, err = strconv.ParseUint(n.Value, 10, 64)
		into.SetUint(value)
	} else {
		var value int64
		value, err = strconv.ParseInt(n.Value, 10, strconv.IntSize)
		into.SetInt(value)
	}
	if err != nil {
		d.problem(n, "the number %s is too large", clipped(n.Value))
	}
}

func (d *decoder) decimal(n node, into reflect.Value) {
	if n.Style != 0 || !decimalNumber.MatchString(n.Value) {
		d.problem(n, "expected a number, such as 0.1; got %s", asWritten(n.Node))
		return
	}
	value, err := strconv.ParseFloat(n.Value, 64)
	if err != nil {
		d.problem(n, "expected a number, such as 0.1; got %s", asWritten(n.Node))
		return
	}
	into.SetFloat(value)
}

// asWritten shows a scalar with the quotes that make a number or a bool a text.
func asWritten(n *yaml.Node) string {
	if n.Style != 0 {
		return "the text " + strconv.Quote(clipped(n.Value))
	}
	return clipped(n.Value)
}

// within checks a value against the bounds of its field, "min..max" or "min..".
func (d *decoder) within(n node, f field, value reflect.Value) {
	if f.bounds == "" {
		return
	}
	low, high := Bounds(f.bounds)
	for value.Kind() == reflect.Pointer {
		value = value.Elem()
	}
	switch value.Kind() { //nolint:exhaustive // bounds are for numbers and lists of numbers
	case reflect.Int:
		d.bounded(n, float64(value.Int()), low, high)
	case reflect.Float64:
		d.bounded(n, value.Float(), low, high)
	case reflect.Slice:
		for i := range value.Len() {
			d.bounded(node{n.Content[i], itemPath(n.path, i)}, float64(value.Index(i).Int()), low, high)
		}
	}
}

func (d *decoder) bounded(n node, value, low, high float64) {
	if value < low || value > high {
		d.problem(n, "expected a number from %v to %v; got %s", low, high, clipped(n.Value))
	}
}

// Bounds reads a `bounds` tag, "min..max".
func Bounds(tag string) (low, high float64) {
	from, to, _ := strings.Cut(tag, "..")
	low, _ = strconv.ParseFloat(from, 64)
	high, _ = strconv.ParseFloat(to, 64)
	return low, high
}

// describe says how a value of a type is written.
func (d *decoder) describe(t reflect.Type) string {
	if form, ok := d.forms[t]; ok {
		return form.written
	}
	switch {
	case closedList(t) != nil:
		return oneOf(closedList(t))
	case t == durationType:
		return "a duration, such as 40ms"
	case t == reflect.TypeFor[faultserver.Size]():
		return "a size, such as 64KiB"
	case t == reflect.TypeFor[faultserver.Point]():
		return "a point, such as request-end"
	}
	switch t.Kind() { //nolint:exhaustive // the others are described by the default
	case reflect.Pointer:
		return d.describe(t.Elem())
	case reflect.String:
		return "a text"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Uint64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Map:
		return fmt.Sprintf("a mapping of %s to %s", d.describe(t.Key()), d.describe(t.Elem()))
	default:
		return fmt.Sprintf("a mapping with the keys %s", strings.Join(fieldNames(fieldsOf(t)), ", "))
	}
}
