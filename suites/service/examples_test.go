//go:build unix

package service_test

import (
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// root is the repository's folder.
const root = "../.."

// TestTheExamples judges the three shops by the whole catalogue, by the commands
// that their pages give: each has its one defect found, and nothing else.
func TestTheExamples(t *testing.T) {
	t.Parallel()
	faultsrv := filepath.Join(t.TempDir(), "faultsrv")
	build := exec.Command("go", "build", "-o", faultsrv, "./cmd/faultsrv")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	for name, test := range map[string]struct {
		start []string
		// ports are the shop's and its upstream's.
		ports []string
		// broken are the contracts that the defect breaks, and how.
		broken map[string]string
		// kept is the least number of contracts that it keeps.
		kept, status int
	}{
		"go-shop": {
			start: []string{"go", "-C", "examples/go-shop", "run", "."}, ports: []string{"18080", "18081"},
			broken: map[string]string{
				"idempotency.a-post-is-not-retried-on-a-reset": "fail",
				"connection.a-stale-post-is-not-replayed":      "fail",
			},
			kept: 6, status: 1,
		},
		"python-shop": {
			start: []string{"python3", "examples/python-shop/shop.py"}, ports: []string{"18090", "18091"},
			broken: map[string]string{
				"retry-after.seconds-on-503":        "weak",
				"retry-after.seconds-on-429":        "weak",
				"retry-after.http-date-imf-fixdate": "weak",
				"retry-after.http-date-rfc850":      "weak",
				"retry-after.http-date-asctime":     "weak",
			},
			kept: 18, status: 0,
		},
		"node-shop": {
			start: []string{"node", "examples/node-shop/shop.js"}, ports: []string{"18100", "18101"},
			broken: map[string]string{"body.replay-after-503": "fail", "body.replay-after-a-reset": "fail"},
			kept:   22, status: 1,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := t.TempDir()
			args := append([]string{"test", "--client", "examples/" + name + "/service.yaml", "--out", out, "--"}, test.start...)
			command := exec.Command(faultsrv, args...)
			command.Dir = root
			output, err := command.CombinedOutput()
			status := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				status = exit.ExitCode()
			} else if err != nil {
				t.Fatal(err)
			}
			if status != test.status {
				t.Fatalf("exit status %d; want %d:\n%s", status, test.status, output)
			}
			verdicts := readVerdicts(t, filepath.Join(out, "results.json"))
			broken, kept := map[string]string{}, 0
			for id, verdict := range verdicts {
				switch {
				case verdict == "pass":
					kept++
				case slices.Contains([]string{"fail", "weak", "client-error", "harness-error"}, verdict):
					broken[id] = verdict
				}
			}
			if diff := cmp.Diff(test.broken, broken); diff != "" {
				t.Errorf("what it breaks (-want +got):\n%s\n%s", diff, output)
			}
			if kept < test.kept {
				t.Errorf("it keeps %d contracts; want %d or more:\n%s", kept, test.kept, output)
			}
			for _, port := range test.ports {
				listener, err := net.Listen("tcp", "127.0.0.1:"+port)
				if err != nil {
					t.Errorf("somebody is left: %v", err)
					continue
				}
				listener.Close()
			}
		})
	}
}

// readVerdicts are the verdicts of a results.json by the contracts' ids.
func readVerdicts(t *testing.T, file string) map[string]string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Results []struct{ ID, Verdict string }
	}
	if err := json.Unmarshal(data, &run); err != nil {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for _, result := range run.Results {
		verdicts[result.ID] = result.Verdict
	}
	return verdicts
}
