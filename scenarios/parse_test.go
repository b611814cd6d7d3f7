package scenarios_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/scenarios"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestProblems holds what a reader is told of each broken file, word by word.
func TestProblems(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "problems", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no files to read: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			contracts, err := scenarios.Parse(filepath.Base(file), data)
			if err == nil {
				t.Fatalf("parsed without a problem: %d contracts", len(contracts))
			}
			if contracts != nil {
				t.Errorf("contracts beside an error: %d", len(contracts))
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".txt", err.Error()+"\n")
		})
	}
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", file, diff)
	}
}

func TestLimits(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"size":      {"format: 1\n#" + strings.Repeat("x", scenarios.MaxFileSize), "a file has at most 1048576 bytes; this one has more"},
		"depth":     {"format: 1\nid: " + strings.Repeat("[", 1000), "not YAML"},
		"block":     {"format: 1\nid:\n " + strings.Repeat("- ", 1000), "not YAML"},
		"documents": {"format: 1\n" + strings.Repeat("---\nid: a.b\n", scenarios.MaxDocuments), "a contract file has at most 1000 documents; this one has 1001"},
		"steps":     {"format: 1\nid: a.b\ncalls: [{}]\nscript: [" + strings.Repeat("succeed,", scenarios.MaxSteps+1) + "]", "expected at most 10000 items; got 10001"},
		"one line":  {"format: 1\nid: a.b\ncalls: [{}]\nscript: 200" + strings.Repeat(",200", scenarios.MaxSteps), "a script has at most 10000 steps; got 10001; use times"},
		"problems":  {"format: 1\n" + strings.Repeat("---\nwrong: 1\n", 500), "400 more problems are not shown"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := scenarios.Parse("x.yaml", []byte(test.text))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want %q in %.300v", test.want, err)
			}
		})
	}
}

// A file without line breaks must not flood the terminal with its one line for
// each of its problems.
func TestALongLineIsCut(t *testing.T) {
	text := "format: 1\nid: {" + strings.Repeat("key: 1, ", 50_000) + "}"
	_, err := scenarios.Parse("x.yaml", []byte(text))
	if err == nil || len(err.Error()) > 50_000 {
		t.Errorf("the problems take %d bytes", len(fmt.Sprint(err)))
	}
}

func TestWhereAContractWasRead(t *testing.T) {
	contracts, err := scenarios.Parse("own.yaml", []byte("format: 1\n---\n# about it\nid: body.a\ncalls: [{}]\n---\nid: body.b\ncalls: [{}]\n"))
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range []int{4, 7} {
		if got := contracts[i].Source; got.File != "own.yaml" || got.Line != line {
			t.Errorf("contract %d was read at %s:%d, want own.yaml:%d", i, got.File, got.Line, line)
		}
	}
}

func TestWindowsLineEndsAndAByteOrderMarkAreRead(t *testing.T) {
	contracts, err := scenarios.Parse("own.yaml", []byte("\ufeffformat: 1\r\n---\r\nid: body.a\r\ncalls: [{}]\r\n"))
	if err != nil || ids(contracts) != "body.a" {
		t.Errorf("got %s, %v", ids(contracts), err)
	}
}

// What a file of the largest size can ask for must cost no more than a moment.
// The worst took 0.7 s of a free core, and 7 s with the race detector on two
// cores shared by 21 processes, so that 1 min tells a loader that has run away.
func TestTheWorstFilesAreReadInTime(t *testing.T) {
	fill := func(head, part, tail string) string {
		return head + strings.Repeat(part, (scenarios.MaxFileSize-len(head)-len(tail))/len(part)) + tail
	}
	const head = "format: 1\n---\nid: a.b\n"
	for name, text := range map[string]string{
		"repeats":            fill(head+"calls: [", "{repeat: 10000},", "]"),
		"calls":              fill(head+"calls: [", "{},", "]"),
		"calls of documents": fill("format: 1\n"+strings.Repeat("---\nid: a.b\ncalls: ["+strings.Repeat("{},", 320)+"]\n", 200), "#\n", ""),
		"unknown calls":      fill(head+"calls: ["+strings.Repeat("{},", 1000)+"]\nexpect:\n", "  aa: {}\n", ""),
		"expected calls":     head + "calls: [{}]\nexpect:\n" + numbered(60_000, "  call-%d: {}\n"),
		"a long key":         head + "calls:\n- headers:\n    ? " + strings.Repeat("k", 1_000_000) + "\n    : [" + strings.Repeat("a,", 9000) + "]",
		"deep keys":          fill(head+"calls: [", "{headers: {a: [b, c]}},", "]"),
		"unknown words":      fill(head+"needs: [", "retryy,", "]"),
		"documents":          fill("format: 1\n", "---\n", ""),
		"one long line":      fill(head+"id: ", "x ", ""),
		"many lines":         fill(head, "\n", ""),
		"an unclosed string": fill(head+"title: \"", "x\n", ""),
		"comments":           fill(head, "# x\n", ""),
	} {
		t.Run(name, func(t *testing.T) {
			started := time.Now()
			contracts, err := scenarios.Parse("large.yaml", []byte(text))
			scenarios.Lint(contracts)
			if took := time.Since(started); took > time.Minute {
				t.Errorf("it took %v", took)
			} else {
				t.Logf("%d bytes: %v, %.200v", len(text), took, err)
			}
		})
	}
}

func numbered(n int, format string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}
