//go:build unix

package service_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/faultsrv/faultsrv/internal/vacant"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/service"
)

// The test binary is also the services that are started, and the command that
// triggers one.
const (
	modeVariable    = "FAULTSRV_TEST_MODE"
	addressVariable = "FAULTSRV_TEST_ADDRESS"
	stockVariable   = "FAULTSRV_TEST_STOCK"
	pidVariable     = "FAULTSRV_TEST_PID_FILE"
)

func TestMain(m *testing.M) {
	mode := os.Getenv(modeVariable)
	if mode == "" {
		os.Exit(m.Run())
	}
	if file := os.Getenv(pidVariable); file != "" && mode != "trigger" {
		if err := os.WriteFile(file, []byte(strconv.Itoa(os.Getpid())), 0o600); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(map[string]func() int{
		"serve": serveStock, "stubborn": stubborn, "dies": dies, "mute": mute, "crashes": crashes, "trigger": trigger,
	}[mode]())
}

// serveStock asks once for each request.
func serveStock() int { return serveWith(askStock) }

func askStock() error {
	return asks(context.Background(), http.DefaultClient, "PUT", os.Getenv(stockVariable)+"/stock", "", []byte("{}"))
}

func serveWith(ask func() error) int {
	err := http.ListenAndServe(os.Getenv(addressVariable), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ready" {
			return
		}
		answers(w, ask())
	}))
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// stubborn takes no notice of SIGTERM.
func stubborn() int {
	signal.Ignore(syscall.SIGTERM)
	return serveStock()
}

func dies() int {
	for i := range 20 {
		fmt.Fprintf(os.Stderr, "line %d\n", i)
	}
	fmt.Fprintln(os.Stderr, "no database at db:5432")
	return 7
}

// mute never listens.
func mute() int {
	fmt.Println("waiting for the database")
	time.Sleep(time.Hour)
	return 0
}

// crashes ends with the second trigger.
func crashes() int {
	asked := 0
	return serveWith(func() error {
		if asked++; asked == 2 {
			fmt.Fprintln(os.Stderr, "panic: out of tea")
			os.Exit(3)
		}
		return askStock()
	})
}

// trigger is a command that asks the upstream itself.
func trigger() int {
	if err := askStock(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 9
	}
	return 0
}

// started is a service's process: its profile, and its command.
type started struct {
	profile service.Profile
	command string
	pidFile string
	address string
}

// process makes the test binary a service of a mode.
func process(t *testing.T, mode string, lines ...string) started {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	f := fixture{upstream: vacant.Address(t), url: "http://" + vacant.Address(t)}
	s := started{profile: profileOf(t, f, lines...), command: self, pidFile: t.TempDir() + "/pid", address: strings.TrimPrefix(f.url, "http://")}
	for name, value := range map[string]string{
		modeVariable: mode, addressVariable: s.address, stockVariable: "http://" + f.upstream, pidVariable: s.pidFile,
	} {
		t.Setenv(name, value)
	}
	return s
}

