package process

import (
	"fmt"
	"time"
)

// Leftovers are the processes that ran on when their command had ended.
type Leftovers struct {
	// Found is how many there were; unknown where the system only tells that
	// there were some.
	Found int
	// Remain is how many could not be ended.
	Remain int
}

// unknown is a number of processes, at least one, that the system does not tell.
const unknown = -1

// String says it in words, empty for none.
func (l Leftovers) String() string {
	if l.Found == 0 {
		return ""
	}
	if l.Remain != 0 {
		return fmt.Sprintf("it left %s behind, and %s could not be ended", countProcesses(l.Found), countProcesses(l.Remain))
	}
	return fmt.Sprintf("it left %s behind, which we ended", countProcesses(l.Found))
}

func countProcesses(n int) string {
	switch n {
	case unknown:
		return "processes"
	case 1:
		return "1 process"
	default:
		return fmt.Sprintf("%d processes", n)
	}
}

// endLeftovers ends what still runs of the tree.
func (t *tree) endLeftovers() Leftovers {
	found := t.alive()
	if found == 0 {
		return Leftovers{}
	}
	t.terminate()
	remain := t.awaitGone(Grace, func() {})
	if remain != 0 {
		t.kill()
		// Again and again: one that forks may have done so while it was killed.
		remain = t.awaitGone(killed, t.kill)
	}
	return Leftovers{Found: found, Remain: remain}
}

// awaitGone waits until nothing is left, at most for so long, and gives what is.
// There is no event to wait for: these are not our children.
func (t *tree) awaitGone(atMost time.Duration, between func()) int {
	const shortest, longest = time.Millisecond, 20 * time.Millisecond
	deadline := time.Now().Add(atMost)
	for pause := shortest; ; pause = min(2*pause, longest) {
		remain := t.alive()
		if remain == 0 || time.Now().After(deadline) {
			return remain
		}
		between()
		time.Sleep(pause)
	}
}
