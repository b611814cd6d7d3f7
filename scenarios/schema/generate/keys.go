package main

import (
	"reflect"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// keyOf is the key that a field is written as; empty for one that is not
// written as a key.
func keyOf(of reflect.Type, f reflect.StructField) string {
	if of == reflect.TypeFor[faultserver.Step]() {
		for _, key := range scenarios.StepKeys() {
			if key.Field.Name == f.Name {
				return key.Name
			}
		}
		return ""
	}
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return strings.TrimPrefix(name, "-")
}

// fieldOf is the field that a key of a struct stands for.
func fieldOf(of reflect.Type, key string) (reflect.StructField, reflect.Type, bool) {
	for _, f := range reflect.VisibleFields(of) {
		if keyOf(of, f) == key {
			return f, declaring(of, f), true
		}
	}
	return reflect.StructField{}, nil, false
}

// declaring is the struct that declares a field: of itself, or the one that is
// inlined in it.
func declaring(of reflect.Type, f reflect.StructField) reflect.Type {
	for _, i := range f.Index[:len(f.Index)-1] {
		of = of.Field(i).Type
	}
	return of
}

// kebab is a Go name in the spelling of the format.
func kebab(name string) string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 && (isLower(name[i-1]) || i+1 < len(name) && isLower(name[i+1])) {
				b.WriteByte('-') // a run of capitals, such as TLS, is one word
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	return b.String()
}

func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
