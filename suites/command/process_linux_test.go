package command

import (
	"os"
	"runtime/debug"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/faultsrv/faultsrv/suites"
)

func TestAProcessThatLeftTheGroupIsFound(t *testing.T) {
	outcome, pids, _ := left(t, "2", "session")
	allGone(t, pids)
	if want := "it left 2 processes behind, which we ended"; outcome.Note != want {
		t.Errorf("note %q, want %q", outcome.Note, want)
	}
}

// Where nobody fetches the processes that have ended, as in a container without
// an init, they stay in the list.
func TestAProcessThatNobodyFetchesIsNoneThatIsLeft(t *testing.T) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		t.Fatal(err)
	}
	defer unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	outcome, pids, _ := left(t, "1", "plain")
	for _, pid := range pids {
		if got, err := syscall.Wait4(pid, nil, syscall.WNOHANG, nil); got != pid {
			t.Errorf("process %d had not ended after the call (%v)", pid, err)
		}
	}
	if want := "it left 1 process behind, which we ended"; outcome.Note != want {
		t.Errorf("note %q, want %q", outcome.Note, want)
	}
}

func TestARunLeavesNothingOpen(t *testing.T) {
	// The collector would close what we forgot.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	subject := helper(t, Options{}, "print", "{url}", "{output}")
	count := func() int {
		open, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(open)
	}
	call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"}) // opens what stays open, such as the poller
	before := count()
	for range 10 {
		call(t.Context(), t, subject, policy(0), suites.Request{URL: "http://x"})
	}
	if after := count(); after > before {
		t.Errorf("10 runs left %d files open", after-before)
	}
	// The one child that runs is what ends the others should we be killed.
	if pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil); pid != 0 {
		t.Errorf("a run left the child process %d (%v)", pid, err)
	}
	noGoroutine(t)
}
