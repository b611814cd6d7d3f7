package command

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// runVariable is the environment variable that is different in each run.
const runVariable = "FAULTSRV_RUN"

const (
	// grace is the time between asking a process to end and ending it: long for a
	// client that only has to close its connections, short beside a call's limit.
	grace = 500 * time.Millisecond
	// killed is how long processes may take to be gone once they were killed, and
	// an output to be at its end once no process is left. Measured, in 200 runs
	// that left three processes behind: at most 24 ms, and 385 ms with four busy
	// loops on two cores. Only a process that the kernel holds, or that we cannot
	// reach, takes longer.
	killed = 2 * time.Second
)

// spec is a process to be run.
type spec struct {
	program string
	args    []string
	// env is added to this process's own; the last of a name counts.
	env []string
	// limit is how many bytes are kept of either end of an output.
	limit int
}

// ending is how a process ended.
type ending struct {
	// status is its exit status, -1 when a signal ended it.
	status int
	// how says it in words, such as "exit status 7" or "signal: killed".
	how string
	// byUs is why we ended it; nil when it ended by itself.
	byUs           error
	elapsed        time.Duration
	stdout, stderr Excerpt
	left           leftovers
}

// leftovers are the processes that ran on when their command had ended.
type leftovers struct {
	// found is how many there were; unknown where the system only tells that
	// there were some.
	found int
	// remain is how many could not be ended.
	remain int
}

// unknown is a number of processes, at least one, that the system does not tell.
const unknown = -1

// String says it in words, empty for none.
func (l leftovers) String() string {
	if l.found == 0 {
		return ""
	}
	if l.remain != 0 {
		return fmt.Sprintf("it left %s behind, and %s could not be ended", countProcesses(l.found), countProcesses(l.remain))
	}
	return fmt.Sprintf("it left %s behind, which we ended", countProcesses(l.found))
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

// run runs a process until it ends, or until the context does and it is ended.
// It returns when nothing is left of it. An error means that it did not start.
func run(ctx context.Context, spec spec) (ending, error) {
	if err := ctx.Err(); err != nil {
		return ending{byUs: err, status: -1, how: "not started"}, nil
	}
	mark := runVariable + "=" + rand.Text()
	tree, err := newTree(mark)
	if err != nil {
		return ending{}, err
	}
	defer tree.close()

	// Not CommandContext: ending the tree is more than killing its root.
	cmd := exec.Command(spec.program, spec.args...) //nolint:noctx // the context is watched below
	cmd.Env = append(append(withoutProxy(os.Environ()), spec.env...), mark)
	tree.prepare(cmd)
	stdout, stderr, err := connect(cmd, spec.limit)
	if err != nil {
		return ending{}, err
	}
	started := time.Now()
	err = cmd.Start()
	stdout.handedOver()
	stderr.handedOver()
	if err != nil {
		stdout.end()
		stderr.end()
		return ending{}, fmt.Errorf("start %q: %w", spec.program, err)
	}
	tree.started(cmd)

	exited := make(chan struct{})
	go func() {
		// What went wrong is in ProcessState.
		_ = cmd.Wait()
		close(exited)
	}()
	byUs := await(ctx, exited, tree)
	elapsed := time.Since(started)
	left := tree.endLeftovers()
	ended := ending{
		status: cmd.ProcessState.ExitCode(), how: cmd.ProcessState.String(),
		byUs: byUs, elapsed: elapsed, left: left,
	}
	if byUs != nil && left.remain == 0 {
		// They were asked to end together with their command.
		ended.left = leftovers{}
	}
	ended.stdout, ended.stderr = stdout.end(), stderr.end()
	return ended, nil
}

// await waits for the exit, and after the context's end makes it happen. It
// gives the reason if it did.
func await(ctx context.Context, exited <-chan struct{}, tree *tree) error {
	select {
	case <-exited:
		return nil
	case <-ctx.Done():
	}
	select {
	case <-exited: // just in time
		return nil
	default:
	}
	tree.terminate()
	timer := time.NewTimer(grace)
	defer timer.Stop()
	select {
	case <-exited:
	case <-timer.C:
		tree.kill()
		<-exited
	}
	return ctx.Err()
}

// endLeftovers ends what still runs of the tree.
func (t *tree) endLeftovers() leftovers {
	found := t.alive()
	if found == 0 {
		return leftovers{}
	}
	t.terminate()
	remain := t.awaitGone(grace, func() {})
	if remain != 0 {
		t.kill()
		// Again and again: one that forks may have done so while it was killed.
		remain = t.awaitGone(killed, t.kill)
	}
	return leftovers{found: found, remain: remain}
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

// stream is an output of the process on its way to us.
type stream struct {
	read, write *os.File
	kept        capture
	// done is closed when the output is at its end.
	done chan struct{}
}

// connect gives the command its outputs, and no input.
func connect(cmd *exec.Cmd, limit int) (stdout, stderr *stream, err error) {
	if stdout, err = newStream(limit); err != nil {
		return nil, nil, err
	}
	if stderr, err = newStream(limit); err != nil {
		stdout.handedOver()
		stdout.end()
		return nil, nil, err
	}
	cmd.Stdout, cmd.Stderr = stdout.write, stderr.write
	return stdout, stderr, nil
}

func newStream(limit int) (*stream, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe for the command's output: %w", err)
	}
	s := &stream{read: read, write: write, kept: capture{limit: limit}, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		// It ends at the output's end, or when end closes the pipe: neither is an error.
		_, _ = io.Copy(&s.kept, s.read)
	}()
	return s, nil
}

// handedOver closes our end of what the process writes to, so that the output
// ends with the process.
func (s *stream) handedOver() { _ = s.write.Close() }

// end waits for the output's end and gives what was kept. A process that we
// could not reach may still hold it: then it is cut off.
func (s *stream) end() Excerpt {
	timer := time.NewTimer(killed)
	defer timer.Stop()
	select {
	case <-s.done:
	case <-timer.C:
	}
	_ = s.read.Close()
	<-s.done
	return s.kept.excerpt()
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
