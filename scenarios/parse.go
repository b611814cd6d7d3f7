package scenarios

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

// Parse reads the contracts of a file: YAML documents, with `format: 1` at the
// head of the first one or as a document of its own. file is the name that
// problems are told with.
//
// It is strict: an unknown or repeated key, an alias, an anchor, a tag, a
// merge key or a value of another type is a problem. The error is of type
// [Problems] and holds every problem of the file; there are then no contracts.
// What a contract must say about its rule is for [Lint].
func Parse(file string, data []byte) ([]*Contract, error) {
	text, err := readable(file, data)
	if err != nil {
		return nil, err
	}
	p := parser{text: text, tables: newTables()}
	p.file(data)
	if err := p.problems.clipped(file).asError(); err != nil {
		return nil, err
	}
	return p.contracts, nil
}

// readable is a file's text, where it can be a file of the format at all.
func readable(file string, data []byte) (*text, error) {
	if len(data) > MaxFileSize {
		problem := readText(file, nil).problem(place{}, "", fmt.Sprintf("a file has at most %d bytes; this one has more", MaxFileSize))
		return nil, Problems{problem}
	}
	text := readText(file, data)
	if p, bad := text.unreadable(data); bad {
		return nil, Problems{p}
	}
	return text, nil
}

// parser reads one file.
type parser struct {
	*tables

	text      *text
	headed    bool // the format's version was read
	contracts []*Contract
	problems  Problems
}

func (p *parser) file(data []byte) {
	chunks := documents(data)
	if len(chunks) > MaxDocuments {
		p.report(place{chunks[MaxDocuments].offset + 1, 1}, "a contract file has at most %d documents; this one has %d", MaxDocuments, len(chunks))
		return
	}
	for _, chunk := range chunks {
		p.document(chunk)
	}
	if len(p.contracts) == 0 && len(p.problems) == 0 {
		p.report(place{}, "the file holds no contract")
	}
}

func (p *parser) report(at place, format string, args ...any) {
	p.problems = append(p.problems, p.text.problem(at, "", fmt.Sprintf(format, args...)))
}

// document reads a document: a contract, or the head of the file.
func (p *parser) document(chunk chunk) {
	root, err := load(chunk.data)
	if err != nil {
		p.syntax(chunk, err)
		p.headed = true // so that a broken head is one problem, not two
		return
	}
	if root == nil {
		return
	}
	d := decoder{tables: p.tables, text: p.text, offset: chunk.offset, places: map[string]place{}}
	contract := &Contract{}
	d.plain(root)
	empty := d.document(node{Node: root}, contract, !p.headed)
	p.headed = true
	contract.Source = Source{File: p.text.file, Line: root.Line + chunk.offset, text: p.text, places: d.places}
	if len(d.problems) == 0 && !empty {
		d.problems = structure(contract)
	}
	p.problems = append(p.problems, d.problems.inOrder()...)
	if !empty {
		p.contracts = append(p.contracts, contract)
	}
}

// document reads a contract, and the format's version where the document is
// the first. It tells whether there was nothing else.
func (d *decoder) document(n node, into *Contract, first bool) (empty bool) {
	fields := d.fieldsOf(reflect.TypeFor[Contract]())
	empty = first
	versioned := false
	d.places[""] = d.place(n.Node)
	d.entries(n, reflect.TypeFor[Contract](), func(key, value node) {
		if key.Value == "format" && first {
			versioned = true
			d.version(value)
			return
		}
		empty = false
		d.contractKey(key, value, fields, into)
	})
	if first && !versioned && n.Kind == yaml.MappingNode {
		d.problem(n, "expected `format: %d` at the head of the file", FormatVersion)
	}
	return empty && versioned
}

