package scenarios

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/faultsrv/faultsrv/faultserver"
)

// form is how a type with a short form is written.
type form struct {
	// written says it in messages and in the reference.
	written string
	// read reads the short form. False means that the node is not one, and that
	// the type is to be read field by field.
	read func(d *decoder, n node, into reflect.Value) bool
}

// Forms says, for each type with a short form, how it is written.
func Forms() map[reflect.Type]string {
	written := map[reflect.Type]string{}
	for t, form := range newForms() {
		written[t] = form.written
	}
	return written
}

func newForms() map[reflect.Type]form {
	forms := make(map[reflect.Type]form)
	put(forms, "a list of steps, or one line such as 503x2,reset,200", readScript)
	put(forms, "an act, or a mapping of one act and what goes with it", readLoneStep)
	put(forms, "a mapping of names to a value or a list of values", readHeaders)
	put(forms, "a header's name, or a mapping of one name to its value", readHeader)
	put(forms, "a value, or {date: +2s, form: asctime}", readRetryAfter)
	put(forms, "a text, or {text}, or {size, seed, stream}", readBody)
	put(forms, "a text, or {base64}", readPiece)
	put(forms, "a duration, or {uniform}, {normal}, {lognormal} or {until}, with {max}", readDelay)
	put(forms, "{constant}, {linear} or {exponential}, with {factor, max, jitter}", readBackoff)
	put(forms, "plain, tls, h2 or h2c, or {protocol, second-host}", readServer)
	put(forms, "a mapping of the words of the vocabulary, and of calls by name", readExpectations)
	put(forms, "a number, policy, or {each}, {total} or {min, max}", readAttempts)
	put(forms, "a number, or {min, max}", readRange)
	put(forms, "a duration, policy or retry-after", readGapBound)
	put(forms, "policy", readPolicyRef)
	put(forms, "cancel, or a moment", readReturnsAfter)
	put(forms, "success, {status}, {error}, {any-of} or {not}", readOutcomeRule)
	put(forms, "a kind of error, or a list of them", readErrorKinds)
	put(forms, "a mapping of success, a kind of error or status-NNN to a count", readOutcomeCounts)
	put(forms, "method, target, proto or header.NAME", readField)
	return forms
}

func put[T any](forms map[reflect.Type]form, written string, read func(*decoder, node, *T) bool) {
	forms[reflect.TypeFor[T]()] = form{
		written: written,
		read: func(d *decoder, n node, into reflect.Value) bool {
			return read(d, n, into.Addr().Interface().(*T)) //nolint:forcetypeassert // the map is keyed by the type
		},
	}
}

// one reads a scalar into a value, such as the field that a short form stands for.
func one[T any](d *decoder, n node, into *T) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	d.decode(n, reflect.ValueOf(into).Elem())
	return true
}

// isWord tells a scalar that is exactly this word.
func isWord(n node, word string) bool { return n.Kind == yaml.ScalarNode && n.Value == word }

// isNumber tells a scalar that is meant as a number.
func isNumber(n node) bool {
	return n.Kind == yaml.ScalarNode && n.Value != "" && n.Value[0] >= '0' && n.Value[0] <= '9'
}

func readHeaders(d *decoder, n node, into *faultserver.Headers) bool {
	*into = nil
	d.entries(n, reflect.TypeFor[faultserver.Headers](), func(key, value node) {
		d.places[value.path] = d.place(value.Node)
		d.headerName(key)
		values := []node{value}
		if value.Kind == yaml.SequenceNode {
			values = nil
			if d.tooMany(value, len(value.Content)) {
				return
			}
			for i, item := range value.Content {
				values = append(values, node{item, itemPath(value.path, i)})
			}
		}
		for _, v := range values {
			if text, ok := d.headerValue(v); ok {
				*into = append(*into, faultserver.Header{Name: key.Value, Value: text})
			}
		}
	})
	return true
}

func readHeader(d *decoder, n node, into *faultserver.Header) bool {
	if n.Kind == yaml.ScalarNode {
		d.headerName(n)
		into.Name = n.Value
		return true
	}
	var all faultserver.Headers
	readHeaders(d, n, &all)
	switch {
	case len(all) == 1:
		*into = all[0]
	case n.Kind == yaml.MappingNode:
		d.problem(n, "expected one header; got %d", len(all))
	}
	return true
}

// token is a header's name or a method (RFC 9110, section 5.6.2).
var token = regexp.MustCompile("^[!#$%&'*+.^_`|~0-9A-Za-z-]+$")

func (d *decoder) headerName(n node) {
	if !token.MatchString(n.Value) {
		d.problem(n, "%q is no name of a header", clipped(n.Value))
	}
}

