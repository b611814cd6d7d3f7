package deploy

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// buildCommand builds the command and returns its file.
func buildCommand(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "faultsrv")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/faultsrv")
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("build the command: %v\n%s", err, out)
	}
	return program
}

// TestTheCommandLinesAreRight holds every command line that is shipped to the
// command's own help, and takes the catalogue's through all parts to the report.
func TestTheCommandLinesAreRight(t *testing.T) {
	t.Parallel()
	program := buildCommand(t)
	m := readManifests(t)
	project, _ := shippedCompose(t)
	lines := map[string][]string{}
	for owner, template := range m.pods() {
		lines[owner] = template.Spec.Containers[0].Args
	}
	for name, service := range project.Services {
		if service.Image == "faultsrv" {
			lines["compose "+name] = service.Command
			probe := service.HealthCheck.Test
			if len(probe) < 3 || probe[0] != "CMD" || probe[1] != "/usr/bin/faultsrv" {
				t.Errorf("%s is asked for its health by %q; expected the command itself, since there is no shell", name, probe)
				continue
			}
			lines["compose "+name+" health"] = probe[2:]
		}
	}
	for owner, args := range lines {
		checkFlags(t, program, owner, args)
	}
	runParts(t, program, m)
}

var flagInHelp = regexp.MustCompile(`(?m)^ +(?:-\w, )?--([\w-]+)`)

func checkFlags(t *testing.T, program, owner string, args []string) {
	t.Helper()
	var commands, flags []string
	for _, arg := range args {
		if name, is := strings.CutPrefix(arg, "--"); is {
			name, _, _ = strings.Cut(name, "=")
			flags = append(flags, name)
		} else if len(flags) == 0 {
			commands = append(commands, arg)
		}
	}
	out, err := exec.CommandContext(t.Context(), program, append(commands, "--help")...).Output()
	if err != nil {
		t.Errorf("%s: %q --help: %v", owner, commands, err)
	}
	var known []string
	for _, match := range flagInHelp.FindAllStringSubmatch(string(out), -1) {
		known = append(known, match[1])
	}
	for _, flag := range flags {
		if !slices.Contains(known, flag) {
			t.Errorf("%s: --%s is no flag of faultsrv %s, which has %q", owner, flag, strings.Join(commands, " "), known)
		}
	}
}

// runParts runs what the pods of the catalogue's Job run, with a few of the
// contracts, and then what the report's does.
func runParts(t *testing.T, program string, m *manifests) {
	t.Helper()
	results := t.TempDir()
	job := m.jobs["faultsrv-catalogue"]
	for index := range int(*job.Spec.Completions) {
		var args []string
		for _, arg := range job.Spec.Template.Spec.Containers[0].Args {
			arg = strings.ReplaceAll(arg, "$(INDEX)", strconv.Itoa(index))
			args = append(args, strings.Replace(arg, "/results", results, 1))
		}
		cmd := exec.CommandContext(t.Context(), program, append(args, "--contracts", "attempts.*", "--contracts", "body.*")...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", cmd, err, out)
		}
	}
	var args []string
	for _, arg := range m.jobs["faultsrv-report"].Spec.Template.Spec.Containers[0].Args {
		args = append(args, strings.Replace(arg, "/results", results, 1))
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil || !bytes.HasPrefix(out, []byte("{")) || said.Len() > 0 {
		t.Errorf("%v: %v\n%s\nexpected nothing but JSON in the log", cmd, err, said.Bytes())
	}
	if written, err := filepath.Glob(results + "/merged/report.html"); err != nil || len(written) != 1 {
		t.Errorf("the report left %q, %v; expected a page", written, err)
	}
}
