//go:build unix

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

// A survivor is this very program, started a second time, which ends what we
// have started where we are killed and cannot: by SIGKILL, by a second SIGINT,
// or by a crash. It reads from a pipe whose other end nobody but we hold; the
// system closes that when we end, in whatever way. It is in a session of its
// own, so that no signal to our group and no closed terminal takes it along.
//
// The system's own means reach less: a signal at the parent's death
// (PR_SET_PDEATHSIG) reaches the command and not what it has started, and comes
// already when the thread ends that has started it.

// survivorName is the name under which this program is started as a survivor.
const survivorName = "faultsrv-survivor"

// init makes a survivor of a program that was started as one. There is no other
// place for it: the program may be anybody's test.
//
//nolint:gochecknoinits // as it says
func init() {
	if len(os.Args) == 2 && os.Args[0] == survivorName {
		signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
		survive(os.Stdin, os.Args[1])
		os.Exit(0) //nolint:forbidigo // what would come next is the program's own work
	}
}

// ours is our survivor.
var ours survivor

// survivor is what we know of it.
type survivor struct {
	mu sync.Mutex
	// told is the pipe that it reads from; nil while there is none.
	told *os.File
}

// ready starts the survivor, if it does not run.
func (s *survivor) ready() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told != nil {
		return nil
	}
	self, err := thisProgram()
	if err != nil {
		return fmt.Errorf("find this program's file, to start what ends the command should we be killed: %w", err)
	}
	read, write, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("make a pipe to what ends the command should we be killed: %w", err)
	}
	command := exec.Cmd{
		Path: self, Args: []string{survivorName, family},
		// Without our environment: the mark of a run that we are in ourselves is in it.
		Env: []string{}, Stdin: read,
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	err = command.Start()
	_ = read.Close() // it is the survivor's
	if err != nil {
		_ = write.Close() // nothing was written to it
		return fmt.Errorf("start what ends the command should we be killed: %w", err)
	}
	s.told = write
	return nil
}

// tell gives the survivor a line. One that is not there any more is started
// again with the next command; until then it misses nothing that it could not
// find by the family's mark.
func (s *survivor) tell(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.told == nil {
		return
	}
	if _, err := fmt.Fprintf(s.told, format, args...); err != nil {
		_ = s.told.Close() // it has no reader
		s.told = nil
	}
}

// begun and over are what the survivor is told of a tree.
const (
	begun = "begun %d %d %s\n"
	over  = "over %d\n"
)

// survive is the survivor: it reads what runs, and at the end of it ends that.
func survive(told io.Reader, family string) {
	running := map[int]*tree{}
	for lines := bufio.NewScanner(told); lines.Scan(); {
		var group int
		var since uint64
		var mark string
		if _, err := fmt.Sscanf(lines.Text(), begun, &group, &since, &mark); err == nil {
			running[group] = &tree{group: group, since: since, mark: mark, found: map[int]uint64{}}
		} else if _, err := fmt.Sscanf(lines.Text(), over, &group); err == nil {
			delete(running, group)
		}
	}
	var ending sync.WaitGroup
	trees := inherited(running)
	for _, t := range append(trees, strays(family, trees)...) {
		ending.Go(func() { t.endLeftovers() })
	}
	ending.Wait()
}

// inherited are the trees whose process group is still theirs.
func inherited(running map[int]*tree) []*tree {
	var list []*tree
	for _, t := range running {
		// First a hold of the process, then whether it is the one that is meant.
		root, err := os.FindProcess(t.group)
		if err != nil {
			continue
		}
		if since := startOf(t.group); since == 0 || since == t.since {
			t.root = root
			list = append(list, t)
		}
	}
	return list
}
