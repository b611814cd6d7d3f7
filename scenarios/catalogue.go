package scenarios

import (
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed catalogue/*.yaml
var catalogue embed.FS

// Catalogue reads the built-in contracts, sorted by id. Each call gives fresh
// ones, which the caller may change.
func Catalogue() ([]*Contract, error) {
	var read reading
	if err := read.tree(catalogue, ".", ""); err != nil {
		return nil, err
	}
	return read.sorted()
}

// Load reads the contracts of files and directories, sorted by id. Of a
// directory it reads every .yaml and .yml file, also those below it. An error
// of what the files say is of type [Problems] and holds all of them. It does
// not lint.
func Load(paths ...string) ([]*Contract, error) {
	var read reading
	for _, path := range paths {
		info, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, fmt.Errorf("contracts: %w", err)
		case info.IsDir():
			if err := read.tree(os.DirFS(path), ".", path); err != nil {
				return nil, err
			}
		default:
			data, err := ReadFile(path)
			if err != nil {
				return nil, fmt.Errorf("contracts: %w", err)
			}
			read.file(path, data)
		}
	}
	return read.sorted()
}

// reading gathers the contracts and the problems of several files.
type reading struct {
	contracts []*Contract
	problems  Problems
}

func (r *reading) file(name string, data []byte) {
	contracts, err := Parse(name, data)
	if problems, ok := err.(Problems); ok { //nolint:errorlint // Parse returns nothing else
		r.problems = append(r.problems, problems...)
	}
	r.contracts = append(r.contracts, contracts...)
}

func (r *reading) tree(files fs.FS, root, named string) error {
	found := false
	err := fs.WalkDir(files, root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !isYAML(path) {
			return err
		}
		found = true
		data, err := readInTree(files, path)
		if err == nil {
			r.file(filepath.ToSlash(filepath.Join(named, path)), data)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("contracts: %w", err)
	}
	if !found {
		return fmt.Errorf("contracts: expected .yaml files in %s; found none", named)
	}
	return nil
}

func isYAML(path string) bool {
	return strings.HasSuffix(path, ".yaml") || strings.HasSuffix(path, ".yml")
}

// sorted gives the contracts by id, which must be there once each.
func (r *reading) sorted() ([]*Contract, error) {
	slices.SortStableFunc(r.contracts, func(a, b *Contract) int { return strings.Compare(a.ID, b.ID) })
	for i := 1; i < len(r.contracts); i++ {
		first, second := r.contracts[i-1], r.contracts[i]
		if first.ID == second.ID {
			r.problems = append(r.problems, second.Source.problem("id",
				fmt.Sprintf("the id %q is there twice; it was first given at %s:%d", second.ID, first.Source.File, first.Source.Line)))
		}
	}
	if err := r.problems.asError(); err != nil {
		return nil, err
	}
	return r.contracts, nil
}
