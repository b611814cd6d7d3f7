// Generate writes what is generated from the types of the contract format: the
// JSON Schema, the reference of the format, and the grammar of what is written
// as one word.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("expected the module's folder, such as ../..; got %q", args)
	}
	files, err := generated(args[0])
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := os.WriteFile(filepath.Join(args[0], f.path), f.data, 0o644); err != nil { //nolint:gosec // published files are for everyone
			return err
		}
	}
	return nil
}

// file is a generated file; its path is relative to the module's folder.
type file struct {
	path string
	data []byte
}

// generated makes the files from the sources of the module in a folder.
func generated(module string) ([]file, error) {
	comments, err := readComments(module)
	if err != nil {
		return nil, err
	}
	schema, err := contractSchema(comments)
	if err != nil {
		return nil, err
	}
	return []file{
		{"scenarios/schema/contract.schema.json", schema.json},
		{"docs/reference/format.md", reference(schema, comments)},
		{"docs/reference/grammar.ebnf", grammar()},
	}, nil
}
