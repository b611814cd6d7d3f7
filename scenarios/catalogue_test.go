package scenarios_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
)

func catalogue(t *testing.T) []*scenarios.Contract {
	t.Helper()
	contracts, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	return contracts
}

func TestTheCatalogueIsSortedAndClean(t *testing.T) {
	contracts := catalogue(t)
	if len(contracts) == 0 {
		t.Fatal("the catalogue is empty")
	}
	if !slices.IsSortedFunc(contracts, func(a, b *scenarios.Contract) int { return strings.Compare(a.ID, b.ID) }) {
		t.Error("the catalogue is not sorted by id")
	}
	for _, p := range scenarios.Lint(contracts) {
		t.Error(p)
	}
}

func TestEveryFileOfTheCatalogueIsAnArea(t *testing.T) {
	for _, c := range catalogue(t) {
		if want := "catalogue/" + c.Area() + ".yaml"; c.Source.File != want {
			t.Errorf("%s stands in %s, not in %s", c.ID, c.Source.File, want)
		}
	}
}

func TestLoadReadsFilesAndDirectories(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "own", "body.yaml"), "format: 1\n---\nid: body.b\ncalls: [{}]\n")
	write(t, filepath.Join(dir, "attempts.yml"), "format: 1\nid: attempts.a\ncalls: [{}]\n")
	write(t, filepath.Join(dir, "notes.txt"), "not a contract")
	contracts, err := scenarios.Load(filepath.Join(dir, "own"), filepath.Join(dir, "attempts.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if got := ids(contracts); got != "attempts.a body.b" {
		t.Errorf("loaded %s", got)
	}
	if contracts, err = scenarios.Load(dir); err != nil || ids(contracts) != "attempts.a body.b" {
		t.Errorf("loaded %s, %v", ids(contracts), err)
	}
}

func TestLoadTellsTheProblemsOfAllFiles(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a.yaml"), "format: 1\nid: body.a\ncalls: [{metod: PUT}]\n")
	write(t, filepath.Join(dir, "b.yaml"), "format: 2\nid: body.b\ncalls: [{}]\n")
	_, err := scenarios.Load(dir)
	for _, want := range []string{`unknown key "metod"`, "this version reads format 1"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %s in: %v", want, err)
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "twice", "a.yaml"), "format: 1\nid: body.a\ncalls: [{}]\n")
	write(t, filepath.Join(dir, "twice", "b.yaml"), "format: 1\nid: body.a\ncalls: [{}]\n")
	write(t, filepath.Join(dir, "none", "notes.txt"), "")
	for path, want := range map[string]string{
		"missing": "no such file",
		"twice":   `the id "body.a" is there twice`,
		"none":    "expected .yaml files",
	} {
		_, err := scenarios.Load(filepath.Join(dir, path))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: want %q, got %v", path, want, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func ids(contracts []*scenarios.Contract) string {
	all := make([]string, 0, len(contracts))
	for _, c := range contracts {
		all = append(all, c.ID)
	}
	return strings.Join(all, " ")
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
