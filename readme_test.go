package faultsrv_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// varying is what differs from run to run in the README's example: times, the
// spaces that line them up, and the seed.
var varying = regexp.MustCompile(` +\d+\.\d+ms|seed \d+| {2,}`)

// TestTheReadmesExampleIsReal runs the command of the README's example and
// compares what it prints.
func TestTheReadmesExampleIsReal(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, found := strings.Cut(string(readme), "```console\n$ faultsrv ")
	if !found {
		t.Fatal("README.md has no example: expected a block that begins with ```console and $ faultsrv")
	}
	example, _, _ = strings.Cut(example, "```")
	command, printed, _ := strings.Cut(example, "\n")

	program := filepath.Join(t.TempDir(), "faultsrv")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/faultsrv").CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v\n%s", err, out)
	}
	got, err := exec.CommandContext(t.Context(), program, strings.Fields(command)...).Output()
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.ExitCode() != 1 {
		t.Errorf("faultsrv %s: %v; expected exit status 1", command, err)
	}
	normal := func(text string) string { return varying.ReplaceAllString(text, " …") }
	if diff := cmp.Diff(normal(printed), normal(string(got))); diff != "" {
		t.Errorf("faultsrv %s prints something else than the README shows (-README +now):\n%s", command, diff)
	}
}

// TestTheReadmeLinksToWhatIsThere follows every link of the Markdown files at
// the top and under docs/.
func TestTheReadmeLinksToWhatIsThere(t *testing.T) {
	files, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"docs/*.md", "docs/*/*.md", "examples/*/*.md"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	link := regexp.MustCompile(`\]\(([^)#\s]+)(#[^)]*)?\)`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range link.FindAllStringSubmatch(string(text), -1) {
			target := match[1]
			if strings.Contains(target, "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), target)); err != nil {
				t.Errorf("%s links to %s, which is not there", file, target)
			}
		}
	}
}
