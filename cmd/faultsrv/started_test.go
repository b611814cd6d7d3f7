package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// patience bounds each wait of a script: far above what anything here takes,
// and below the test's own deadline.
const patience = 30 * time.Second

// started is the command that a script has started and not yet ended.
type started struct {
	cmd            *exec.Cmd
	out            *watch
	reading        io.ReadCloser // our end of its output
	stdout, stderr bytes.Buffer
	ended          chan error
}

type startedKey struct{}

// start PATTERN COMMAND… starts a command and goes on when its output matches
// the pattern. $FOUND is then the pattern's group.
func start(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start PATTERN COMMAND…")
	}
	s := ts.Value(startedKey{}).(*started)
	if s.cmd != nil {
		ts.Fatalf("end what was started before")
	}
	*s = started{ended: make(chan error, 1), out: &watch{}}
	s.cmd = exec.Command(lookPath(ts, args[1]), args[2:]...)
	s.cmd.Dir = ts.MkAbs(".")
	s.cmd.Env = environmentOf(ts)
	s.cmd.Stderr = tee{s.out, &s.stderr}
	var err error
	s.reading, err = s.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(s.cmd.Start())
	process := s.cmd.Process
	ts.Defer(func() { _ = process.Kill() }) // for a script that fails
	go func() {
		_, _ = io.Copy(tee{s.out, &s.stdout}, s.reading) // until it has ended, or leave
		s.ended <- s.cmd.Wait()
	}()

	s.await(ts, args[0])
}

// await goes on when the output matches the pattern, and sets $FOUND.
func (s *started) await(ts *testscript.TestScript, pattern string) {
	found := s.out.expect(regexp.MustCompile(pattern))
	select {
	case groups := <-found:
		ts.Setenv("FOUND", groups[len(groups)-1])
	case err := <-s.ended:
		s.ended <- err // for `end`
		select {
		case groups := <-found: // it was the last that it printed
			ts.Setenv("FOUND", groups[len(groups)-1])
		default:
			ts.Fatalf("it ended (%v) before it printed %q; it printed:\n%s", err, pattern, s.out)
		}
	case <-time.After(patience):
		ts.Fatalf("in %v it has not printed %q; it printed:\n%s", patience, pattern, s.out)
	}
}

// leave reads no more of what was started.
func leave(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(startedKey{}).(*started)
	if neg || len(args) != 0 || s.cmd == nil {
		ts.Fatalf("usage, after start: leave")
	}
	ts.Check(s.reading.Close())
}

// end SIGNAL STATUS ends what was started by a signal, INT, TERM, HUP or KILL; with - it
// has to end by itself. It checks the exit status, and the outputs are those
// that stdout and stderr then look at.
func end(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP, "KILL": os.Kill, "-": nil}
	s := ts.Value(startedKey{}).(*started)
	if neg || len(args) != 2 || s.cmd == nil {
		ts.Fatalf("usage, after start: end SIGNAL STATUS")
	}
	signal, known := signals[args[0]]
	if !known {
		ts.Fatalf("expected INT, TERM, HUP, KILL or -, got %q", args[0])
	}
	if signal != nil {
		ts.Check(s.cmd.Process.Signal(signal))
	}
	select {
	case err := <-s.ended:
		s.cmd = nil
		ts.Stdout().Write(s.stdout.Bytes())
		ts.Stderr().Write(s.stderr.Bytes())
		checkStatus(ts, args[1], err)
	case <-time.After(patience):
		ts.Fatalf("it still runs after %v", patience)
	}
}

// appears FILE waits until a file is there and not empty.
func appears(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: appears FILE")
	}
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() > 0 {
			return
		}
	}
	ts.Fatalf("in %v %s has not appeared", patience, args[0])
}

// watch tells when what was written matches a pattern.
type watch struct {
	mu      sync.Mutex
	written bytes.Buffer
	pattern *regexp.Regexp // nil when nobody waits
	found   chan []string
}

// expect gives the pattern's groups when the whole output matches it.
func (w *watch) expect(pattern *regexp.Regexp) <-chan []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pattern, w.found = pattern, make(chan []string, 1)
	w.look()
	return w.found
}

func (w *watch) look() {
	if w.pattern == nil {
		return
	}
	if groups := w.pattern.FindStringSubmatch(w.written.String()); groups != nil {
		w.pattern = nil
		w.found <- groups
	}
}

func (w *watch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written.Write(p)
	w.look()
	return len(p), nil
}

func (w *watch) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.written.String()
}

// tee writes to the watch and to a buffer that nobody else writes to.
type tee struct {
	watch  *watch
	buffer *bytes.Buffer
}

func (t tee) Write(p []byte) (int, error) {
	t.buffer.Write(p)
	return t.watch.Write(p)
}

func lookPath(ts *testscript.TestScript, name string) string {
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	for _, folder := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(folder, name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	ts.Fatalf("%s is not on the script's PATH", name)
	return ""
}

// environmentOf is this process's environment with what a script changes of it.
func environmentOf(ts *testscript.TestScript) []string {
	changed := []string{"PATH", "HOME", "TMPDIR", "WORK", tokenVariable}
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(changed, name)
	})
	for _, name := range changed {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}