// gone checks that the process has ended, and that its port and the upstream's
// are free.
func (s started) gone(t *testing.T) {
	t.Helper()
	text, err := os.ReadFile(s.pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(string(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("process %d is still there: %v", pid, err)
	}
	for _, address := range []string{s.address, s.profile.Upstreams["stock"].Listen} {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Errorf("%s is not free: %v", address, err)
			continue
		}
		listener.Close()
	}
}

func TestAServiceIsStartedAndEnded(t *testing.T) {
	for _, mode := range []string{"serve", "stubborn"} {
		t.Run(mode, func(t *testing.T) {
			s := process(t, mode)
			before := gleak.Goroutines()
			subject, err := service.Start(t.Context(), s.profile, []string{s.command}, service.Options{})
			if err != nil {
				t.Fatal(err)
			}
			results := judge(t, subject, contracts(t, once), suites.Options{})
			expect(t, results, map[string]string{"a.once": "pass"})
			if err := subject.Close(); err != nil {
				t.Error(err)
			}
			s.gone(t)
			// One that has said that it is over may be seen while it returns.
			gomega.NewWithT(t).Eventually(gleak.Goroutines).WithTimeout(time.Second).ShouldNot(gleak.HaveLeaked(before))
		})
	}
}

// The profile's own command runs in the folder of its file, and so does what
// tells the version.
func TestAServiceIsStartedByItsProfile(t *testing.T) {
	s := process(t, "serve", `command: [sh, -c, 'test -f service.yaml && exec "$SHOP"']`,
		`version: {command: [sh, -c, "cat service.yaml; echo shop 1.2.3"], match: "shop ([0-9.]+)"}`)
	t.Setenv("SHOP", s.command)
	subject, err := service.Start(t.Context(), s.profile, nil, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if version := subject.Profile().Version; version != "1.2.3" {
		t.Errorf("version %q; want 1.2.3", version)
	}
	if err := subject.Close(); err != nil {
		t.Error(err)
	}
	s.gone(t)
}

func TestAServiceThatDoesNotComeUp(t *testing.T) {
	for name, test := range map[string]struct {
		mode, ready string
		want        []string
	}{
		"ends":      {"dies", "/ready", []string{"has ended (exit status 7); the last lines of its standard error:", "    line 19\n    no database at db:5432"}},
		"is silent": {"mute", "/ready", []string{"was not ready within 700ms: ", "connection refused", "the last lines of its standard output:\n    waiting for the database"}},
		"says no":   {"serve", "/", []string{"was not ready within 700ms: GET http://", "answers 502, not 2xx"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := process(t, test.mode)
			s.profile.Ready = &service.Ready{URL: "http://" + s.address + test.ready, Timeout: 700 * time.Millisecond}
			if test.mode == "serve" {
				t.Setenv(stockVariable, "http://"+vacant.Address(t)) // nobody is there
			}
			if test.mode == "dies" {
				s.profile.Ready.Timeout = time.Minute
			}
			message := refused(t, s.profile, s.command)
			for _, want := range test.want {
				if !strings.Contains(message, want) {
					t.Errorf("want %q in: %s", want, message)
				}
			}
			if strings.Contains(message, "line 9\n") {
				t.Errorf("want the last lines only, got: %s", message)
			}
			s.gone(t)
		})
	}
}

func TestAServiceThatDiesInTheMiddle(t *testing.T) {
	s := process(t, "crashes")
	subject := start(t, s.profile, s.command)
	results := judge(t, subject, contracts(t, once, [2]string{"a.second", once[1]}), suites.Options{})
	for id, result := range results {
		if result.Verdict != "client-error" || !strings.Contains(result.Reason, "(exit status 3); the last lines of its standard error:\n    panic: out of tea") {
			t.Errorf("%s: %s, %s; want a client-error with its last words", id, result.Verdict, result.Reason)
		}
	}
}

func TestWhoIsThereAlready(t *testing.T) {
	s := process(t, "serve")
	running := start(t, s.profile, s.command)
	if message := refused(t, s.profile); !strings.Contains(message, "upstream stock: listen on 127.0.0.1:") || !strings.Contains(message, "the port is in use; choose another") {
		t.Errorf("an upstream's port that is in use gives: %s", message)
	}
	other := s.profile
	upstream := *other.Upstreams["stock"]
	upstream.Listen = vacant.Address(t)
	other.Upstreams = map[string]*service.Upstream{"stock": &upstream}
	if message := refused(t, other, s.command); !strings.Contains(message, "somebody answers at http://"+s.address) {
		t.Errorf("a service that runs already gives: %s", message)
	}
	_ = running
}

func TestWhatCannotBeStarted(t *testing.T) {
	t.Parallel()
	shop := open(t, goodShop(t))
	nobody := fixture{upstream: shop.upstream, url: "http://" + vacant.Address(t)}
	p := profileOf(t, nobody)
	if message := refused(t, p, "./no-such-program"); !strings.Contains(message, "cannot start the service: ") || !strings.Contains(message, "name a program on the PATH") {
		t.Errorf("got: %s", message)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("got SIGINT"))
	if _, err := service.Start(ctx, p, nil, service.Options{}); err == nil || !strings.Contains(err.Error(), "got SIGINT") {
		t.Errorf("a start that is cut short gives: %v", err)
	}
	p.Ready = &service.Ready{URL: nobody.url, Timeout: 100 * time.Millisecond}
	if message := refused(t, p); !strings.Contains(message, "is it running? A command after -- is started and ended by the run") {
		t.Errorf("got: %s", message)
	}
}

func TestACommandTriggersTheService(t *testing.T) {
	s := process(t, "trigger")
	p := parse(t, fmt.Sprintf(`kind: service
name: batch
upstreams: {stock: {listen: %q}}
trigger: {command: [%q]}
match: {method: PUT}
outcome: {error: {9: exhausted}}
policy: {attempts: 1}
`, s.profile.Upstreams["stock"].Listen, s.command))
	subject := start(t, p)
	results := judge(t, subject, contracts(t, once,
		[2]string{"a.failed", "calls: [{}]\nscript: [{respond: 404}]\nexpect: {attempts: 1, outcome: {error: exhausted}}"}), suites.Options{})
	expect(t, results, map[string]string{"a.once": "pass", "a.failed": "pass"})
	if message := results["a.failed"].Calls[0].Outcome.Error.Message; !strings.Contains(message, "exit status 9: the upstream answered 404 Not Found") {
		t.Errorf("the outcome says %q", message)
	}
}
