package doctor_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// quick are waits that suit paths within this process.
var quick = doctor.Options{Silence: 1500 * time.Millisecond, Patience: 3 * time.Second}

// host is a fault server for one test.
func host(t *testing.T) *faultserver.Host {
	t.Helper()
	opened, err := faultserver.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := opened.Close(); err != nil {
			t.Error(err)
		}
	})
	return opened
}

// examine examines a path to a server of its own.
func examine(t *testing.T, kind path) doctor.Report {
	t.Helper()
	server := host(t)
	report, err := doctor.Examine(t.Context(), doctor.OnHost(server), kind.to(t, addressOf(server)), quick)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func addressOf(h *faultserver.Host) string { return strings.TrimPrefix(h.URL(), "http://") }

// names are the checks that have a status.
func names(report doctor.Report, status doctor.Status) []string {
	list := []string{}
	for _, finding := range report.Of(status) {
		list = append(list, finding.Check)
	}
	return list
}

// TestEachPathIsNamedForWhatItDoes examines paths that change one thing each, and
// some that change nothing.
func TestEachPathIsNamedForWhatItDoes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		path           path
		changed, noted []string
	}{
		"no path at all":             {path: direct{}},
		"bytes and ends forwarded":   {path: forwarder{}},
		"a slow forwarder":           {path: forwarder{pause: 50 * time.Millisecond}},
		"a RST becomes a FIN":        {path: forwarder{hidesRST: true}, changed: []string{"reset", "reset-in-body"}},
		"a FIN becomes a RST":        {path: forwarder{resets: true}, changed: []string{"close", "cut-length", "cut-chunked", "idle-close"}},
		"answers are held back":      {path: forwarder{holds: 500 * time.Millisecond}, changed: []string{"streaming"}},
		"the client's end is hidden": {path: forwarder{keepsUpstream: true}, changed: []string{"client-leaves"}},
		"a cut body becomes a 502":   {path: forwarder{mends: true}, changed: []string{"reset-in-body", "cut-length"}},
		"an answer of its own": {
			path: forwarder{loses: time.Second, says: "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, changed: []string{"silence"},
		},
		"a request timeout of its own": {
			path: forwarder{loses: time.Second, says: "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, changed: []string{"silence"},
		},
		"it tries again on a 503":  {path: forwarder{retries: on503}, changed: []string{"one-attempt-on-503"}},
		"it tries again on a RST":  {path: forwarder{retries: onReset}, changed: []string{"one-attempt-on-reset"}},
		"it repeats what is stale": {path: forwarder{retries: onReuse}, changed: []string{"one-attempt-on-reuse"}},
		"it tries again on silence": {
			path: forwarder{retries: onSilence, loses: 500 * time.Millisecond}, changed: []string{"one-attempt-on-silence"},
		},
		"headers of answers are rewritten": {path: forwarder{answers: strings.NewReplacer("Retry-After: 7", "Retry-After: 1")}, changed: []string{"answer-head"}},
		"headers of answers are dropped":   {path: forwarder{answers: strings.NewReplacer("x-faultsrv-lower: a\r\n", "")}, changed: []string{"answer-head"}},
		"a header is added to answers":     {path: forwarder{answers: strings.NewReplacer("HTTP/1.1 503 Later Please\r\n", "HTTP/1.1 503 Later Please\r\nVia: 1.1 test\r\n")}, noted: []string{"answer-head"}},
		"headers of answers in lower case": {path: forwarder{answers: strings.NewReplacer("Retry-After:", "retry-after:")}, noted: []string{"answer-head"}},
		"other bytes in a body":            {path: forwarder{answers: strings.NewReplacer("zz\r\nok", "2\r\nok")}, changed: []string{"malformed"}},
		"1xx answers are swallowed":        {path: forwarder{answers: strings.NewReplacer("HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n", "")}, changed: []string{"informational"}},
		"a header is added to requests":    {path: forwarder{asks: strings.NewReplacer("Host: ", "X-Forwarded-For: 192.0.2.1\r\nHost: ")}, noted: []string{"request-head"}},
		"a header of requests is dropped":  {path: forwarder{asks: strings.NewReplacer("Idempotency-Key: \"c0ffee\"\r\n", "")}, changed: []string{"request-head"}},
		"targets are tidied up":            {path: forwarder{asks: strings.NewReplacer("a%2Fb//c", "a/b/c")}, changed: []string{"request-head"}},
		"the method is another":            {path: forwarder{asks: strings.NewReplacer("DELETE ", "POST ")}, changed: []string{"request-head"}},
		"request bodies are changed":       {path: forwarder{spoils: true}, changed: []string{"request-body"}},
		"the path sends 100 Continue":      {path: forwarder{continues: true}, changed: []string{"expect-continue"}},
		"one request a connection":         {path: forwarder{closesAfter: "ok\n"}, changed: []string{"own-connections"}},
		"bodies of answers are changed":    {path: forwarder{garbles: true}, changed: []string{"answer-body"}},
		"requests are held back":           {path: forwarder{buffers: true}, changed: []string{"early-answer", "expect-continue"}},
		"an answer of its own, in the server's place": {
			path: forwarder{loses: 200 * time.Millisecond, says: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, changed: []string{"delay", "silence", "expect-continue"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			report := examine(t, test.path)
			if diff := cmp.Diff(notNil(test.changed), names(report, doctor.Changed)); diff != "" {
				t.Errorf("named as changing (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(notNil(test.noted), names(report, doctor.Noted)); diff != "" {
				t.Errorf("noted (-want +got):\n%s", diff)
			}
			for _, status := range []doctor.Status{doctor.NotJudged, doctor.Impossible} {
				if list := names(report, status); len(list) > 0 {
					t.Errorf("%s: %v", status, list)
				}
			}
			want := doctor.Faithful
			if len(test.changed) > 0 {
				want = doctor.Unfaithful
			}
			if report.Verdict != want || (report.Summary() == "") != (want == doctor.Faithful) {
				t.Errorf("verdict %s, summary %q; want %s", report.Verdict, report.Summary(), want)
			}
			if t.Failed() {
				t.Log(doctor.Text(report))
			}
		})
	}
}

func notNil(list []string) []string { return append([]string{}, list...) }

// TestAPathThatLeadsElsewhere is not examined.
func TestAPathThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	short := doctor.Options{Silence: time.Second, Patience: 300 * time.Millisecond}
	for name, test := range map[string]struct{ via, want string }{
		"nobody is there":   {"http://" + freeAddress(t), "nobody takes a connection at 127.0.0.1:"},
		"another server":    {"http://" + addressOf(host(t)), "gets 404 Not Found, and the server has not seen it"},
		"no HTTP":           {answering(t, "SSH-2.0-Nothing\r\n"), "17 bytes of no answer"},
		"one that hangs":    {answering(t, ""), "nothing within 300ms, and the server has not seen it"},
		"an answer is lost": {forwarder{answers: strings.NewReplacer("HTTP/1.1 200 OK", "HTTP/1.1 403 No")}.to(t, ""), "403 No"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server, via := host(t), test.via
			if name == "an answer is lost" {
				via = forwarder{answers: strings.NewReplacer("HTTP/1.1 200 OK", "HTTP/1.1 403 No")}.to(t, addressOf(server))
			}
			begun := time.Now()
			_, err := doctor.Examine(t.Context(), doctor.OnHost(server), via, short)
			if !errors.Is(err, doctor.ErrNoPath) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v; want ErrNoPath and %q", err, test.want)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

// TestAnInterruptedExaminationEnds leaves nothing behind.
func TestAnInterruptedExaminationEnds(t *testing.T) {
	t.Parallel()
	server := host(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	time.AfterFunc(200*time.Millisecond, func() { cancel(errors.New("got SIGINT")) })
	_, err := doctor.Examine(ctx, doctor.OnHost(server), direct{}.to(t, addressOf(server)), doctor.Options{})
	if err == nil || err.Error() != "got SIGINT" {
		t.Errorf("got %v; want the cause", err)
	}
}

// freeAddress is one where nobody listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// TestAProxyThatPools names what the proxy of the standard library does: at least
// this. Its connections are shared by what goes through it, so that a check may
// besides meet one that another has ended.
func TestAProxyThatPools(t *testing.T) {
	t.Parallel()
	report := examine(t, reverseProxy{})
	changed := names(report, doctor.Changed)
	for _, check := range []string{
		"reset", "reset-in-body", "close", "early-answer", "malformed", "one-attempt-on-reuse", "own-connections", "idle-close",
	} {
		if !slices.Contains(changed, check) {
			t.Errorf("%s is not named; changed: %v", check, changed)
		}
	}
	if noted := names(report, doctor.Noted); !slices.Equal(noted, []string{"answer-head", "request-head"}) {
		t.Errorf("noted: %v", noted)
	}
}