func (d *decoder) headerValue(n node) (value string, ok bool) {
	switch {
	case n.Kind != yaml.ScalarNode || isNull(n.Node):
		d.problem(n, `expected a header's value; got %s; write "" for an empty one`, shown(n.Node))
		return "", false
	case strings.ContainsAny(n.Value, "\r\n\x00"):
		d.problem(n, "a header's value stands on one line; got %q", clipped(n.Value))
		return "", false
	default:
		return n.Value, true
	}
}

func readRetryAfter(d *decoder, n node, into *faultserver.RetryAfter) bool {
	if n.Kind == yaml.ScalarNode {
		into.Value, _ = d.headerValue(n)
		return true
	}
	given := false
	d.entries(n, reflect.TypeFor[faultserver.RetryAfter](), func(key, value node) {
		switch key.Value {
		case "date":
			given = true
			if offset, err := wholeSeconds(value.Value); err != nil {
				d.problem(value, "%v", err)
			} else {
				into.Date = &offset
			}
		case "form":
			d.decode(value, reflect.ValueOf(&into.Form).Elem())
		default:
			d.suggest(key, key.Value, []string{"date", "form"}, "unknown key %q", clipped(key.Value))
		}
	})
	if n.Kind == yaml.MappingNode && !given {
		d.problem(n, "expected {date: +2s}, or a value such as 2")
	}
	return true
}

// readPiece reads bytes: a text, or what YAML cannot write in base64.
func readPiece(d *decoder, n node, into *faultserver.Piece) bool {
	if n.Kind == yaml.ScalarNode {
		*into = faultserver.Piece(n.Value)
		return true
	}
	var in struct {
		Base64 string `yaml:"base64"`
	}
	d.mapping(n, reflect.ValueOf(&in).Elem())
	content, err := base64.StdEncoding.Strict().DecodeString(in.Base64)
	if err != nil {
		d.problem(n, "base64: %q: %v; expected the usual alphabet, with padding", clipped(in.Base64), err)
	}
	*into = faultserver.Piece(content)
	return true
}

// wholeSeconds reads a time from now, such as +2s; an HTTP date has no finer unit.
func wholeSeconds(text string) (time.Duration, error) {
	offset, err := faultserver.ParseOffset(text)
	if err != nil {
		return 0, err
	}
	if offset%time.Second != 0 {
		return 0, fmt.Errorf("expected whole seconds, such as +2s: a date has nothing finer; got %q", clipped(text))
	}
	return offset, nil
}

func readBody(d *decoder, n node, into *faultserver.Body) bool {
	if n.Kind == yaml.ScalarNode {
		into.Text = n.Value
		return true
	}
	d.mapping(n, reflect.ValueOf(into).Elem())
	switch {
	case into.Text != "" && into.Size != 0:
		d.problem(n, "a body has a text or a size, not both")
	case into.Size > MaxBody:
		d.problem(n, "a body has at most %d bytes; got %d", MaxBody, into.Size)
	}
	return true
}

func readDelay(d *decoder, n node, into *faultserver.Delay) bool {
	if one(d, n, &into.Fixed) {
		return true
	}
	before := len(d.problems)
	d.mapping(n, reflect.ValueOf(into).Elem())
	given := 0
	for _, is := range []bool{into.Fixed != 0, into.Uniform != nil, into.Normal != nil, into.LogNormal != nil, into.Until != nil} {
		if is {
			given++
		}
	}
	if given != 1 && len(d.problems) == before {
		d.problem(n, "expected exactly one of fixed, uniform, normal, lognormal and until; got %d of them", given)
	}
	return true
}

// readBackoff reads a backoff of one kind: of none, or of two, nobody could say how
// long the pause is.
func readBackoff(d *decoder, n node, into *Backoff) bool {
	before := len(d.problems)
	d.mapping(n, reflect.ValueOf(into).Elem())
	given := 0
	for _, base := range []*time.Duration{into.Constant, into.Linear, into.Exponential} {
		if base != nil {
			given++
		}
	}
	if given != 1 && len(d.problems) == before {
		d.problem(n, "expected exactly one of constant, linear and exponential; got %d of them", given)
	}
	return true
}

func readServer(d *decoder, n node, into *ServerKind) bool { return one(d, n, &into.Protocol) }

func readExpectations(d *decoder, n node, into *Expectations) bool {
	fields := d.fieldsOf(reflect.TypeFor[Expectation]())
	d.entries(n, reflect.TypeFor[Expectations](), func(key, value node) {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		switch {
		case i >= 0:
			d.field(value, fields[i], reflect.ValueOf(&into.All).Elem())
		case value.Kind == yaml.MappingNode:
			call := CallExpectation{Call: key.Value}
			d.places[value.path] = d.place(key.Node)
			d.mapping(value, reflect.ValueOf(&call.Expectation).Elem())
			into.Calls = append(into.Calls, call)
		default:
			d.suggest(key, key.Value, fieldNames(fields), "unknown expectation %q", clipped(key.Value))
		}
	})
	return true
}

