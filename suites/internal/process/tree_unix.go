//go:build unix

package process

import (
	"os"
	"os/exec"
	"syscall"
)

// tree is a command and everything that it has started.
type tree struct {
	mark string
	// root is the command's process.
	root *os.Process
	// group is the process group, and the command's process id.
	group int
	// since is when the command was started, on the clock of the system's list
	// of processes; 0 where there is none.
	since uint64
	// found are the processes outside the group that have been found, and when
	// each was started.
	found map[int]uint64
}

func newTree(mark string) (*tree, error) {
	if err := ours.ready(); err != nil {
		return nil, err
	}
	return &tree{mark: mark, found: map[int]uint64{}}, nil
}

// prepare has the command started in a group of its own.
func (t *tree) prepare(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}

func (t *tree) started(cmd *exec.Cmd) {
	t.root, t.group = cmd.Process, cmd.Process.Pid
	t.since = startOf(t.group)
	ours.tell(begun, t.group, t.since, t.mark)
}

// terminate asks all to end.
func (t *tree) terminate() { t.signal(syscall.SIGTERM) }

// kill ends all.
func (t *tree) kill() { t.signal(syscall.SIGKILL) }

// signal sends a signal to the group and to whoever left it. That there is
// nobody any more is fine.
func (t *tree) signal(signal syscall.Signal) {
	if syscall.Kill(-t.group, signal) != nil {
		// A command may have made another group for itself.
		_ = t.root.Signal(signal)
	}
	for _, pid := range t.escaped() {
		_ = syscall.Kill(pid, signal)
	}
}

// close tells that nothing is left of the tree, or that it was never started.
func (t *tree) close() {
	if t.root != nil {
		ours.tell(over, t.group)
	}
}
