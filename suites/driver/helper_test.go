package driver

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/suites"
)

// helperVariable makes the test binary a driver.
const helperVariable = "DRIVER_TEST_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(helperVariable) != "" {
		os.Exit(help(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// help is a driver that is right, but for the habits that its arguments name.
func help(args []string) int {
	h := &helper{habits: args, clients: map[int64]*helperClient{}, cancels: map[int64]context.CancelFunc{}}
	switch {
	case h.has("transcript"):
		return playTranscript(os.Stdin, os.Stdout)
	case h.has("silent"):
		time.Sleep(time.Minute)
	case h.has("stubborn"):
		signal.Ignore(syscall.SIGTERM)
	case h.has("early"):
		h.send(map[string]any{"type": "opened", "client": 1})
	case h.has("floods"):
		fmt.Print(strings.Repeat("0123456789abcdef", MaxLine/8))
		time.Sleep(time.Minute)
	case h.has("floods-stderr"):
		for range 64 {
			fmt.Fprint(os.Stderr, strings.Repeat("warning: something\n", 1<<20/19))
		}
		fmt.Fprintln(os.Stderr, "the last warning")
	case h.has("says-its-last"):
		fmt.Fprintln(os.Stderr, "no module named undici")
		return 3
	}
	h.hello()
	return h.listen()
}

type helper struct {
	habits  []string
	sending sync.Mutex
	serial  sync.Mutex
	opened  int
	clients map[int64]*helperClient
	calls   sync.Mutex
	cancels map[int64]context.CancelFunc
}

func (h *helper) has(habit string) bool { return slices.Contains(h.habits, habit) }

func (h *helper) send(messages ...any) {
	h.sending.Lock()
	defer h.sending.Unlock()
	for _, message := range messages {
		line, err := json.Marshal(message)
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", line)
	}
}

// all are the capabilities of the helper.
var all = []string{
	"retry", "attempts", "backoff", "timeout", "attempt-timeout", "method", "headers", "request-body", "streamed-body",
	"cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls",
}

func (h *helper) hello() {
	hello := map[string]any{
		"type": "hello", "protocol": 1, "capabilities": all, "later": []string{"to", "be", "ignored"},
		"client": map[string]string{"name": "helper", "version": "1.2", "language": "Go"},
	}
	if count := os.Getenv("DRIVER_TEST_COUNT"); count != "" { // a line a start
		file, _ := os.OpenFile(count, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		fmt.Fprintln(file, os.Getpid())
		if h.has("changes") && started() > 1 {
			hello["client"] = map[string]string{"name": "another"}
		}
	}
	switch {
	case h.has("bad-hello"):
		hello["protocol"], hello["capabilities"], hello["max_parallel"] = 7, []string{"retries", "parallel"}, 1
		hello["client"] = map[string]string{"version": "1\x1b[2J"}
		hello["promises"] = map[string]any{"attempts": 0, "backoff": map[string]any{"kind": "random", "base_ms": -1, "jitter": "some"}}
	case h.has("one-at-a-time"):
		hello["max_parallel"] = 1
		hello["capabilities"] = slices.DeleteFunc(slices.Clone(all), func(c string) bool { return c == "parallel" })
	case h.has("cannot-cancel"):
		hello["capabilities"] = slices.DeleteFunc(slices.Clone(all), func(c string) bool { return c == "cancel" })
	case h.has("makes-keys"):
		hello["capabilities"] = append(slices.Clone(all), "idempotency-key")
	case h.has("promises"):
		hello["promises"] = map[string]any{"attempts": 5, "backoff": map[string]any{"kind": "exponential", "base_ms": 0.5, "jitter": "full"}}
	}
	h.send(hello)
	if h.has("greets-twice") {
		h.send(hello)
	}
}

func (h *helper) listen() int {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			break
		}
		var message struct {
			Type   string
			Seq    int64
			Client int64
			Policy wirePolicy
			CAFile string `json:"ca_file"`
		}
		_ = json.Unmarshal(line, &message)
		switch message.Type {
		case typeOpen:
			h.open(message.Client, message.Policy, message.CAFile)
		case typeClose:
			if !h.has("never-closes") {
				h.clients[message.Client].transport.CloseIdleConnections()
				h.send(map[string]any{"type": "closed", "client": message.Client})
			}
		case typeCancel:
			if !h.has("ignores-cancel") {
				h.calls.Lock()
				if cancel := h.cancels[message.Seq]; cancel != nil {
					cancel()
				}
				h.calls.Unlock()
			}
		case typeRun:
			if status := h.run(line); status >= 0 {
				return status
			}
		}
	}
	switch {
	case h.has("runs-on"):
		time.Sleep(time.Minute)
	case h.has("ends-with-3"):
		return 3
	}
	return 0
}

func (h *helper) open(number int64, policy wirePolicy, caFile string) {
	answer := map[string]any{"type": "opened", "client": number}
	switch {
	case h.has("refuses-jitter") && policy.Backoff.Jitter != "none", h.has("refuses-all"):
		answer["unsupported"] = "no jitter"
	case h.has("cannot-open"):
		answer["error"] = "no sockets"
	}
	if h.has("forgets-opened") {
		return
	}
	h.opened++
	if h.opened == 1 || !h.has("shares-a-pool") {
		h.clients[number] = h.newClient(policy, caFile)
	} else {
		h.clients[number] = h.clients[1]
	}
	h.send(answer)
}

// run starts a call; a status of 0 or more ends the driver in its middle.
func (h *helper) run(line []byte) int {
	var message runMessage
	_ = json.Unmarshal(line, &message)
	switch {
	case h.has("dies"), h.has("dies-once") && os.Getenv("DRIVER_TEST_COUNT") != "" && started() == 1:
		fmt.Fprintln(os.Stderr, "segmentation fault")
		return 9
	case h.has("prints"):
		fmt.Println("INFO sending a request")
	case h.has("cuts-a-line"):
		fmt.Print(`{"type":"res`)
		return 0
	case h.has("answers-others"):
		h.send(map[string]any{"type": "result", "seq": 99, "outcome": "response"})
	case h.has("asks"):
		h.send(map[string]any{"type": "results", "seq": message.Seq})
	case h.has("stalls"):
		return -1
	case h.has("wrong-type"):
		h.send(map[string]any{"type": "result", "seq": message.Seq, "outcome": "response", "status": "200"})
	}
	ctx, cancel := context.WithCancel(context.Background())
	h.calls.Lock()
	h.cancels[message.Seq] = cancel
	h.calls.Unlock()
	client := h.clients[message.Client]
	call := func() {
		if h.has("one-at-a-time") || h.has("serialises") {
			h.serial.Lock()
			defer h.serial.Unlock()
		}
		got := client.call(ctx, h, message)
		got["type"], got["seq"] = "result", message.Seq
		results := []any{got}
		if h.has("repeats") {
			results = append(results, got)
		}
		h.send(results...) // and nothing between them
	}
	if h.has("one-at-a-time") && !h.has("hangs") {
		call()
	} else {
		go call()
	}
	return -1
}

// started is how often the driver was started.
func started() int {
	content, _ := os.ReadFile(os.Getenv("DRIVER_TEST_COUNT"))
	return bytes.Count(content, []byte("\n"))
}

type helperClient struct {
	transport *http.Transport
	policy    wirePolicy
}

func (h *helper) newClient(policy wirePolicy, caFile string) *helperClient {
	c := &helperClient{transport: &http.Transport{DisableCompression: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}, policy: policy}
	trusted, _ := os.ReadFile(caFile)
	c.transport.TLSClientConfig.InsecureSkipVerify = h.has("trusts-all")
	if !h.has("trusts-nobody") {
		c.transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		c.transport.TLSClientConfig.RootCAs.AppendCertsFromPEM(trusted)
	}
	if t := policy.Timeouts; t != nil && !h.has("ignores-attempt-timeout") {
		c.transport.ResponseHeaderTimeout = t.AttemptMS.duration()
	}
	return c
}

// call makes attempts until one is no 503.
func (c *helperClient) call(ctx context.Context, h *helper, m runMessage) map[string]any {
	if m.DeadlineMS > 0 && !h.has("ignores-deadline") {
		deadline := m.DeadlineMS
		if h.has("in-nanoseconds") {
			deadline /= 1e6
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, deadline.duration())
		defer cancel()
	}
	if h.has("hangs") && strings.HasSuffix(m.URL, "/hang") {
		time.Sleep(time.Minute)
	}
	attempts := *c.policy.Attempts
	switch {
	case h.has("counts-retries"):
		attempts++
	case h.has("ignores-attempts"):
		attempts = 2
	case h.has("never-retries"):
		attempts = 1
	}
	for n := 1; ; n++ {
		response, err := c.attempt(ctx, h, m)
		if err != nil && kindOf(err, h) == "reset" && h.has("retries-the-lost") && n < attempts {
			continue
		}
		if err != nil {
			return map[string]any{"outcome": "error", "error": map[string]any{"kind": kindOf(err, h), "message": err.Error()}}
		}
		if response.StatusCode == 503 && n < attempts && !h.has("retries-the-lost") {
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
			if !h.has("ignores-backoff") {
				time.Sleep(c.policy.Backoff.BaseMS.duration())
			}
			continue
		}
		return h.told(response, n)
	}
}

func (c *helperClient) attempt(ctx context.Context, h *helper, m runMessage) (*http.Response, error) {
	method := m.Method
	if h.has("gets") {
		method = "GET"
	}
	request, err := http.NewRequestWithContext(ctx, method, m.URL, nil)
	if err != nil {
		return nil, err
	}
	for _, header := range m.Headers {
		if !h.has("drops-headers") {
			request.Header.Add(header[0], header[1])
		}
	}
	if m.Body != nil && !h.has("drops-bodies") {
		if request.Body, err = h.body(m); err != nil {
			return nil, err
		}
		request.ContentLength = m.Body.Length
	}
	return c.transport.RoundTrip(request)
}

// body is the body of a call: the file, or its bytes.
func (h *helper) body(m runMessage) (io.ReadCloser, error) {
	if h.has("reads-twice") { // to hash it first, say
		if _, err := os.ReadFile(m.Body.File); err != nil {
			return nil, err
		}
	}
	file, err := os.Open(m.Body.File)
	if err != nil {
		return nil, err
	}
	if h.has("rewinds") {
		if _, err = file.Seek(0, io.SeekStart); err != nil {
			return nil, errors.Join(err, file.Close())
		}
	}
	if m.Body.Stream && !h.has("buffers") {
		return file, nil
	}
	content, err := io.ReadAll(file)
	_ = file.Close()
	return io.NopCloser(bytes.NewReader(content)), err
}

func (h *helper) told(response *http.Response, attempts int) map[string]any {
	hash := sha256.New()
	length, err := io.Copy(hash, response.Body)
	_ = response.Body.Close()
	got := map[string]any{
		"outcome": "response", "status": response.StatusCode, "attempts": attempts, "elapsed_ms": 1.5,
		"headers": [][]string{{"Content-Length", "1"}}, "body_length": length, "body_sha256": hex.EncodeToString(hash.Sum(nil)),
	}
	switch {
	case err != nil:
		got["outcome"], got["error"] = "error", map[string]any{"kind": "truncated", "message": err.Error()}
	case h.has("wrong-hash"):
		got["body_sha256"] = strings.Repeat("0", 64)
	case h.has("no-hash"):
		delete(got, "body_sha256")
	case h.has("always-200"):
		got["status"] = 200
	case h.has("one-attempt"):
		got["attempts"] = 1
	case h.has("own-words"):
		got["outcome"], got["status"], got["headers"], got["body_length"], got["attempts"], got["elapsed_ms"] = "ok", 7, [][]string{{"a"}}, -1, -1, 1e12
		got["body_sha256"] = "ABC"
	case h.has("own-kinds"):
		got["outcome"], got["error"] = "error", map[string]any{"kind": "time-out", "chain": []string{"oops"}, "last_status": 9}
	case h.has("error-without"):
		got["outcome"] = "error"
	case h.has("supports-nothing"):
		got["outcome"], got["reason"] = "unsupported", "no HTTP"
	}
	return got
}

func kindOf(err error, h *helper) string {
	var op *net.OpError
	var timeout net.Error
	switch {
	case h.has("one-kind"):
		return "other"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.As(err, &op) && op.Op == "dial":
		return "connect"
	default:
		return "reset"
	}
}

// command is the test binary as a driver with habits.
func command(t testing.TB, habits ...string) []string {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return append([]string{program}, habits...)
}

// asHelper are options for the test binary as a driver. With the race detector a
// program waits for a second before it exits, for reports of goroutines that
// still run; a helper may leave them.
func asHelper(options Options) Options {
	options.Env = append(options.Env, helperVariable+"=1", "GORACE=atexit_sleep_ms=0")
	return options
}

// start starts a driver with habits, and closes it when the test ends.
func start(t testing.TB, options Options, habits ...string) *Subject {
	t.Helper()
	subject, err := New(t.Context(), command(t, habits...), asHelper(options))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := subject.Close(); err != nil {
			t.Error(err)
		}
	})
	return subject
}

// open opens a client with a plain policy.
func open(t testing.TB, subject *Subject) suites.Client {
	t.Helper()
	opened, err := subject.Open(plainPolicy(2, "PUT"))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}