func readAttempts(d *decoder, n node, into *Attempts) bool {
	switch {
	case isWord(n, "policy"):
		into.Policy = true
		return true
	case isNumber(n):
		return one(d, n, &into.Each)
	default:
		return false
	}
}

func readRange(d *decoder, n node, into *Range) bool {
	if !isNumber(n) {
		return false
	}
	number := new(int)
	if before := len(d.problems); one(d, n, number) && len(d.problems) == before {
		into.Min, into.Max = number, number
	}
	return true
}

func readGapBound(d *decoder, n node, into *GapBound) bool {
	switch {
	case isWord(n, "policy"):
		into.Policy = true
	case isWord(n, "retry-after"):
		into.RetryAfter = true
	case isNumber(n):
		return one(d, n, &into.Duration)
	default:
		d.problem(n, "expected a duration, policy or retry-after; got %s", shown(n.Node))
	}
	return true
}

func readPolicyRef(d *decoder, n node, _ *PolicyRef) bool {
	if !isWord(n, "policy") {
		d.problem(n, "expected the word policy; got %s", shown(n.Node))
	}
	return true
}

func readReturnsAfter(d *decoder, n node, into *ReturnsAfter) bool {
	switch {
	case isWord(n, "cancel"):
		into.Cancel = true
	case n.Kind == yaml.MappingNode:
		into.Moment = new(faultserver.Moment)
		d.decode(n, reflect.ValueOf(into.Moment).Elem())
	default:
		d.problem(n, "expected cancel, or a moment such as {attempt: 1, event: answered}; got %s", shown(n.Node))
	}
	return true
}

func readOutcomeRule(d *decoder, n node, into *OutcomeRule) bool {
	if isWord(n, "success") {
		into.Success = true
		return true
	}
	before := len(d.problems)
	d.mapping(n, reflect.ValueOf(into).Elem())
	given := 0
	for _, is := range []bool{into.Status != 0, into.Error != nil, into.AnyOf != nil, into.Not != nil} {
		if is {
			given++
		}
	}
	switch {
	case len(d.problems) > before:
	case given != 1:
		d.problem(n, "expected success, or exactly one of status, error, any-of and not; got %d of them", given)
	case into.Body != "" && into.Status == 0:
		d.problem(n, "body goes with status, and with nothing else: it would not be judged")
	case into.LastStatus != 0 && into.Error == nil:
		d.problem(n, "last-status goes with error, and with nothing else: it would not be judged")
	}
	return true
}

func readErrorKinds(d *decoder, n node, into *[]ErrorKind) bool {
	if n.Kind != yaml.ScalarNode {
		return false
	}
	*into = make([]ErrorKind, 1)
	d.decode(n, reflect.ValueOf(*into).Index(0))
	return true
}

// statusKind is an outcome counted by its status.
var statusKind = regexp.MustCompile(`^status-[1-5][0-9][0-9]$`)

func readOutcomeCounts(d *decoder, n node, into *[]OutcomeCount) bool {
	*into = []OutcomeCount{}
	d.entries(n, reflect.TypeFor[[]OutcomeCount](), func(key, value node) {
		kinds := append([]string{string(SuccessOutcome), "status-503"}, words[reflect.TypeFor[ErrorKind]()]...)
		if !slices.Contains(kinds, key.Value) && !statusKind.MatchString(key.Value) {
			d.suggest(key, key.Value, kinds, "unknown kind of outcome %q", clipped(key.Value))
			return
		}
		count := OutcomeCount{Kind: key.Value}
		d.decode(value, reflect.ValueOf(&count.Count).Elem())
		*into = append(*into, count)
	})
	return true
}

// attemptFields are the fields of an attempt that can be compared, beside its headers.
var attemptFields = []string{"method", "target", "proto"}

func readField(d *decoder, n node, into *Field) bool {
	name, isHeader := strings.CutPrefix(n.Value, "header.")
	switch {
	case n.Kind != yaml.ScalarNode:
		d.problem(n, "expected the name of a field, such as method or header.Idempotency-Key; got %s", shown(n.Node))
	case isHeader && token.MatchString(name), slices.Contains(attemptFields, n.Value):
		*into = Field(n.Value)
	default:
		d.suggest(n, n.Value, append(slices.Clone(attemptFields), "header.NAME"), "unknown field %q", clipped(n.Value))
	}
	return true
}
