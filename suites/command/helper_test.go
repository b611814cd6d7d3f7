package command

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// helperVariable makes the test binary a command under test.
const helperVariable = "COMMAND_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		os.Exit(help(os.Args[1], os.Args[2:]))
	}
	os.Exit(m.Run())
}

// helpers are what the test binary can be as a command.
var helpers = map[string]func(args []string) int{
	"call":     helpCall,
	"print":    helpPrint,
	"fail":     helpFail,
	"flood":    helpFlood,
	"hang":     helpHang,
	"stubborn": helpStubborn,
	"fork":     helpFork,
	"child":    helpChild,
}

func help(mode string, args []string) int {
	helper, ok := helpers[mode]
	if !ok {
		fmt.Fprintf(os.Stderr, "no helper %q\n", mode)
		return 99
	}
	return helper(args)
}

// helpCall sends one request: URL [METHOD BODYFILE OUTPUT [HEADER…]].
func helpCall(args []string) int {
	method, body := http.MethodGet, []byte(nil)
	if len(args) > 2 {
		method = args[1]
		body, _ = os.ReadFile(args[2])
	}
	request, err := http.NewRequest(method, args[0], bytes.NewReader(body))
	if err != nil {
		return 2
	}
	for _, line := range args[min(len(args), 4):] {
		if name, value, ok := strings.Cut(line, ": "); ok {
			request.Header.Add(name, value)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 7
	}
	content, _ := io.ReadAll(response.Body)
	if len(args) > 3 {
		_ = os.WriteFile(args[3], content, 0o600)
	}
	if response.StatusCode >= http.StatusBadRequest {
		fmt.Fprintf(os.Stderr, "one line before\nthe answer was %d\n", response.StatusCode)
		return 22
	}
	return 0
}

// helpPrint prints its arguments, and its variables that begin with FAULTSRV_ or
// are about proxies.
func helpPrint(args []string) int {
	for _, arg := range args {
		fmt.Printf("arg %s\n", arg)
	}
	for _, variable := range os.Environ() {
		if strings.HasPrefix(variable, "FAULTSRV_") || strings.HasPrefix(strings.ToUpper(variable), "NO_PROXY") {
			fmt.Println(strings.ReplaceAll(variable, "\n", "|"))
		}
	}
	return 0
}

// helpFail ends with a status and a last word: STATUS WORD.
func helpFail(args []string) int {
	fmt.Fprintf(os.Stderr, "warning\n%s\n\n", args[1])
	status, _ := strconv.Atoi(args[0])
	return status
}

// helpFlood prints so many MiB on each output: MIB.
func helpFlood(args []string) int {
	mebibytes, _ := strconv.Atoi(args[0])
	chunk := bytes.Repeat([]byte("0123456789abcdef"), 1<<16)
	fmt.Print("first")
	for range mebibytes {
		_, _ = os.Stdout.Write(chunk)
		_, _ = os.Stderr.Write(chunk)
	}
	fmt.Print("last")
	return 0
}

// helpHang sends a request that tells that it is there, and does not end: URL.
func helpHang(args []string) int {
	if response, err := http.Get(args[0]); err == nil {
		_ = response.Body.Close()
	}
	time.Sleep(time.Minute)
	return 0
}

// helpStubborn is the same, and ignores SIGTERM.
func helpStubborn(args []string) int {
	signal.Ignore(syscall.SIGTERM)
	return helpHang(args)
}

// helpFork leaves children behind and prints their process ids:
// NUMBER plain|stubborn|session.
func helpFork(args []string) int {
	number, _ := strconv.Atoi(args[0])
	for range number {
		child := exec.Command(os.Args[0], "child", args[1])
		child.Stderr = os.Stderr // keeps the output open
		if args[1] == "session" {
			inNewSession(child)
		}
		ready, err := child.StdoutPipe()
		if err != nil || child.Start() != nil {
			return 3
		}
		if _, err := bufio.NewReader(ready).ReadString('\n'); err != nil {
			return 4
		}
		fmt.Println(child.Process.Pid)
	}
	return 0
}

func helpChild(args []string) int {
	if args[0] == "stubborn" {
		signal.Ignore(syscall.SIGTERM)
	}
	fmt.Println("ready")
	time.Sleep(time.Minute)
	return 0
}

// helper is a subject that runs the test binary as a command.
func helper(t *testing.T, options Options, args ...string) *Subject {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// A program with the race detector waits for a second before it exits, for
	// reports of goroutines that still run; a helper has none.
	options.Env = append(options.Env, helperVariable+"=1", "GORACE=atexit_sleep_ms=0")
	subject, err := New(append([]string{program}, args...), options)
	if err != nil {
		t.Fatal(err)
	}
	return subject
}

// policy is three attempts and a constant backoff.
func policy(pause time.Duration) scenarios.Policy {
	attempts := 3
	return scenarios.Policy{Attempts: &attempts, Backoff: &scenarios.Backoff{Constant: &pause}}
}

// call makes one call with a new client, and gives the run if there was one.
func call(ctx context.Context, t *testing.T, subject *Subject, policy scenarios.Policy, request suites.Request) (scenarios.Outcome, *Run) {
	t.Helper()
	var ran *Run
	subject.options.AfterRun = func(run Run) { ran = &run }
	client, err := subject.Open(policy)
	if err != nil {
		t.Fatal(err)
	}
	outcome := client.Do(ctx, request)
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	return outcome, ran
}

// noGoroutine fails the test if one of this package outlives its run. The last
// one closes a channel as the last thing it does, so it is given a moment.
func noGoroutine(t *testing.T) {
	t.Helper()
	deadline := time.Now().Add(2 * time.Second)
	for {
		stacks := make([]byte, 1<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		left := strings.Contains(string(stacks), "process.Start.func") || strings.Contains(string(stacks), "process.newStream.func")
		if !left {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("a goroutine outlived its run:\n%s", stacks)
		}
		runtime.Gosched()
	}
}
