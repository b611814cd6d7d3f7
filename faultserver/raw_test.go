package faultserver_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// spinVariable makes the test binary a process that only keeps a core busy.
const spinVariable = "FAULTSERVER_TEST_SPIN"

func TestMain(m *testing.M) {
	if os.Getenv(spinVariable) != "" {
		spin()
		return
	}
	os.Exit(m.Run())
}

// spin keeps a core busy until its standard input ends, a minute at most.
func spin() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		runtime.Gosched()
	}
}

// keepBusy has one other process for each core compete for it until the test
// ends.
func keepBusy(t *testing.T) {
	t.Helper()
	for range runtime.NumCPU() {
		command := exec.Command(os.Args[0])
		command.Env = append(os.Environ(), spinVariable+"=1", "GOMAXPROCS=2")
		input, err := command.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			_ = input.Close()
			_ = command.Wait()
		})
	}
}

// A peer is the other end of a connection: a client that does nothing by
// itself.
type peer struct {
	net.Conn
	reader *bufio.Reader
	// refused is why not all could be said.
	refused error
}

// dial connects to a server's URL.
func dial(t testing.TB, url string) *peer {
	t.Helper()
	p, err := connect(url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = p.Close() })
	return p
}

func connect(url string) (*peer, error) {
	address, _, _ := strings.Cut(strings.TrimPrefix(url, "http://"), "/")
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
	return &peer{Conn: conn, reader: bufio.NewReader(conn)}, nil
}

// say writes what a client says, as it is.
func (p *peer) say(text string) {
	_, p.refused = io.WriteString(p, text)
}

// hear reads to the connection's end, and returns what came and how it ended:
// "fin", "rst", or the error.
func (p *peer) hear() (string, string) {
	content, err := io.ReadAll(p.reader)
	return string(content), p.ending(err)
}

// ending tells how a connection ended by the error of reading it to its end. A
// reset is reported once: to a write, if that was first.
func (p *peer) ending(err error) string {
	switch {
	case errors.Is(err, syscall.ECONNRESET), errors.Is(p.refused, syscall.ECONNRESET), errors.Is(p.refused, syscall.EPIPE):
		return "rst"
	case err == nil:
		return "fin"
	}
	return err.Error()
}

// hearBody is hear without the answer's head.
func (p *peer) hearBody() (string, string) {
	content, end := p.hear()
	_, body, found := strings.Cut(content, "\r\n\r\n")
	if !found {
		return "no head: " + content, end
	}
	return body, end
}

// get is a request for a path, without a body.
func get(path string) string {
	return "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n"
}

// put is a request with a body and its length.
func put(body string) string {
	return fmt.Sprintf("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

// open starts a session and closes it at the test's end.
func open(t testing.TB, cfg faultserver.Config) *faultserver.Session {
	t.Helper()
	s, err := faultserver.Open(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// script reads a one-line script that is known to be right.
func script(line string) []faultserver.Step {
	steps, err := faultserver.ParseScript(line)
	if err != nil {
		panic(err)
	}
	return steps
}

// many runs a trial n times, some side by side, and fails the test with the
// first complaints.
func many(t *testing.T, n, parallel int, trial func(i int) error) {
	t.Helper()
	numbers := make(chan int)
	var mu sync.Mutex
	var complaints []error
	var workers sync.WaitGroup
	for range parallel {
		workers.Go(func() {
			for i := range numbers {
				if err := trial(i); err != nil {
					mu.Lock()
					complaints = append(complaints, fmt.Errorf("run %d: %w", i, err))
					mu.Unlock()
				}
			}
		})
	}
	for i := range n {
		numbers <- i
	}
	close(numbers)
	workers.Wait()
	if len(complaints) > 0 {
		t.Errorf("%d of %d went wrong: %v", len(complaints), n, errors.Join(complaints[:min(5, len(complaints))]...))
	}
}

// eventually waits until a journal satisfies a condition, and returns it. It
// fails the test when that takes longer than 10 s.
func eventually(t testing.TB, s *faultserver.Session, what string, holds func(faultserver.Journal) bool) faultserver.Journal {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); ; {
		journal := s.Journal()
		if holds(journal) {
			return journal
		}
		if time.Now().After(end) {
			t.Fatalf("the journal does not come to say: %s\n%+v", what, journal)
		}
		time.Sleep(time.Millisecond)
	}
}
