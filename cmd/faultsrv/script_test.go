package main

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expected outputs of the scripts")

// The test binary is the command, and the clients that the scripts judge.
func TestMain(m *testing.M) {
	commands := map[string]func(){"faultsrv": main}
	for name, client := range clients {
		commands[name] = func() { os.Exit(client(os.Args[1:])) }
	}
	testscript.Main(m, commands)
}

// TestScripts runs testdata/script/*.txtar: what each command prints and the
// status it exits with.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":    exits,
			"signaled": signaled,
			"gone":     gone,
			"scrub":    scrub,
		},
		Condition: func(name string) (bool, error) {
			if name == "devfull" {
				_, err := os.Stat("/dev/full")
				return err == nil, nil
			}
			return false, errors.New("unknown condition " + name)
		},
	})
}

// exits STATUS COMMAND… runs a command and checks the status it exits with.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND…")
	}
	checkStatus(ts, args[0], ts.Exec(args[1], args[2:]...))
}

func checkStatus(ts *testscript.TestScript, want string, err error) {
	status := 0
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		status = ended.ExitCode()
	case err != nil:
		ts.Fatalf("run it: %v", err)
	}
	if strconv.Itoa(status) != want {
		ts.Fatalf("expected exit status %s, got %d", want, status)
	}
}

// patience bounds each wait of a script: far above what anything here takes,
// and below the test's own deadline.
const patience = 30 * time.Second

// signaled SIGNAL STATUS PATTERN COMMAND… starts a command, sends it the signal
// once its output matches the pattern, and checks the status it exits with. A
// line of the pattern's form "PATTERN=>COMMAND LINE" runs the command line
// before the signal, with {1} the pattern's first group.
func signaled(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 {
		ts.Fatalf("usage: signaled SIGNAL STATUS PATTERN[=>COMMAND LINE] COMMAND…")
	}
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM}
	pattern, then, _ := strings.Cut(args[2], "=>")
	watched := &watch{pattern: regexp.MustCompile(pattern), seen: make(chan []string, 1)}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(lookPath(ts, args[3]), args[4:]...)
	cmd.Dir = ts.Getenv("WORK")
	cmd.Env = environmentOf(ts)
	cmd.Stdout = tee{watched, &stdout}
	cmd.Stderr = tee{watched, &stderr}
	ts.Check(cmd.Start())
	defer cmd.Process.Kill()

	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	var groups []string
	select {
	case groups = <-watched.seen:
	case err := <-ended:
		ts.Fatalf("it ended (%v) before it printed %q\nstdout:\n%s\nstderr:\n%s", err, pattern, &stdout, &stderr)
	case <-time.After(patience):
		ts.Fatalf("after %v it has not printed %q; it printed %q", patience, pattern, watched.text())
	}
	if then != "" {
		for line := range strings.SplitSeq(then, ";") {
			words := strings.Fields(strings.ReplaceAll(line, "{1}", groups[1]))
			ts.Check(ts.Exec(words[0], words[1:]...))
		}
	}
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	select {
	case err := <-ended:
		ts.Stdout().Write(stdout.Bytes())
		ts.Stderr().Write(stderr.Bytes())
		checkStatus(ts, args[1], err)
	case <-time.After(patience):
		ts.Fatalf("it still runs %v after the signal", patience)
	}
}

// watch tells when what was written matches a pattern.
type watch struct {
	pattern *regexp.Regexp
	seen    chan []string

	mu      sync.Mutex
	written bytes.Buffer
	told    bool
}

func (w *watch) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.written.Write(p)
	if groups := w.pattern.FindStringSubmatch(w.written.String()); groups != nil && !w.told {
		w.told = true
		w.seen <- groups
	}
	return len(p), nil
}

func (w *watch) text() string {
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

// gone FILE checks that no process is left whose id stands in the file, a line
// each.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	pids := strings.Fields(ts.ReadFile(args[0]))
	if len(pids) == 0 {
		ts.Fatalf("%s names no process", args[0])
	}
	for _, text := range pids {
		pid, err := strconv.Atoi(text)
		ts.Check(err)
		if alive(pid) {
			ts.Fatalf("process %d is still there", pid)
		}
	}
}

// alive tells whether a process is there and not merely unburied.
func alive(pid int) bool {
	if runtime.GOOS == "linux" {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if err != nil {
			return false
		}
		_, state, _ := strings.Cut(string(stat), ") ")
		return !strings.HasPrefix(state, "Z")
	}
	process, err := os.FindProcess(pid)
	return err == nil && process.Signal(syscall.Signal(0)) == nil
}

// scrub FILE replaces in a file what differs each time: ports, times, seeds and
// the version.
func scrub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: scrub (stdout|stderr|FILE) TO")
	}
	text := ts.ReadFile(args[0])
	for _, rule := range scrubbed {
		text = rule.pattern.ReplaceAllString(text, rule.with)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[1]), []byte(text), 0o666))
}

var scrubbed = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`127\.0\.0\.1:\d+`), "127.0.0.1:PORT"},
	{regexp.MustCompile(`\b\d+\.\d{3}s\b`), "TIME"},
	{regexp.MustCompile(`\bseed \d+\b`), "seed SEED"},
	{regexp.MustCompile(`\bfaultsrv (\(devel\)|v\d\S*)`), "faultsrv VERSION"},
}

func lookPath(ts *testscript.TestScript, name string) string {
	for _, folder := range filepath.SplitList(ts.Getenv("PATH")) {
		path := filepath.Join(folder, name)
		if runtime.GOOS == "windows" {
			path += ".exe"
		}
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	ts.Fatalf("%s is not on the PATH", name)
	return ""
}

// environmentOf is the script's environment as far as the commands use it.
func environmentOf(ts *testscript.TestScript) []string {
	env := slices.DeleteFunc(os.Environ(), func(entry string) bool { return strings.HasPrefix(entry, "PATH=") })
	for _, name := range []string{"PATH", "HOME", "TMPDIR", "WORK"} {
		env = append(env, name+"="+ts.Getenv(name))
	}
	return env
}
