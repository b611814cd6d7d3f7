package command

import (
	"context"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// calledOff makes a call and calls it off once the command has sent a request.
func calledOff(t *testing.T, mode string) (outcome scenarios.Outcome, took time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	arrived := make(chan time.Time, 1)
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		arrived <- time.Now()
		cancel()
	}))
	defer server.Close()
	outcome, _ = call(ctx, t, helper(t, Options{}, mode, "{url}"), policy(0), suites.Request{URL: server.URL})
	select {
	case at := <-arrived:
		return outcome, time.Since(at)
	default:
		t.Fatalf("the command sent no request: %+v", outcome)
		return outcome, 0
	}
}

// soon is the upper bound for an end, grace included. Without it an end took at
// most 385 ms with four busy loops on two cores (see package process).
const soon = 5 * time.Second

func TestACallIsCalledOff(t *testing.T) {
	outcome, took := calledOff(t, "hang")
	if outcome.Kind != scenarios.ErrorOutcome || outcome.Error.Kind != scenarios.ErrCanceled || outcome.Note != "" || !strings.Contains(outcome.Error.Message, "was called off") {
		t.Errorf("outcome %+v %+v, want the error canceled", outcome, outcome.Error)
	}
	if took > soon {
		t.Errorf("it took %s, want at most %s", took, soon)
	}
	noGoroutine(t)
}

func TestACommandThatPrintsAGibibyteIsNotHeldUp(t *testing.T) {
	const half = 512 // MiB, on each output
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	outcome, run := call(t.Context(), t, helper(t, Options{CallTimeout: time.Minute}, "flood", strconv.Itoa(half), "{url}"), policy(0), suites.Request{URL: "http://x"})
	runtime.ReadMemStats(&after)
	if outcome.Kind != scenarios.SuccessOutcome {
		t.Fatalf("outcome %+v %+v, want success", outcome, outcome.Error)
	}
	total := int64(half) << 20
	if run.Stdout.Total != total+9 || run.Stderr.Total != total {
		t.Errorf("%d and %d bytes came, want %d and %d", run.Stdout.Total, run.Stderr.Total, total+9, total)
	}
	if len(run.Stdout.Head) != DefaultOutputLimit || len(run.Stdout.Tail) != DefaultOutputLimit {
		t.Errorf("kept %d and %d bytes, want %d of each end", len(run.Stdout.Head), len(run.Stdout.Tail), DefaultOutputLimit)
	}
	if !strings.HasPrefix(string(run.Stdout.Head), "first") || !strings.HasSuffix(string(run.Stdout.Tail), "last") {
		t.Errorf("kept %.10q… and …%q, want both ends", run.Stdout.Head, run.Stdout.Tail[len(run.Stdout.Tail)-10:])
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 8<<20 {
		t.Errorf("it took %d bytes of memory, want at most 8 MiB", used)
	}
}
