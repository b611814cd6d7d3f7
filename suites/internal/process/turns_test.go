package process

import (
	"os"
	"os/exec"
	"runtime"
	"testing"
	"time"
)

// A process that used more than its first thread did waited as much more: the
// test's own binary, asked for its tests, has run for some milliseconds.
func TestStarved(t *testing.T) {
	t.Parallel()
	ended := exec.Command(os.Args[0], "-test.list", ".")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	used := ended.ProcessState.UserTime() + ended.ProcessState.SystemTime()
	if used == 0 {
		t.Fatal("the process used no CPU time: there is nothing to compare with")
	}
	for _, test := range []struct {
		name string
		turns
		want time.Duration
	}{
		{"the system does not tell", turns{}, 0},
		{"its first thread did it all", turns{ran: used, waited: time.Second}, time.Second},
		{"its first thread did half of it", turns{ran: (used + 1) / 2, waited: time.Second}, 2 * time.Second},
		{"its first thread did next to nothing", turns{ran: 1, waited: time.Second}, mostThreads * time.Second},
		{"it was counted more finely than it was summed up", turns{ran: 2 * used, waited: time.Second}, time.Second},
	} {
		got := test.starved(ended.ProcessState)
		if off := (got - test.want).Abs(); off > time.Millisecond {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// The kernel tells of a process that has ended and was not fetched yet.
func TestTurnsOfAnEndedProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux tells how long a process has waited for a CPU")
	}
	ended := exec.Command(os.Args[0], "-test.list", ".")
	if err := ended.Start(); err != nil {
		t.Fatal(err)
	}
	got := turnsOf(ended.Process.Pid)
	if err := ended.Wait(); err != nil {
		t.Errorf("it was not left to be fetched: %v", err)
	}
	if got.ran <= 0 {
		t.Errorf("its first thread ran for %v, expected some time", got.ran)
	}
	if after := turnsOf(ended.Process.Pid); after != (turns{}) {
		t.Errorf("a process that is gone: %+v, expected nothing", after)
	}
}
