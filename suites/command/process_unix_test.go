//go:build unix

package command

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// gone tells whether a process has ended. One whose parent has not fetched it
// yet is gone, too.
func gone(pid int) bool {
	if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
		return true
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && strings.Contains(string(line), ") Z ")
}

// left runs the fork helper and gives the outcome, its children, and how long
// the call took beyond the command's own time.
func left(t *testing.T, number, kind string) (outcome scenarios.Outcome, pids []int, took time.Duration) {
	t.Helper()
	started := time.Now()
	outcome, run := call(t.Context(), t, helper(t, Options{}, "fork", number, kind, "{url}"), policy(0), suites.Request{URL: "http://x"})
	took = time.Since(started) - outcome.Elapsed
	if outcome.Kind != scenarios.SuccessOutcome {
		t.Fatalf("outcome %+v %+v, want success: that it left a process behind is a note", outcome, outcome.Error)
	}
	for field := range strings.FieldsSeq(string(run.Stdout.Head)) {
		pid, err := strconv.Atoi(field)
		if err != nil {
			t.Fatalf("the helper printed %q, want process ids", run.Stdout.Head)
		}
		pids = append(pids, pid)
	}
	if len(pids) == 0 {
		t.Fatal("the helper left no process behind")
	}
	return outcome, pids, took
}

func allGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		if !gone(pid) {
			t.Errorf("process %d is still there after the call", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

func TestNoProcessIsLeftBehind(t *testing.T) {
	for name, test := range map[string]struct {
		number, kind string
		count        string
	}{
		"one":            {"1", "plain", "1 process"},
		"three":          {"3", "plain", "3 processes"},
		"ignore SIGTERM": {"2", "stubborn", "2 processes"},
	} {
		t.Run(name, func(t *testing.T) {
			outcome, pids, took := left(t, test.number, test.kind)
			allGone(t, pids)
			count := test.count
			if runtime.GOOS != "linux" {
				count = "processes" // no other system tells how many
			}
			if want := "it left " + count + " behind, which we ended"; outcome.Note != want {
				t.Errorf("note %q, want %q", outcome.Note, want)
			}
			if test.kind == "stubborn" && took < process.Grace {
				t.Errorf("they were killed after %s, want no sooner than %s after SIGTERM", took, process.Grace)
			}
			if took > soon {
				t.Errorf("it took %s, want at most %s", took, soon)
			}
			noGoroutine(t)
		})
	}
}

func TestACommandThatIgnoresSIGTERMIsKilled(t *testing.T) {
	outcome, took := calledOff(t, "stubborn")
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrCanceled {
		t.Errorf("outcome %+v %+v, want the error canceled", outcome, outcome.Error)
	}
	if took < process.Grace {
		t.Errorf("it took %s, want SIGKILL no sooner than %s after SIGTERM", took, process.Grace)
	}
	if took > soon {
		t.Errorf("it took %s, want at most %s", took, soon)
	}
	noGoroutine(t)
}

func TestASignalIsAnError(t *testing.T) {
	subject, err := New([]string{"sh", "-c", "kill -SEGV $$ # $FAULTSRV_URL"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	outcome, _ := call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"})
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrOther || !strings.Contains(outcome.Error.Message, "segmentation fault") {
		t.Errorf("outcome %+v %+v, want the error other that names the signal", outcome, outcome.Error)
	}
}

func TestAFileThatCannotBeRunAnyMoreIsAClientError(t *testing.T) {
	script := filepath.Join(t.TempDir(), "client")
	if err := os.WriteFile(script, []byte("#!/no/such/interpreter\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	subject, err := New([]string{script, "{url}"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	outcome, _ := call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"})
	if outcome.Kind != scenarios.ClientErrorOutcome || !strings.Contains(outcome.Note, script) {
		t.Errorf("outcome %+v, want a client error that names %s", outcome, script)
	}
}

// A pipe in the place of the output file would hold up whoever opens it.
func TestAnOutputThatIsNoFileIsNotRead(t *testing.T) {
	if _, err := exec.LookPath("mkfifo"); err != nil {
		t.Fatalf("the test needs mkfifo: %v", err)
	}
	subject, err := New([]string{"sh", "-c", "mkfifo {output} # $FAULTSRV_URL"}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	outcome, _ := call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"})
	if outcome.Kind != scenarios.SuccessOutcome || outcome.BodySHA256 != "" || !strings.Contains(outcome.Note, "expected a file") {
		t.Errorf("outcome %+v, want success, no body, and a note", outcome)
	}
}
