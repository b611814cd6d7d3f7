package scenarios_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// The lists of words are written by hand; what they must hold is what the
// source declares.
func TestTheClosedListsAreComplete(t *testing.T) {
	declared := constants(t, ".", "../faultserver")
	for of, words := range scenarios.Words() {
		for _, word := range declared[of.Name()] {
			if word != "" && !slices.Contains(words, word) {
				t.Errorf("the list of %s lacks %q", of, word)
			}
		}
		if len(declared[of.Name()]) == 0 {
			t.Errorf("no constant of type %s was found", of)
		}
	}
	for _, capability := range declared["Capability"] {
		if !slices.Contains(scenarios.AllCapabilities(), scenarios.Capability(capability)) {
			t.Errorf("the list of capabilities lacks %q", capability)
		}
	}
}

// constants are the values of all constants of named string types in some
// folders, by the type's name.
func constants(t *testing.T, folders ...string) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	for _, file := range sources(t, folders...) {
		for _, decl := range file.Decls {
			group, ok := decl.(*ast.GenDecl)
			if !ok || group.Tok != token.CONST {
				continue
			}
			for _, spec := range group.Specs {
				value := spec.(*ast.ValueSpec)
				of, named := value.Type.(*ast.Ident)
				if !named || len(value.Values) != 1 {
					continue
				}
				if literal, ok := value.Values[0].(*ast.BasicLit); ok && literal.Kind == token.STRING {
					text, _ := strconv.Unquote(literal.Value)
					found[of.Name] = append(found[of.Name], text)
				}
			}
		}
	}
	return found
}

func sources(t *testing.T, folders ...string) []*ast.File {
	t.Helper()
	var files []*ast.File
	for _, folder := range folders {
		names, err := filepath.Glob(filepath.Join(folder, "*.go"))
		if err != nil || len(names) == 0 {
			t.Fatalf("no source in %s: %v", folder, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
	}
	return files
}

// Every act that faultserver declares can be written in a contract.
func TestEveryActCanBeWritten(t *testing.T) {
	written := map[string]string{"Unbuilt": "", "Echo": ""} // neither is a word of contracts
	for _, form := range scenarios.ActForms() {
		written[form.Parameters.Name()] = form.Name
		act := reflect.New(form.Parameters).Elem().Interface().(faultserver.Act)
		if act.ActName() != form.Name {
			t.Errorf("%s is written as %s", act.ActName(), form.Name)
		}
	}
	acts := 0
	for _, file := range sources(t, "../faultserver") {
		for _, decl := range file.Decls {
			method, ok := decl.(*ast.FuncDecl)
			if !ok || method.Recv == nil || method.Name.Name != "ActName" {
				continue
			}
			acts++
			if of := method.Recv.List[0].Type.(*ast.Ident).Name; len(written) > 0 {
				if _, known := written[of]; !known {
					t.Errorf("the act %s cannot be written in a contract", of)
				}
			}
		}
	}
	if acts != len(written) {
		t.Errorf("faultserver has %d acts, the format %d", acts, len(written))
	}
}
