//go:build unix

package process

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// patience is far above what it takes to end a process: a grace, and what is
// measured for killed.
const patience = 20 * time.Second

// roles are what the test's own program is when it is started with the name of
// one and an address to report to.
var roles = map[string]func(address string){
	// Those who start a command, and are gone before it.
	"parent": func(address string) {
		startRoot(address)
		select {}
	},
	"crashing parent": func(address string) {
		startRoot(address)
		awaitWord()
		panic("a crash")
	},
	"parent of one without environment": func(address string) {
		env, err := exec.LookPath("env")
		must(err)
		_, err = Start(Spec{Program: env, Args: []string{"-i", os.Args[0], "stubborn", address}})
		must(err)
		select {}
	},
	"parent killed before it could tell": func(address string) {
		must(ours.ready())
		untold := exec.Command(os.Args[0], "root", address)
		untold.Env = []string{RunVariable + "=" + family + "-UNTOLD"}
		untold.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		must(untold.Start())
		select {}
	},
	"parent that ends in order": func(string) {
		_, err := Run(context.Background(), Spec{Program: os.Args[0], Args: []string{"nobody", ""}})
		must(err)
		fmt.Println(family)
		awaitWord()
	},
	// The command, and what that starts.
	"root": func(address string) {
		inGroup := exec.Command(os.Args[0], "stubborn", address)
		inGroup.Env = []string{} // only the group tells whose it is
		must(inGroup.Start())
		if runtime.GOOS == "linux" {
			outside := exec.Command(os.Args[0], "stubborn", address) // only its environment does
			outside.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			must(outside.Start())
		}
		report(address)
	},
	"stubborn": func(address string) {
		signal.Ignore(syscall.SIGTERM)
		report(address)
	},
	"nobody": func(string) {},
}

func TestMain(m *testing.M) {
	if len(os.Args) == 3 && roles[os.Args[1]] != nil {
		roles[os.Args[1]](os.Args[2])
		return
	}
	os.Exit(m.Run())
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func startRoot(address string) {
	_, err := Start(Spec{Program: os.Args[0], Args: []string{"root", address}})
	must(err)
}

// awaitWord waits for a word of the test's, or for its end.
func awaitWord() { os.Stdin.Read(make([]byte, 1)) }

// report tells the test that we run, and stays as long as it listens: nothing
// outlives a test that fails.
func report(address string) {
	test, err := net.Dial("tcp", address)
	must(err)
	fmt.Fprintln(test, os.Getpid())
	test.Read(make([]byte, 1))
}

// relatives are a parent and the processes below it.
type relatives struct {
	parent *exec.Cmd
	word   io.Closer
	below  []net.Conn
}

// rootAndChildren is how many the root is with its children.
func rootAndChildren() int {
	if runtime.GOOS == "linux" {
		return 3
	}
	return 2
}

// gather starts a parent and waits until as many below it have reported.
func gather(t *testing.T, role string, expected int) relatives {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	r := relatives{parent: exec.Command(os.Args[0], role, listener.Addr().String())}
	if r.word, err = r.parent.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.parent.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.parent.Process.Kill(); r.parent.Wait() })
	for len(r.below) < expected {
		listener.SetDeadline(time.Now().Add(patience))
		conn, err := listener.Accept()
		if err != nil {
			t.Fatalf("%d of %d processes have reported: %v", len(r.below), expected, err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.SetDeadline(time.Now().Add(patience))
		if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		r.below = append(r.below, conn)
	}
	return r
}

// end fails the test unless all below the parent end: the system then closes
// their connections.
func (r relatives) end(t *testing.T) {
	t.Helper()
	for i, conn := range r.below {
		conn.SetDeadline(time.Now().Add(patience))
		if _, err := conn.Read(make([]byte, 1)); os.IsTimeout(err) {
			t.Errorf("process %d of %d still runs, %v after its parent has ended", i+1, len(r.below), patience)
		}
	}
}

func TestWhatWeStartedEndsWhenWeAreKilled(t *testing.T) {
	t.Parallel()
	r := gather(t, "parent", rootAndChildren())
	r.parent.Process.Kill()
	r.end(t)
}

func TestACommandIsFoundByItsGroup(t *testing.T) {
	t.Parallel()
	r := gather(t, "parent of one without environment", 1)
	r.parent.Process.Kill()
	r.end(t)
}

func TestWhatWeStartedEndsWhenWeCrash(t *testing.T) {
	t.Parallel()
	r := gather(t, "crashing parent", rootAndChildren())
	r.word.Close()
	r.end(t)
}
