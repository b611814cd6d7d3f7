package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A process is a server under test, in a process group of its own.
type process struct {
	cmd *exec.Cmd
	// output is the end of what it wrote to standard error.
	output *tail
	exited chan struct{}
	// address is where it listens.
	address string
}

// name is what errors call it.
func (p *process) name() string { return filepath.Base(p.cmd.Path) }

// startTime bounds how long a server may take until it accepts connections. (A
// JVM on two busy cores took 6 s.)
const startTime = 60 * time.Second

// start runs a command whose server will listen on an address. Its standard
// output goes where nobody reads it.
func start(address string, command ...string) (*process, error) {
	p := &process{cmd: exec.Command(command[0], command[1:]...), output: &tail{}, exited: make(chan struct{}), address: address} //nolint:noctx // stop ends it
	p.cmd.Stderr = p.output
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := p.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name(), err)
	}
	go func() {
		_ = p.cmd.Wait() // that it has ended is all there is to know
		close(p.exited)
	}()
	return p, nil
}

// accepts waits until the server accepts connections.
func (p *process) accepts() error {
	deadline := time.Now().Add(startTime)
	for time.Now().Before(deadline) {
		if conn, err := connect(p.address, time.Until(deadline)); err == nil {
			return conn.Close()
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended before it listened on %s: %s", p.name(), p.address, p.output)
		case <-time.After(100 * time.Microsecond):
		}
	}
	return fmt.Errorf("%s does not listen on %s after %v: %s", p.name(), p.address, startTime, p.output)
}

// stopTime is how long a server may take to end once it is asked to.
const stopTime = 5 * time.Second

// stop ends the process and what it started. When it returns, it is gone.
func (p *process) stop() {
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGTERM) // a group that is gone needs none
	select {
	case <-p.exited:
	case <-time.After(stopTime):
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // as above
	<-p.exited
}

// cpu is how much processor time the process has used.
func (p *process) cpu() (time.Duration, error) {
	// The clock of a process by its id, as clock_getcpuclockid(3) makes it: in
	// nanoseconds, where /proc counts in hundredths of a second.
	const scheduled = 2
	var used unix.Timespec
	if err := unix.ClockGettime(int32(^p.cmd.Process.Pid<<3|scheduled), &used); err != nil {
		return 0, fmt.Errorf("the processor time of %s: %w", p.name(), os.NewSyscallError("clock_gettime", err))
	}
	return time.Duration(used.Nano()), nil
}

// resident is how much memory the process has resident, in bytes.
func (p *process) resident() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", p.cmd.Process.Pid))
	if err != nil {
		return 0, fmt.Errorf("the memory of %s: %w", p.name(), err)
	}
	var size, pages float64
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		return 0, fmt.Errorf("the memory of %s, %q: %w", p.name(), text, err)
	}
	return pages * float64(os.Getpagesize()), nil
}

// freeAddress is one that nobody listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is closed at once
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// A tail keeps the end of what is written to it, and may be asked for it meanwhile.
type tail struct {
	mu   sync.Mutex
	kept bytes.Buffer
}

const mostTail = 4 << 10

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.kept.Len() > mostTail {
		t.kept.Next(t.kept.Len() - mostTail)
	}
	return t.kept.Write(p)
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(t.kept.String())
}
