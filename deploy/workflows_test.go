package deploy

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// A workflow is what this test looks at in one of GitHub's; other keys are GitHub's business.
type workflow struct {
	On          map[string]any    `json:"true"` // `on` is a truth value to a reader of YAML 1.1
	Permissions map[string]string `json:"permissions"`
	Jobs        map[string]struct {
		Needs          string            `json:"needs"`
		TimeoutMinutes int               `json:"timeout-minutes"` //nolint:tagliatelle // a key of GitHub's
		Permissions    map[string]string `json:"permissions"`
		Steps          []struct {
			Uses string `json:"uses"`
			Run  string `json:"run"`
		} `json:"steps"`
	} `json:"jobs"`
}

var (
	pinned = regexp.MustCompile(`^actions/[\w-]+@v\d+$`)
	target = regexp.MustCompile(`^make ([\w-]+)$`)
)

// TestWorkflowsAskForLittle: rights only where they are used, actions of GitHub's
// own by their major version, an end for a job that hangs, and commands that are there.
func TestWorkflowsAskForLittle(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows, %v; expected some", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var w workflow
		if err := yaml.Unmarshal(text, &w); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(w.On) == 0 || len(w.Permissions) != 1 || w.Permissions["contents"] != "read" {
			t.Errorf("%s: on %v, permissions %v; expected a cause, and to read the repository and nothing else", file, w.On, w.Permissions)
		}
		for name, job := range w.Jobs {
			if job.TimeoutMinutes == 0 || len(job.Steps) == 0 {
				t.Errorf("%s: %s: expected steps, and a time to end them after", file, name)
			}
			if _, there := w.Jobs[job.Needs]; job.Needs != "" && !there {
				t.Errorf("%s: %s needs %q, which is no job", file, name, job.Needs)
			}
			for _, step := range job.Steps {
				if step.Uses != "" && !pinned.MatchString(step.Uses) {
					t.Errorf("%s: %s uses %s; expected an action of GitHub's own by its major version", file, name, step.Uses)
				}
				checkRun(t, file, step.Run)
			}
		}
	}
}

// checkRun looks for what a step runs of ours.
func checkRun(t *testing.T, file, run string) {
	t.Helper()
	if strings.HasPrefix(run, ".") {
		if _, err := os.Stat(filepath.Join("..", run)); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	if match := target.FindStringSubmatch(run); match != nil {
		if out, err := exec.CommandContext(t.Context(), "make", "-C", "..", "--dry-run", match[1]).CombinedOutput(); err != nil {
			t.Errorf("%s: %s: %v\n%s", file, run, err, out)
		}
	}
}