func (d *decoder) contractKey(key, value node, fields []field, into *Contract) {
	for _, f := range fields {
		if f.name == key.Value {
			d.field(value, f, reflect.ValueOf(into).Elem())
			return
		}
	}
	if key.Value == "format" {
		d.problem(key, "`format` stands once, at the head of the file")
		return
	}
	d.suggest(key, key.Value, fieldNames(fields), "unknown key %q", clipped(key.Value))
}

func (d *decoder) version(n node) {
	before := len(d.problems)
	var version int
	d.decode(n, reflect.ValueOf(&version).Elem())
	if len(d.problems) == before && version != FormatVersion {
		d.problem(n, "this version reads format %d; the file is of format %d", FormatVersion, version)
	}
}

var errUnseparated = errors.New("a document that follows ... needs a --- before it")

// load reads the only document of a chunk; nil if there is none.
func load(data []byte) (*yaml.Node, error) {
	limits := loaderlimits.New(loaderlimits.DepthValue(MaxDepth))
	loader, err := yaml.NewLoader(bytes.NewReader(data), yaml.WithPlugin(limits))
	if err != nil {
		return nil, err
	}
	var document yaml.Node
	switch err := loader.Load(&document); {
	case errors.Is(err, io.EOF):
		return nil, nil //nolint:nilnil // no document is no error
	case err != nil:
		return nil, err
	}
	var more yaml.Node
	if err := loader.Load(&more); err == nil {
		return nil, errUnseparated
	}
	if len(document.Content) == 0 || isNull(document.Content[0]) {
		return nil, nil //nolint:nilnil // an empty document is no error
	}
	return document.Content[0], nil
}

func (p *parser) syntax(chunk chunk, err error) {
	at, message := notYAML(chunk, err)
	p.report(at, "%s", message)
}

// notYAML is where and why a document is not YAML.
func notYAML(chunk chunk, err error) (at place, why string) {
	at, message := place{line: chunk.offset + 1}, err.Error()
	if syntax := (*yaml.LoadError)(nil); errors.As(err, &syntax) {
		message = syntax.Message
		if mark := syntax.Mark; mark.Line > 0 {
			at = place{mark.Line + chunk.offset, mark.Column}
		}
		if syntax.ContextMsg != "" {
			message = syntax.ContextMsg + ": " + message
		}
	}
	return at, "not YAML: " + message
}

// chunk is the text of one document; offset is how many lines come before it.
type chunk struct {
	data   []byte
	offset int
}

// documents cuts a file at the lines that begin with "---", which separate
// documents wherever they stand. So a document that is not YAML does not hide
// the problems of those after it.
func documents(data []byte) []chunk {
	var chunks []chunk
	from, offset := 0, 0
	line := 0
	for at := 0; at < len(data); line++ {
		if at > from && isSeparator(data[at:]) {
			chunks = append(chunks, chunk{data[from:at], offset})
			from, offset = at, line
		}
		end := bytes.IndexByte(data[at:], '\n')
		if end < 0 {
			break
		}
		at += end + 1
	}
	return append(chunks, chunk{data[from:], offset})
}

func isSeparator(line []byte) bool {
	rest, ok := bytes.CutPrefix(line, []byte("---"))
	return ok && (len(rest) == 0 || strings.IndexByte(" \t\r\n", rest[0]) >= 0)
}

// unreadable finds the first character that no contract file has: what is not
// UTF-8, or a control character.
func (t *text) unreadable(data []byte) (Problem, bool) {
	line, column := 1, 1
	for i := 0; i < len(data); {
		r, size := utf8.DecodeRune(data[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			return t.problem(place{line, column}, "", fmt.Sprintf("expected text in UTF-8; got the byte 0x%02x", data[i])), true
		case r == '\n':
			line, column = line+1, 0
		case strings.ContainsRune("\t\r", r):
		case r < ' ' || r == 0x7f || r == 0xfeff && i > 0:
			return t.problem(place{line, column}, "", fmt.Sprintf("a control character (U+%04X) is not part of the format", r)), true
		}
		column++
		i += size
	}
	return Problem{}, false
}
