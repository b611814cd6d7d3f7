package kit_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

// plain is net/http as a library under test: without retries, it has all else
// that a driver needs.
type plain struct{ *http.Client }

func (c plain) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	if _, ok := call.Stream.(io.Seeker); ok {
		return kit.Answer{}, errRewindable
	}
	request, err := call.Request(ctx)
	if err != nil {
		return kit.Answer{}, err
	}
	return kit.FromResponse(c.Client.Do(request))
}

func (c plain) Close() { c.CloseIdleConnections() }

// errRewindable is of a stream that has a way back.
var errRewindable = errors.New("the stream can be rewound")

// errBroken is of a client that cannot be opened.
var errBroken = errors.New("out of sockets")

func open(setup kit.Setup) (kit.Client, error) {
	switch setup.Policy.Backoff.Kind {
	case "linear":
		return nil, setup.Policy.Backoff.Unsupported()
	case "broken":
		return nil, errBroken
	}
	transport, err := setup.Transport()
	return plain{&http.Client{Transport: transport}}, err
}

// conversation is with a driver, as faultsrv has it.
type conversation struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	ended chan error

	version, language string // as the client says
}

// talk starts a driver, and hears its hello.
func talk(t *testing.T) conversation {
	t.Helper()
	return talkTo(t, kit.Library{Name: "plain", Capabilities: kit.Capabilities("streamed-body"), Open: open})
}

// talkTo starts the driver of a library that is called plain, and hears its hello.
func talkTo(t *testing.T, library kit.Library) conversation {
	t.Helper()
	in, toDriver := io.Pipe()
	fromDriver, out := io.Pipe()
	c := conversation{t: t, in: toDriver, lines: bufio.NewScanner(fromDriver), ended: make(chan error, 1)}
	go func() {
		c.ended <- kit.Run(library, in, out)
		out.Close()
	}()
	t.Cleanup(func() { toDriver.Close() })
	hello := c.hear("hello")
	client, ok := hello["client"].(map[string]any)
	if !ok || client["name"] != "plain" || hello["protocol"] != 1.0 {
		t.Fatalf("got the hello %v, want protocol 1 and the client plain", hello)
	}
	c.version, _ = client["version"].(string)
	c.language, _ = client["language"].(string)
	return c
}

func (c conversation) say(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// hear waits for a message, which has to be of the type.
func (c conversation) hear(kind string) map[string]any {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("the driver ended, want a message of type %s: %v", kind, c.lines.Err())
	}
	var message map[string]any
	if err := json.Unmarshal(c.lines.Bytes(), &message); err != nil {
		c.t.Fatal(err)
	}
	if message["type"] != kind {
		c.t.Fatalf("got %v, want a message of type %s", message, kind)
	}
	return message
}

// ask says run, and waits for the result.
func (c conversation) ask(run map[string]any) map[string]any {
	c.t.Helper()
	run["type"], run["client"] = "run", 1
	line, err := json.Marshal(run)
	if err != nil {
		c.t.Fatal(err)
	}
	c.say(string(line))
	return c.hear("result")
}

func TestACallIsMadeAsItIsAskedFor(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(context.Background())
		body, _ = io.ReadAll(r.Body)
		w.WriteHeader(http.StatusCreated)
		io.WriteString(w, "ok")
	}))
	defer server.Close()
	file := filepath.Join(t.TempDir(), "body")
	if err := os.WriteFile(file, []byte("an order"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, stream := range []bool{false, true} {
		c := talk(t)
		c.say(`{"type": "open", "client": 1, "policy": {"attempts": 1}, "of a later version": 1}`)
		c.hear("opened")
		c.say(`{"type": "of a later version"}`)
		result := c.ask(map[string]any{
			"seq": 7, "url": server.URL + "/orders?x=1", "method": "PUT",
			"headers": [][2]string{{"X-Twice", "1"}, {"X-Twice", "2"}},
			"body":    map[string]any{"file": file, "length": 8, "stream": stream},
		})
		if got.Method != "PUT" || got.URL.String() != "/orders?x=1" || string(body) != "an order" {
			t.Errorf("stream %v: the server got %s %s with %q", stream, got.Method, got.URL, body)
		}
		if values := got.Header["X-Twice"]; !slices.Equal(values, []string{"1", "2"}) {
			t.Errorf("stream %v: the server got X-Twice %q", stream, values)
		}
		if chunked := got.ContentLength == -1; chunked != stream {
			t.Errorf("stream %v: the body came with length %d", stream, got.ContentLength)
		}
		if result["seq"] != 7.0 || result["outcome"] != "response" || result["status"] != 201.0 || result["body_length"] != 2.0 ||
			result["body_sha256"] != "2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df" { // of ok
			t.Errorf("stream %v: got the result %v", stream, result)
		}
		c.say(`{"type": "close", "client": 1}`)
		c.hear("closed")
	}
}

func TestACallEndsWithItsCaller(t *testing.T) {
	arrived := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		<-r.Context().Done()
	}))
	defer server.Close()
	c := talk(t)
	c.say(`{"type": "open", "client": 1, "policy": {}}`)
	c.hear("opened")
	c.say(`{"type": "run", "seq": 1, "client": 1, "method": "GET", "headers": [], "url": "` + server.URL + `"}`)
	<-arrived
	c.say(`{"type": "cancel", "seq": 1}`)
	wantKind(t, c.hear("result"), "canceled")
	c.say(`{"type": "cancel", "seq": 1}`) // too late
	go func() { <-arrived }()
	wantKind(t, c.ask(map[string]any{"seq": 2, "method": "GET", "url": server.URL, "deadline_ms": 50.5}), "timeout")
}

