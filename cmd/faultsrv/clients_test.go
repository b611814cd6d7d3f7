package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// clients are the commands that the scripts judge, each with a habit that a
// harness has to survive. Each gets the URL as its first argument.
var clients = map[string]func(args []string) int{
	"get-once":      getOnce,
	"get-status":    getStatus,
	"get-all":       getAll,
	"get-and-print": getAndPrint,
	"get-and-hang":  getAndHang,
	"get-and-wait":  getAndWait,
	"hang":          hang,
	"stubborn":      stubborn,
	"impatient":     impatient,
	"forker":        forker,
	"sleeper":       sleeper,
	"clan":          clan,
	"shop":          shop,
	"upstream":      upstream,
	"forward":       forward,
	"free-address":  freeAddress,
}

// getOnce makes one request and says by its status whether it succeeded.
func getOnce(args []string) int {
	resp, err := http.Get(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, resp.Status, err)
		return 1
	}
	return 0
}

// getStatus makes one request and tells the status: URL [careless]. Careless is
// not to mind a body that is cut. Without a URL it tells its version.
func getStatus(args []string) int {
	if len(args) == 0 {
		fmt.Println("get-status, version 4.2")
		return 0
	}
	resp, err := http.Get(args[0])
	if err != nil {
		return 7
	}
	defer resp.Body.Close()
	fmt.Println("status", resp.StatusCode)
	if _, err := io.Copy(io.Discard, resp.Body); err != nil && len(args) == 1 {
		return 1
	}
	if resp.StatusCode >= http.StatusBadRequest {
		return 22
	}
	return 0
}

// getAll makes as many requests as its first argument says, each on a
// connection of its own, whatever becomes of them.
func getAll(args []string) int {
	n, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for range n {
		if resp, err := client.Get(args[1]); err == nil {
			resp.Body.Close()
		}
	}
	return 0
}

// getAndPrint floods both its outputs, 256 MiB in all, and then makes one
// request.
func getAndPrint(args []string) int {
	block := []byte(strings.Repeat("0123456789abcde\n", 1<<12))
	for range 128 << 20 / len(block) {
		os.Stdout.Write(block)
		os.Stderr.Write(block)
	}
	return getOnce(args)
}

// getAndHang makes one request and hangs where the path asks for it; it then
// writes its process id to the file of its second argument.
func getAndHang(args []string) int {
	status := getOnce(args)
	if strings.HasSuffix(args[0], "/hang") {
		note(args[1], os.Getpid())
		return hang(args)
	}
	return status
}

// getAndWait waits until the file of its second argument is there, and then makes
// one request.
func getAndWait(args []string) int {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if _, err := os.Stat(args[1]); err == nil {
			break
		}
	}
	return getOnce(args)
}

// hang never ends by itself.
func hang([]string) int {
	time.Sleep(time.Hour)
	return 0
}

// stubborn makes one request, writes its process id to the file of its second
// argument, and takes no notice of SIGTERM and SIGINT.
func stubborn(args []string) int {
	signal.Ignore(syscall.SIGTERM, os.Interrupt)
	note(args[1], os.Getpid())
	getOnce(args)
	return hang(args)
}

// impatient is stubborn, and when it is asked to end it sends SIGINT to who asked:
// so that comes while it is being ended, however busy the test is.
func impatient(args []string) int {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	signal.Ignore(os.Interrupt)
	parent, err := os.FindProcess(os.Getppid())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	note(args[1], os.Getpid())
	go getOnce(args)
	<-asked
	if err := parent.Signal(os.Interrupt); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return hang(args)
}

// forker makes one request and leaves two processes behind, whose ids it
// writes to the file of its second argument.
func forker(args []string) int {
	for range 2 {
		child := exec.Command("sleeper")
		if err := child.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		note(args[1], child.Process.Pid)
	}
	return getOnce(args)
}

// sleeper is what forker leaves behind.
func sleeper(args []string) int { return hang(args) }

// clan is a driver that says nothing, or a service that is never ready: it
// starts a process and hangs. Once both run, their ids are in the file that its
// last argument names; neither takes notice of SIGTERM.
func clan(args []string) int {
	signal.Ignore(syscall.SIGTERM)
	child := exec.Command("sleeper")
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	note(args[len(args)-1], os.Getpid(), child.Process.Pid)
	return hang(args)
}

// note adds process ids to a file.
func note(file string, pids ...int) {
	f, err := os.OpenFile(file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err == nil {
		_, err = fmt.Fprintln(f, strings.Trim(fmt.Sprint(pids), "[]"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	f.Close()
}
