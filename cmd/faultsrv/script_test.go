package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
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
	testscript.Main(heedingSignals{m}, commands)
}

// heedingSignals are tests whose commands are ended by signals. Whoever runs the
// tests may ignore SIGHUP, as nohup does, or SIGINT, as a shell does that runs them
// in the background; a command inherits that, unless the signal is caught here. It
// is looked at before any test: once a signal was caught and let go, Go says that it
// is not ignored, and ignores it.
type heedingSignals struct{ tests *testing.M }

func (h heedingSignals) Run() int {
	for _, ignored := range []os.Signal{syscall.SIGHUP, os.Interrupt} {
		if signal.Ignored(ignored) {
			signal.Notify(make(chan os.Signal, 1), ignored)
		}
	}
	return h.tests.Run()
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
		// For a command that should have ended, and serves. All scripts share
		// it: with the race detector on 2 cores they took 112 s.
		Deadline: time.Now().Add(16 * patience),
		Setup: func(env *testscript.Env) error {
			env.Values[startedKey{}] = &started{}
			// Where the commands of the scripts are, and nothing else is.
			bin, _, _ := strings.Cut(env.Getenv("PATH"), string(os.PathListSeparator))
			env.Setenv("BIN", bin)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":      exits,
			"start":      start,
			"api":        api,
			"background": background,
			"found":      found,
			"leave":      leave,
			"end":        end,
			"appears":    appears,
			"gone":       gone,
			"vanish":     vanish,
			"scrub":      scrub,
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

// gone FILE checks that no process is left whose id stands in the file, a line
// each.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	for _, pid := range pids(ts, args[0]) {
		if alive(pid) {
			ts.Fatalf("process %d is still there", pid)
		}
	}
}

// vanish FILE waits until no process is left whose id stands in the file, a line
// each.
func vanish(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: vanish FILE")
	}
	left := pids(ts, args[0])
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if left = slices.DeleteFunc(left, func(pid int) bool { return !alive(pid) }); len(left) == 0 {
			return
		}
	}
	for _, pid := range left {
		process, err := os.FindProcess(pid)
		ts.Check(err)
		_ = process.Kill() // it is not to stay for the next test
	}
	ts.Fatalf("after %v the processes %v are still there", patience, left)
}

func pids(ts *testscript.TestScript, file string) []int {
	var ids []int
	for line := range strings.FieldsSeq(ts.ReadFile(file)) {
		pid, err := strconv.Atoi(line)
		ts.Check(err)
		ids = append(ids, pid)
	}
	if len(ids) == 0 {
		ts.Fatalf("%s names no process", file)
	}
	return ids
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

// scrub FILE TO copies a file without what differs each time: ports, times and
// seeds.
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
}
