package process

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// processes is the system's list of processes.
const processes = "/proc"

// process is a line of that list.
type process struct {
	state         byte
	parent, group int
	// threads are those that run, one that has ended and waits to be fetched
	// included.
	threads int
	// since is when it was started, in clock ticks after the system was.
	since uint64
}

// look reads a process's line; false when there is none.
func look(pid int) (process, bool) {
	line, err := os.ReadFile(filepath.Join(processes, strconv.Itoa(pid), "stat"))
	if err != nil {
		return process{}, false
	}
	// The second field is the program's name in parentheses, which may have any
	// bytes in it; counted from there, the state is field 0, the parent 1, the
	// group 2, the threads 17 and the start 19 (proc_pid_stat(5)).
	fields := bytes.Fields(line[bytes.LastIndexByte(line, ')')+1:])
	if len(fields) < 20 {
		return process{}, false
	}
	parent, errParent := strconv.Atoi(string(fields[1]))
	group, errGroup := strconv.Atoi(string(fields[2]))
	threads, errThreads := strconv.Atoi(string(fields[17]))
	since, errSince := strconv.ParseUint(string(fields[19]), 10, 64)
	if errors.Join(errParent, errGroup, errThreads, errSince) != nil {
		return process{}, false
	}
	return process{state: fields[0][0], parent: parent, group: group, threads: threads, since: since}, true
}

// ended tells that a process runs no more, and only waits to be fetched by its
// parent. One whose first thread has ended before the others (seen in 33 of 100
// ended Go processes) still holds its files.
func (p process) ended() bool {
	return p.state == 'X' || p.state == 'Z' && p.threads <= 1
}

// newest is the process id that was given last; 0 where it is not known.
func newest() int {
	line, err := os.ReadFile(filepath.Join(processes, "loadavg"))
	if err != nil {
		return 0
	}
	line = bytes.TrimSpace(line)
	pid, err := strconv.Atoi(string(line[bytes.LastIndexByte(line, ' ')+1:]))
	if err != nil {
		return 0
	}
	return pid
}

// startOf is when a process was started.
func startOf(pid int) uint64 {
	p, _ := look(pid)
	return p.since
}

// alive is how many processes of the tree run.
func (t *tree) alive() int {
	inGroup, escaped, ok := t.members()
	if !ok { // no list to look them up in
		if syscall.Kill(-t.group, 0) == nil {
			return unknown
		}
		return 0
	}
	return inGroup + len(escaped)
}

// escaped are the processes that left the group.
func (t *tree) escaped() []int {
	_, escaped, _ := t.members()
	return escaped
}

// members are the processes of the group, and those outside it that have the
// run's mark in their environment. One that has ended and waits to be fetched by
// its parent is none. It is false where the system has no list of processes.
func (t *tree) members() (inGroup int, escaped []int, ok bool) {
	dir, err := os.Open(processes)
	if err != nil {
		return 0, nil, false
	}
	names, err := dir.Readdirnames(-1)
	_ = dir.Close() // it was only read
	if err != nil || t.since == 0 {
		return 0, nil, false
	}
	self := os.Getpid()
	// Process ids are given upwards until they start over, so that most of a
	// system's processes need not be looked at, which takes 12 µs each.
	startedOver := newest() < t.group
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil || pid < t.group && !startedOver {
			continue
		}
		p, ok := look(pid)
		switch {
		case !ok, p.ended(), p.since < t.since:
		case p.group == t.group:
			inGroup++
		case p.parent == self && self != 1:
			// The command of another run. Who left the group has lost its parent,
			// and is given to the system's first process.
		case t.found[pid] == p.since, t.marked(pid):
			// An ending process loses its environment before it is gone.
			t.found[pid] = p.since
			escaped = append(escaped, pid)
		}
	}
	return inGroup, escaped, true
}

// marked tells whether a process has the run's mark in its environment. One
// of another user cannot be read, and cannot be ours.
func (t *tree) marked(pid int) bool {
	env, err := os.ReadFile(filepath.Join(processes, strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(env, []byte(t.mark))
}
