package process

import (
	"os"
	"time"
)

// turns are how long a process's first thread has run, and how long it could
// have run and waited for a CPU. The zero value tells nothing.
type turns struct{ ran, waited time.Duration }

// mostThreads bounds how much more than its first thread a process is taken to
// have waited: a shell of 1 ms that runs a program of 2 s would otherwise have
// waited for seconds on an idle machine, by the half millisecond that it did.
const mostThreads = 20

// starved is how long an ended process has waited for a CPU. Its other threads,
// and the processes that it waited for, are not counted apart; they are taken to
// have waited as long for each moment of CPU time as the first thread.
//
// A harness that probes its own timers does not see this: the system prefers who
// has slept to who has work to do. Measured on two cores: a Python program that
// takes 35 ms took 0.55 s to 1.4 s beside eight busy loops, of which the kernel
// counted 0.51 s to 1.24 s as waiting; on the idle machine it counted 1 ms to 3 ms.
func (t turns) starved(ended *os.ProcessState) time.Duration {
	if t.ran <= 0 {
		return 0
	}
	used := ended.UserTime() + ended.SystemTime()
	share := min(max(1, float64(used)/float64(t.ran)), mostThreads)
	return time.Duration(float64(t.waited) * share)
}