func TestAnAnswerThatBreaksOffIsAnError(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "100")
		io.WriteString(w, "not all")
	}))
	defer server.Close()
	c := talk(t)
	c.say(`{"type": "open", "client": 1, "policy": {}}`)
	c.hear("opened")
	wantKind(t, c.ask(map[string]any{"seq": 1, "method": "GET", "url": server.URL}), "truncated")
}

func wantKind(t *testing.T, result map[string]any, kind string) {
	t.Helper()
	failure, ok := result["error"].(map[string]any)
	if !ok || result["outcome"] != "error" || failure["kind"] != kind {
		t.Errorf("got the result %v, want an error of kind %s", result, kind)
	}
}

func TestAPolicyThatCannotBeFollowedIsToldFromAClientThatBroke(t *testing.T) {
	c := talk(t)
	c.say(`{"type": "open", "client": 1, "policy": {"backoff": {"kind": "linear", "jitter": "none"}}}`)
	if opened := c.hear("opened"); opened["unsupported"] == nil || opened["error"] != nil {
		t.Errorf("got %v, want it unsupported", opened)
	}
	c.say(`{"type": "open", "client": 2, "policy": {"backoff": {"kind": "broken"}}}`)
	if opened := c.hear("opened"); opened["error"] != errBroken.Error() || opened["unsupported"] != nil {
		t.Errorf("got %v, want the error %v", opened, errBroken)
	}
}

func TestTheEndOfTheInputEndsTheDriver(t *testing.T) {
	c := talk(t)
	c.in.Close()
	if err := <-c.ended; err != nil {
		t.Errorf("the driver ended with %v", err)
	}
}

func TestALineThatIsNoMessageEndsTheDriver(t *testing.T) {
	c := talk(t)
	c.say("hello?")
	if err := <-c.ended; err == nil {
		t.Error("the driver ended without an error")
	}
}

// program is a client that is no Go module.
type program struct{ plain }

// Prepare takes longer than the callers of the test wait.
func (program) Prepare(string) error {
	<-time.After(longPrepared)
	return nil
}

const (
	callersPatience = time.Second
	longPrepared    = callersPatience + 100*time.Millisecond
)

// What a client has to prepare takes none of the caller's time.
func TestACallersTimeBeginsWhenAllIsPrepared(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {}))
	defer server.Close()
	library := kit.Library{Name: "plain", Version: func() (string, error) { return "1.2", nil }}
	library.Open = func(setup kit.Setup) (kit.Client, error) {
		client, err := open(setup)
		if err != nil {
			return nil, err
		}
		return program{client.(plain)}, nil
	}
	c := talkTo(t, library)
	c.say(`{"type": "open", "client": 1, "policy": {"attempts": 1}}`)
	c.hear("opened")
	result := c.ask(map[string]any{"seq": 1, "url": server.URL, "method": "GET", "deadline_ms": callersPatience.Milliseconds()})
	if result["outcome"] != "response" || result["elapsed_ms"].(float64) >= float64(callersPatience.Milliseconds()) {
		t.Errorf("got %v, want an answer within the caller's time", result)
	}
}

func TestTheClientSaysWhichItIs(t *testing.T) {
	c := talkTo(t, kit.Library{Name: "plain", Version: func() (string, error) { return "1.2", nil }})
	if c.version != "1.2" || c.language != "" {
		t.Errorf("got version %q and language %q; want those of a program, 1.2 and none", c.version, c.language)
	}
	c = talk(t)
	if !strings.HasPrefix(c.language, "Go 1.") {
		t.Errorf("got language %q, want Go's", c.language)
	}
	missing := errors.New("it is not installed")
	library := kit.Library{Version: func() (string, error) { return "", missing }}
	if err := kit.Run(library, strings.NewReader(""), io.Discard); !errors.Is(err, missing) {
		t.Errorf("got the error %v, want %v", err, missing)
	}
}
