package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// api STATUS METHOD URL [BODY|@FILE [HEADER…]] makes one request, checks the
// answer's status, and has its body for stdout to look at. Status 0 is no answer.
func api(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: api STATUS METHOD URL [BODY|@FILE [HEADER…]]")
	}
	body := ""
	if len(args) > 3 {
		body = args[3]
	}
	if name, is := strings.CutPrefix(body, "@"); is {
		body = ts.ReadFile(name)
	}
	request, err := http.NewRequest(args[1], args[2], strings.NewReader(body))
	ts.Check(err)
	request.Close = true
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range args[min(4, len(args)):] {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
		if name == "Host" {
			request.Host = value
		}
	}
	status, text := 0, []byte{}
	if response, err := http.DefaultClient.Do(request); err == nil {
		defer response.Body.Close()
		status = response.StatusCode
		text, err = io.ReadAll(response.Body)
		ts.Check(err)
	}
	_, err = ts.Stdout().Write(text)
	ts.Check(err)
	if strconv.Itoa(status) != args[0] {
		ts.Fatalf("expected status %s, got %d: %s", args[0], status, text)
	}
}

// upstream is a real server that says where it listens, and answers with the path
// that it is asked for.
func upstream([]string) int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Printf("upstream on http://%s\n", listener.Addr())
	err = http.Serve(listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "upstream saw %s %s", r.Method, r.URL.Path)
	}))
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// background PATTERN COMMAND… starts a command that runs until the script's end,
// beside the one that start starts, and goes on when its output matches the
// pattern. $FOUND is then the pattern's group.
func background(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: background PATTERN COMMAND…")
	}
	s := &started{ended: make(chan error, 1), out: &watch{}}
	s.cmd = exec.Command(lookPath(ts, args[1]), args[2:]...)
	s.cmd.Dir, s.cmd.Env = ts.MkAbs("."), environmentOf(ts)
	s.cmd.Stdout, s.cmd.Stderr = s.out, s.out
	ts.Check(s.cmd.Start())
	ts.Defer(func() {
		_ = s.cmd.Process.Kill()
		<-s.ended
	})
	go func() { s.ended <- s.cmd.Wait() }()
	s.await(ts, args[0])
}

// found FILE PATTERN sets $FOUND to the pattern's group in a file, or in stdout.
func found(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: found (stdout|stderr|FILE) PATTERN")
	}
	groups := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile(args[0]))
	if len(groups) < 2 {
		ts.Fatalf("%s has nothing that matches %q", args[0], args[1])
	}
	ts.Setenv("FOUND", groups[1])
}
