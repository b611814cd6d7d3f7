package driver

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// reference has the transcript, from the folder of this test.
const reference = "../../docs/protocol.md"

// transcript is the dialogue of the reference, a line each.
func transcript() ([]string, error) {
	page, err := os.ReadFile(reference)
	if err != nil {
		return nil, err
	}
	_, rest, found := strings.Cut(string(page), "```text\n")
	block, _, ended := strings.Cut(rest, "```")
	if !found || !ended {
		return nil, fmt.Errorf("%s: expected a block of text with the transcript", reference)
	}
	return strings.Split(strings.TrimSpace(block), "\n"), nil
}

// playTranscript is a driver that says what the transcript's does, and ends
// with status 1 where it is told something else.
func playTranscript(in io.Reader, out io.Writer) int {
	dialogue, err := transcript()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	said := bufio.NewScanner(in)
	for _, line := range dialogue {
		who, message, _ := strings.Cut(line, " ")
		if who == "<" {
			fmt.Fprintln(out, message)
			continue
		}
		if !said.Scan() || !sameMessage(message, said.Text()) {
			fmt.Fprintf(os.Stderr, "the reference says %s, and faultsrv said %s\n", message, said.Text())
			return 1
		}
	}
	if said.Scan() {
		fmt.Fprintf(os.Stderr, "the reference has ended, and faultsrv said %s\n", said.Text())
		return 1
	}
	return 0
}

// sameMessage compares two messages as JSON; where a body's file is differs.
func sameMessage(a, b string) bool {
	var first, second map[string]any
	if json.Unmarshal([]byte(a), &first) != nil || json.Unmarshal([]byte(b), &second) != nil {
		return false
	}
	for _, message := range []map[string]any{first, second} {
		if body, ok := message["body"].(map[string]any); ok {
			body["file"] = ""
		}
	}
	return reflect.DeepEqual(first, second)
}

// The transcript of the reference is what is really said.
func TestTheTranscriptIsTrue(t *testing.T) {
	t.Parallel()
	subject, err := New(t.Context(), command(t, "transcript"), asHelper(Options{}))
	if err != nil {
		t.Fatal(err)
	}
	talking := subject.talking
	policy := func(attempts int, backoff scenarios.Backoff, method string) scenarios.Policy {
		return scenarios.Policy{Attempts: &attempts, Backoff: &backoff, Methods: []string{method}, Statuses: scenarios.DefaultStatuses()}
	}
	opened := func(policy scenarios.Policy) suites.Client {
		client, err := subject.Open(policy)
		if err != nil {
			t.Fatal(err)
		}
		return client
	}

	first := opened(policy(3, scenarios.Backoff{Exponential: ptr(20500 * time.Microsecond), Max: time.Second}, "PUT"))
	expectOutcome(t, first.Do(t.Context(), suites.Request{
		Method: "PUT", URL: "http://127.0.0.1:40123/c/call-1/orders",
		Headers: faultserver.Headers{{Name: "Content-Type", Value: "text/plain"}}, Body: &faultserver.Body{Text: "hello"},
	}), scenarios.Outcome{
		Kind: scenarios.ResponseOutcome, Status: 200, Headers: faultserver.Headers{{Name: "Content-Length", Value: "3"}},
		BodySHA256: faultserver.Body{Text: "ok\n"}.SHA256(), BodyLength: 3, Attempts: 2, Elapsed: 21750 * time.Microsecond,
	})

	second := opened(policy(1, scenarios.Backoff{Constant: ptr(20 * time.Millisecond)}, "GET"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	expectOutcome(t, second.Do(cancelled, suites.Request{URL: "http://127.0.0.1:40123/c/call-2/", Timeout: 800 * time.Millisecond}), scenarios.Outcome{
		Kind: scenarios.ErrorOutcome, Elapsed: 100500 * time.Microsecond,
		Error: &scenarios.OutcomeError{
			Kind: scenarios.ErrCanceled, Message: "cancelled by its caller", Chain: []scenarios.ErrorKind{scenarios.ErrTimeout}, LastStatus: 503,
		},
	})

	third := opened(policy(3, scenarios.Backoff{Constant: ptr(20 * time.Millisecond), Jitter: scenarios.FullJitter}, "GET"))
	expectOutcome(t, third.Do(t.Context(), suites.Request{URL: "http://127.0.0.1:40123/c/call-3/"}), scenarios.Outcome{
		Kind: scenarios.UnsupportedOutcome, Note: "the driver cannot follow the policy: the library has no jitter",
	})

	for _, client := range []suites.Client{first, second, third} {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := subject.Close(); err != nil {
		t.Error(err)
	}
	if ended := talking.ended; ended.Status != 0 || ended.ByUs != nil {
		t.Errorf("the driver of the transcript ended with %s: %s", ended.How, ended.Stderr.LastLine())
	}
}

func expectOutcome(t *testing.T, got, want scenarios.Outcome) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("another outcome than the transcript's:\n%s", diff)
	}
}
