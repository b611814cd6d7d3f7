package profile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

const whole = `kind: exec
name: tool
about: a tool
command: [go, version, "{url}", "{method}", "{retries}"]
version: {command: [go, version], match: 'go([0-9]+)'}
reads: [timeout-ms]
cannot: [method]
promises: {backoff: {constant: 1s}, statuses: [503]}
success: {status: 204}
parallel: 3
exits: {7: connect, 8: answer}
status: {from: stderr, match: 'status ([0-9]+)'}
known-failures:
  - {contract: body.*, reason: no body, link: https://example.com}
`

func TestOpenTellsTheCommandAllThatTheProfileSays(t *testing.T) {
	t.Parallel()
	p, err := Parse("tool.yaml", []byte(whole))
	if err != nil {
		t.Fatal(err)
	}
	client, err := p.Open(t.Context(), Options{CallTimeout: time.Second, Rerun: []string{"again"}})
	if err != nil {
		t.Fatal(err)
	}
	pause := time.Second
	want := suites.Profile{
		Name: "tool", Version: "1", Kind: "exec", Parallel: 3, Rerun: []string{"again"}, Success: p.Success,
		Capabilities: []scenarios.Capability{
			scenarios.CanRetry, scenarios.CanParallel, scenarios.CanAttempts, scenarios.CanTimeout, scenarios.CanErrorKind, scenarios.CanStatus,
		},
		Promises:      &scenarios.Policy{Backoff: &scenarios.Backoff{Constant: &pause}, Statuses: []int{503}},
		KnownFailures: suites.KnownFailures{{Contract: "body.*", Reason: "no body", Link: "https://example.com"}},
	}
	if diff := cmp.Diff(want, client.Profile()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if notes := strings.Join(client.Notes(), "\n"); !strings.Contains(notes, "not method: its profile says that it cannot") {
		t.Errorf("notes:\n%s", notes)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

func TestParseSaysAllThatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"kind: exce\nname: x\ncommand: [x]\n":           {`unknown word "exce"; did you mean "exec"?`},
		"kind: exec\nname: \"x\\e[2J\"\ncommand: [x]\n": {`name: expected text without control characters; got "x\x1b[2J"`},
		"about: x\n": {"expected the kind of client", "expected the client's name", "expected a program and its arguments"},
		"kind: exec\nname: x\ncommand: [x]\nexits: {7: no}\n": {`unknown word "no"`},
		"kind: exec\nname: x\ncommand: [x]\nexits: {0: connect, 8: answer}\nversion: {match: '('}\nstatus: {match: x}\n": {
			"version.command: expected a command", "version.match: expected a regular expression: ", "status.from: expected the output",
			"status.match: expected a regular expression with a group", "exits.0: expected an exit status from 1 to 255",
		},
		"kind: exec\nname: x\ncommand: [x]\nexits: {8: answer}\n": {"exits.8: an exit status that stands for an answer needs `status`"},
		"kind: driver\nname: x\ncommand: [x]\nexits: {8: reset}\n": {
			"exits: a driver tells this itself; leave it out",
		},
		"kind: driver\nname: x\ncommand: [x]\nstatus: {from: stdout, match: '(.)'}\nexits: {8: reset}\nreads: [url]\nversion: {command: [x]}\n": {
			"version: a driver", "reads: a driver", "exits: a driver", "status: a driver",
		},
		"kind: exec\nname: x\ncommand: [x]\nstatus: {from: stdin, match: '('}\n":                 {`unknown word "stdin"`},
		"kind: exec\nname: x\ncommand: [x]\nstatus: {from: stdout, match: '('}\n":                {"status.match: expected a regular expression: "},
		"kind: exec\nname: x\ncommand: [x]\nknown-failures: [{contract: a.b, reason: r}]\n":      {`known-failures[0].link: expected where more is said`},
		"kind: exec\nname: x\ncommand: [x]\npromises: {atempts: 3}\nparallel: 0\ncannot: [sing]": {`did you mean "attempts"?`, "expected a number from 1 to 1000", `unknown word "sing"`},
	} {
		_, err := Parse("x.yaml", []byte(text))
		var problems scenarios.Problems
		if !errors.As(err, &problems) || len(problems) != len(want) {
			t.Errorf("%q: want %d problems; got: %v", text, len(want), err)
			continue
		}
		for i, problem := range problems {
			if !strings.Contains(problem.Error(), want[i]) || problem.Line == 0 {
				t.Errorf("%q: want %q with its line; got: %v", text, want[i], problem)
			}
		}
	}
}

func TestAFilesCommandRunsInItsFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "tool.yaml")
	text := "kind: exec\nname: tool\ncommand: [./tool, \"{url}\"]\nversion: {command: [./tool]}\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Open(t.Context(), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a tool that is not there: %v", err)
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(goTool, filepath.Join(dir, "tool")); err != nil {
		t.Fatal(err)
	}
	p.Version.Command = []string{"./tool", "version"}
	client, err := p.Open(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if version := client.Profile().Version; !strings.HasPrefix(version, "go version") {
		t.Errorf("version %q", version)
	}
}

func TestACommandThatIsNotInstalled(t *testing.T) {
	t.Parallel()
	p := Profile{Kind: Exec, Name: "x", Command: []string{"no-such-program-anywhere", "{url}"}}
	if _, err := p.Open(t.Context(), Options{}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("got: %v", err)
	}
	p.Kind = Driver
	if _, err := p.Open(t.Context(), Options{}); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("a driver: %v", err)
	}
	if _, err := Load(filepath.Join(t.TempDir(), "none.yaml")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestBuiltInProfiles(t *testing.T) {
	t.Parallel()
	profiles, err := BuiltIn()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range profiles {
		names = append(names, p.Name)
		if p.About == "" || p.Version == nil || p.Kind != Exec {
			t.Errorf("%s: expected an exec profile with about and version: %+v", p.Name, p)
		}
		client, err := p.Open(t.Context(), Options{})
		if err != nil {
			t.Errorf("%s: %v", p.Name, err)
			continue
		}
		if !strings.ContainsAny(client.Profile().Version, "0123456789") {
			t.Errorf("%s: version %q", p.Name, client.Profile().Version)
		}
		if err := suites.CheckKnownFailures(client, nil, catalogue); err != nil {
			t.Errorf("%s: %v", p.Name, err)
		}
	}
	if want := []string{"curl", "wget"}; !slices.Equal(names, want) {
		t.Errorf("built in are %q, want %q", names, want)
	}
}
