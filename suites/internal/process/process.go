// Package process runs processes and leaves none behind: each has its own
// process group (on Windows a job), is asked to end with SIGTERM and half a
// second later ended with SIGKILL, together with whatever it has started. Its
// output is read to the end and kept in part, so that it is never held up by
// what it prints.
//
// Where this process is killed itself, what it has started is ended likewise: by
// a second process of the same program, which is started with the first command
// (survivor_unix.go). On Windows the job ends with the last process that holds it.
//
// It serves the client kinds that are processes: those that run once a call,
// and those that run as long as the clients they are.
package process

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// RunVariable is the environment variable that is different in each run.
const RunVariable = "FAULTSRV_RUN"

// family is what the values of that variable begin with in all runs of this
// process.
var family = rand.Text()

const (
	// Grace is the time between asking a process to end and ending it: long for a
	// client that only has to close its connections, short beside a call's limit.
	Grace = 500 * time.Millisecond
	// killed is how long processes may take to be gone once they were killed, and
	// an output to be at its end once no process is left. Measured, in 200 runs
	// that left three processes behind: at most 24 ms, and 385 ms with four busy
	// loops on two cores. Only a process that the kernel holds, or that we cannot
	// reach, takes longer.
	killed = 2 * time.Second
)

// A Spec is a process to be run.
type Spec struct {
	// Program is the path of its executable file.
	Program string
	Args    []string
	// Dir is where it runs; empty means where we do.
	Dir string
	// Env is added to this process's own, as KEY=value; the last of a name counts.
	Env []string
	// Limit is how many bytes are kept of either end of an output.
	Limit int
	// Dialogue hands its standard input and output to us, as [Process.Input] and
	// [Process.Output]. Without it the process has no input, and its output is
	// kept as its errors are.
	Dialogue bool
}

// An Ending is how a process ended.
type Ending struct {
	// Status is its exit status, -1 when a signal ended it.
	Status int
	// How says it in words, such as "exit status 7" or "signal: killed".
	How string
	// ByUs is why we ended it; nil when it ended by itself.
	ByUs error
	// Elapsed is the time from its start to its end.
	Elapsed time.Duration
	// Starved is how long it could have run and waited for a CPU; 0 where the
	// system does not tell.
	Starved time.Duration
	// Stdout and Stderr are what is kept of its outputs; Stdout is empty in a
	// dialogue.
	Stdout, Stderr Excerpt
	// Left are the processes that it left behind.
	Left Leftovers
}

// A Process is one that was started. Await has to be called, or it is left
// behind.
type Process struct {
	// Input is what the process reads, and Output what it writes: nil unless its
	// Spec asks for a dialogue. Await closes both.
	Input  io.WriteCloser
	Output io.Reader

	command        *exec.Cmd
	tree           *tree
	stdout, stderr *stream
	dialogue       *dialogue
	started        time.Time
	turns          turns
	exited         chan struct{}
	await          sync.Once
	ending         Ending
}

// Run runs a process until it ends, or until the context does and it is ended.
// It returns when nothing is left of it. An error means that it did not start.
func Run(ctx context.Context, spec Spec) (Ending, error) {
	if ctx.Err() != nil {
		return Ending{ByUs: ctx.Err(), Status: -1, How: "not started"}, nil //nolint:nilerr // how it ended is the answer
	}
	p, err := Start(spec)
	if err != nil {
		return Ending{}, err
	}
	return p.Await(ctx), nil
}

// Start starts a process.
func Start(spec Spec) (*Process, error) {
	mark := RunVariable + "=" + family + "-" + rand.Text()
	tree, err := newTree(mark)
	if err != nil {
		return nil, err
	}
	p := &Process{
		// Not CommandContext: ending the tree is more than killing its root.
		command: exec.Command(spec.Program, spec.Args...), //nolint:noctx // Await watches the context
		tree:    tree,
		exited:  make(chan struct{}),
	}
	p.command.Dir = spec.Dir
	p.command.Env = append(append(withoutProxy(os.Environ()), spec.Env...), mark)
	tree.prepare(p.command)
	if err := p.connect(spec); err != nil {
		tree.close()
		return nil, err
	}
	p.started = time.Now()
	err = p.command.Start()
	p.handedOver()
	if err != nil {
		p.disconnect()
		tree.close()
		return nil, fmt.Errorf("start %q: %w", spec.Program, err)
	}
	tree.started(p.command)
	go func() {
		p.turns = turnsOf(p.command.Process.Pid)
		// What went wrong is in ProcessState.
		_ = p.command.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Exited is closed when the process has ended. What it started may still run.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Await waits for the process's end; when the context ends first, it is ended.
// It returns when nothing is left of it, and each time the same.
func (p *Process) Await(ctx context.Context) Ending {
	p.await.Do(func() { p.ending = p.end(ctx) })
	return p.ending
}

func (p *Process) end(ctx context.Context) Ending {
	byUs := p.awaitExit(ctx)
	elapsed := time.Since(p.started)
	left := p.tree.endLeftovers()
	ended := Ending{
		Status: p.command.ProcessState.ExitCode(), How: p.command.ProcessState.String(),
		ByUs: byUs, Elapsed: elapsed, Left: left,
		Starved: min(p.turns.starved(p.command.ProcessState), elapsed),
	}
	if byUs != nil && left.Remain == 0 {
		// They were asked to end together with their command.
		ended.Left = Leftovers{}
	}
	ended.Stdout, ended.Stderr = p.disconnect()
	p.tree.close()
	return ended
}

// awaitExit waits for the exit, and after the context's end makes it happen. It
// gives the reason if it did.
func (p *Process) awaitExit(ctx context.Context) error {
	select {
	case <-p.exited:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-p.exited: // just in time
		return nil
	default:
	}
	p.tree.terminate()
	timer := time.NewTimer(Grace)
	defer timer.Stop()
	select {
	case <-p.exited:
	case <-timer.C:
		p.tree.kill()
		<-p.exited
	}
	return ctx.Err()
}

// withoutProxy adds the loopback address to those that are reached without a
// proxy.
func withoutProxy(env []string) []string {
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		value := "127.0.0.1,localhost,::1"
		if before := os.Getenv(name); before != "" {
			value = before + "," + value
		}
		env = append(env, name+"="+value)
	}
	return env
}
