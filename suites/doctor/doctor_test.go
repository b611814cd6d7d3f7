package doctor_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/internal/vacant"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// TestMain lets more tests run side by side than there are CPUs: they wait, and
// hardly compute.
func TestMain(m *testing.M) {
	flag.Parse()
	if err := flag.Set("test.parallel", "8"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

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
	knows := &knowing{Server: doctor.OnHost(server)}
	if forwards, is := kind.(forwarder); is {
		forwards.silentFor = knows.silentFor
		kind = forwards
	}
	report, err := doctor.Examine(t.Context(), knows, kind.to(t, addressOf(server)), quick)
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
		"answers are held back":      {path: forwarder{holds: true}, changed: []string{"streaming"}},
		"the client's end is hidden": {path: forwarder{keepsUpstream: true}, changed: []string{"client-leaves"}},
		"a cut body becomes a 502":   {path: forwarder{mends: true}, changed: []string{"reset-in-body", "cut-length"}},
		"an answer of its own": {
			path: forwarder{says: "HTTP/1.1 504 Gateway Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, changed: []string{"silence"},
		},
		"a request timeout of its own": {
			path: forwarder{says: "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"}, changed: []string{"silence"},
		},
		"it tries again on a 503":  {path: forwarder{retries: on503}, changed: []string{"one-attempt-on-503"}},
		"it tries again on a RST":  {path: forwarder{retries: onReset}, changed: []string{"one-attempt-on-reset"}},
		"it repeats what is stale": {path: forwarder{retries: onReuse}, changed: []string{"one-attempt-on-reuse"}},
		"it tries again on silence": {
			path: forwarder{retries: onSilence}, changed: []string{"one-attempt-on-silence"},
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
		"one request a connection":         {path: forwarder{closesAfter: "ok\n"}, changed: []string{"own-connections"}, noted: []string{"one-attempt-on-reuse"}},
		"bodies of answers are changed":    {path: forwarder{garbles: true}, changed: []string{"answer-body"}},
		"requests are held back":           {path: forwarder{buffers: true}, changed: []string{"early-answer", "expect-continue"}},
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

// knowing is a server that tells a path which script a session plays, so that a path
// that loses patience needs no clock to know when.
type knowing struct {
	doctor.Server

	opened sync.Map // known, by the session's id
}

// known is a session and what it plays.
type known struct {
	doctor.Session

	script string
}

func (k *knowing) Open(ctx context.Context, script string) (doctor.Session, error) {
	session, err := k.Server.Open(ctx, script)
	if err == nil {
		k.opened.Store(session.ID(), known{session, script})
	}
	return session, err
}

// silentFor tells that a request has arrived at a session that is silent for long.
func (k *knowing) silentFor(request string) bool {
	_, rest, _ := strings.Cut(request, " /s/")
	id, _, _ := strings.Cut(rest, "/")
	opened, is := k.opened.Load(id)
	if !is {
		return false
	}
	played := opened.(known)
	return strings.Contains(played.script, "delay="+faultserver.FormatDuration(quick.Silence)) &&
		played.AwaitAttempts(context.Background(), 1) == nil
}

// hasty is a server whose answers come sooner than they are asked for, as by way of
// one that answers in its place.
type hasty struct{ doctor.Server }

func (h hasty) Open(ctx context.Context, script string) (doctor.Session, error) {
	return h.Server.Open(ctx, strings.NewReplacer("delay=300ms", "delay=1ms", "after=400ms", "after=1ms").Replace(script))
}

func TestWhatComesEarlyIsNamed(t *testing.T) {
	t.Parallel()
	server := host(t)
	report, err := doctor.Examine(t.Context(), hasty{doctor.OnHost(server)}, server.URL(), quick)
	if err != nil {
		t.Fatal(err)
	}
	if changed := names(report, doctor.Changed); !slices.Equal(changed, []string{"delay", "expect-continue"}) {
		t.Errorf("changed: %v", changed)
	}
}

// TestAPathThatLeadsElsewhere is not examined.
func TestAPathThatLeadsElsewhere(t *testing.T) {
	t.Parallel()
	long, short := 3*time.Second, time.Second
	refusing := forwarder{answers: strings.NewReplacer("HTTP/1.1 200 OK", "HTTP/1.1 403 No")}
	for name, test := range map[string]struct {
		via      func(t *testing.T, server string) string
		patience time.Duration
		want     string
	}{
		"nobody is there": {func(t *testing.T, _ string) string { return "http://" + vacant.Address(t) }, long, "nobody takes a connection at 127.0.0.1:"},
		"another server": {
			func(t *testing.T, _ string) string { return host(t).URL() }, long, "gets 404 Not Found, and the server has not seen it",
		},
		"no HTTP":           {answering("SSH-2.0-Nothing\r\n"), short, "17 bytes of no answer"},
		"one that hangs":    {answering(""), short, "nothing within 1s, and the server has not seen it"},
		"an answer is lost": {refusing.to, long, "403 No"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := host(t)
			options := doctor.Options{Silence: time.Second, Patience: test.patience}
			_, err := doctor.Examine(t.Context(), doctor.OnHost(server), test.via(t, addressOf(server)), options)
			if !errors.Is(err, doctor.ErrNoPath) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v; want ErrNoPath and %q", err, test.want)
			}
		})
	}
}

// TestAPathThatHangsIsExaminedInTime hangs once it has led to the server.
func TestAPathThatHangsIsExaminedInTime(t *testing.T) {
	t.Parallel()
	short := doctor.Options{Silence: time.Second, Patience: 2 * time.Second}
	server := host(t)
	begun := time.Now()
	report, err := doctor.Examine(t.Context(), doctor.OnHost(server), forwarder{hangs: true}.to(t, addressOf(server)), short)
	if err != nil {
		t.Fatal(err)
	}
	if took := time.Since(begun); took > short.Limit()+5*time.Second {
		t.Errorf("it took %v; want at most %v, and what a busy machine adds", took, short.Limit())
	}
	if kept := names(report, doctor.Kept); report.Verdict != doctor.Unfaithful || len(kept) > 0 {
		t.Errorf("%s, and kept are %v", report.Verdict, kept)
	}
	if limit := (doctor.Options{}).Limit(); limit != 20*time.Second {
		t.Errorf("by default it may take %v; want 20 s", limit)
	}
}

// TestAPathWithAPrefix takes it off on the way.
func TestAPathWithAPrefix(t *testing.T) {
	t.Parallel()
	server := host(t)
	via := forwarder{asks: strings.NewReplacer("/faults/s/", "/s/")}.to(t, addressOf(server)) + "/faults/"
	report, err := doctor.Examine(t.Context(), doctor.OnHost(server), via, quick)
	if err != nil || report.Verdict != doctor.Faithful {
		t.Errorf("%v, %s", err, report.Summary())
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

// TestAProxyThatPools names what the proxy of the standard library does: at least
// this. Its connections are shared by what goes through it, so that a check may
// besides meet one that another has ended.
func TestAProxyThatPools(t *testing.T) {
	t.Parallel()
	report := examine(t, reverseProxy{})
	changed := names(report, doctor.Changed)
	for _, check := range []string{
		"reset", "reset-in-body", "close", "early-answer", "malformed", "own-connections", "idle-close",
	} {
		if !slices.Contains(changed, check) {
			t.Errorf("%s is not named; changed: %v", check, changed)
		}
	}
	noted := names(report, doctor.Noted)
	for _, check := range []string{"answer-head", "request-head"} {
		if !slices.Contains(noted, check) && !slices.Contains(changed, check) {
			t.Errorf("%s is not noted; noted: %v", check, noted)
		}
	}
}

// TestAnAnswerWithoutEnd has the doctor not listen for ever, nor hold all that comes.
func TestAnAnswerWithoutEnd(t *testing.T) {
	t.Parallel()
	const most = 64 << 20
	server := host(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	var written atomic.Int64
	go func() {
		conn, err := listener.Accept()
		for piece := make([]byte, 64<<10); err == nil && written.Load() < most; {
			_, err = conn.Write(piece)
			written.Add(int64(len(piece)))
		}
	}()
	_, err = doctor.Examine(t.Context(), doctor.OnHost(server), "http://"+listener.Addr().String(), quick)
	if !errors.Is(err, doctor.ErrNoPath) || !strings.Contains(err.Error(), "more than any answer has") {
		t.Errorf("%v; want it said that the path does not lead to the server", err)
	}
	if written.Load() >= most {
		t.Errorf("%d bytes were taken; want far fewer", written.Load())
	}
}
