package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
)

// comments are those of the sources: of types ("Call"), of fields
// ("Call.Repeat") and of the words of closed lists (type and word: "Level must").
type comments struct {
	text map[string]string
	// constants are the words of a type by the names of their constants.
	constants map[string]map[string]string
}

// readComments reads the two packages whose types are the format. Their type
// names do not collide, as Go names them in one schema.
func readComments(module string) (*comments, error) {
	c := &comments{text: map[string]string{}, constants: map[string]map[string]string{}}
	for _, folder := range []string{"faultserver", "scenarios"} {
		names, err := filepath.Glob(filepath.Join(module, folder, "*.go"))
		if err != nil || len(names) == 0 {
			return nil, fmt.Errorf("no sources in %s", filepath.Join(module, folder))
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, source, parser.ParseComments)
			if err != nil {
				return nil, err
			}
			c.read(file)
		}
	}
	return c, nil
}

func (c *comments) read(file *ast.File) {
	for _, decl := range file.Decls {
		group, ok := decl.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, spec := range group.Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				c.typeSpec(spec, group)
			case *ast.ValueSpec:
				c.constant(spec, group)
			}
		}
	}
}

func (c *comments) typeSpec(spec *ast.TypeSpec, group *ast.GenDecl) {
	doc := spec.Doc
	if doc == nil {
		doc = group.Doc
	}
	c.text[spec.Name.Name] = paragraph(doc.Text())
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	for _, f := range structure.Fields.List {
		text := f.Doc.Text()
		if text == "" {
			text = f.Comment.Text()
		}
		for _, name := range f.Names {
			c.text[spec.Name.Name+"."+name.Name] = paragraph(text)
		}
	}
}

func (c *comments) constant(spec *ast.ValueSpec, group *ast.GenDecl) {
	of, named := spec.Type.(*ast.Ident)
	if !named || len(spec.Values) != 1 {
		return
	}
	literal, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return
	}
	word, err := strconv.Unquote(literal.Value)
	if err != nil || word == "" {
		return
	}
	if c.constants[of.Name] == nil {
		c.constants[of.Name] = map[string]string{}
	}
	c.constants[of.Name][spec.Names[0].Name] = word
	c.text[of.Name+" "+word] = paragraph(spec.Doc.Text())
	c.text[of.Name+" …"] = paragraph(group.Doc.Text())
}

// paragraph joins the lines of a comment.
func paragraph(text string) string { return strings.Join(strings.Fields(text), " ") }

// ofType is a type's comment in the words of the format.
func (c *comments) ofType(t reflect.Type) string { return c.inWords(c.text[t.Name()], t, t) }

// ofField is a field's comment in the words of the format.
func (c *comments) ofField(of reflect.Type, f reflect.StructField) string {
	element := f.Type
	for element.Kind() == reflect.Pointer || element.Kind() == reflect.Slice {
		element = element.Elem()
	}
	return c.inWords(c.text[of.Name()+"."+f.Name], of, element)
}

// ofList is a closed list's comment: its type's, and that of the constants.
func (c *comments) ofList(t reflect.Type) string {
	// "The scopes; the zero value is FreshClient." adds what comes after the name.
	_, more, found := strings.Cut(strings.NewReplacer("; ", "\n", ". ", "\n").Replace(c.text[t.Name()+" …"]), "\n")
	if !found {
		return c.ofType(t)
	}
	more = c.inWords(strings.ReplaceAll(more, "\n", ". "), t, t)
	return c.ofType(t) + " " + strings.ToUpper(more[:1]) + more[1:]
}

// ofWord is the comment of a word of a closed list.
func (c *comments) ofWord(t reflect.Type, word string) string {
	text := c.inWords(c.text[t.Name()+" "+word], t, t)
	text = strings.TrimPrefix(text, "`"+word+"`: ")
	if text == "" {
		return ""
	}
	return strings.ToUpper(text[:1]) + text[1:]
}

// unsaid says of the zero value of a Go field what it is in a file: a key that
// is left out.
var unsaid = strings.NewReplacer(
	" unless said (0)", " unless said", "left out (nil)", "left out",
	"The zero value is", "Left out, it is", "the zero value is", "left out, it is", "the zero point is", "left out, it is",
	"The zero value matches", "Left out, it matches", "the zero value means", "left out, it means",
	"the zero value runs", "left out, it runs", "nil means", "left out, it means", "Nil means", "Left out, it means",
	" (also the zero value)", "", "A nil field was not said by the contract; Defaulted fills it in.", "A key that is left out has its default.",
)

// goName is a name that a comment may use for a field or a constant.
var goName = regexp.MustCompile(`\[?\b[A-Z][A-Za-z0-9]*\b\]?`)

// inWords puts the keys and words of the format in the place of the Go names
// that a comment uses: those of the struct's fields and of the constants of
// its own type, and of Forever.
func (c *comments) inWords(text string, of, element reflect.Type) string {
	text = unsaid.Replace(text)
	names := map[string]string{"Forever": "forever", of.Name(): kebab(of.Name())}
	for name, word := range c.constants[element.Name()] {
		if name != strings.ToUpper(name) { // TLS is also a word
			names[name] = word
		}
	}
	if of.Kind() == reflect.Struct {
		for _, f := range reflect.VisibleFields(of) {
			if name := keyOf(of, f); name != "" {
				names[f.Name] = name
			}
		}
	}
	return goName.ReplaceAllStringFunc(text, func(found string) string {
		if word, ok := names[strings.Trim(found, "[]")]; ok {
			return "`" + word + "`"
		}
		return strings.Trim(found, "[]")
	})
}
