package scenarios_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// parseOne reads a contract of which only these lines matter.
func parseOne(t *testing.T, lines string) *scenarios.Contract {
	t.Helper()
	text := "format: 1\n---\nid: body.one\n" + lines + "\n"
	if !strings.Contains("\n"+lines, "\ncalls:") {
		text += "calls: [{name: pay}]\n"
	}
	contracts, err := scenarios.Parse("one.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return contracts[0]
}

func ptr[T any](value T) *T { return &value }

func TestForms(t *testing.T) {
	respond := func(status int) faultserver.Step {
		return faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: status}}}
	}
	retryAfter := func(after faultserver.RetryAfter) faultserver.Step {
		return faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503, RetryAfter: &after}}}
	}
	retryAfter429 := faultserver.Respond{Answer: faultserver.Answer{Status: 429, RetryAfter: &faultserver.RetryAfter{Value: "1"}}}
	point := func(phase faultserver.Phase, n faultserver.Size) faultserver.Point {
		return faultserver.Point{Phase: phase, N: n}
	}
	for _, test := range []struct {
		lines string
		got   func(*scenarios.Contract) any
		want  any
	}{
		// steps
		{"script: [succeed, {respond: 503}]", script, []faultserver.Step{{Act: faultserver.Succeed{}}, respond(503)}},
		{"script: [{respond: {status: 201, body: made}}]", script, []faultserver.Step{
			{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 201, Body: faultserver.Body{Text: "made"}}}}}},
		{"script: [{reset: request-body@64KiB}]", script, []faultserver.Step{{Act: faultserver.Reset{}, At: point(faultserver.RequestBody, 64*faultserver.KiB)}}},
		{"script: [{close: {half: true}, at: response-head}]", script, []faultserver.Step{{Act: faultserver.Close{Half: true}, At: point(faultserver.ResponseHead, 0)}}},
		{"script: [{stall: 2s}]", script, []faultserver.Step{{Act: faultserver.Stall{For: 2 * time.Second}}}},
		{"script: [{stall: request-head}]", script, []faultserver.Step{{Act: faultserver.Stall{}, At: point(faultserver.RequestHead, 0)}}},
		{"script: [{truncate: 500}]", script, []faultserver.Step{{Act: faultserver.Truncate{After: 500}}}},
		{"script: [{truncate: {after: 1KiB, end: rst, cut: inside-chunk}}]", script, []faultserver.Step{
			{Act: faultserver.Truncate{After: 1024, End: faultserver.EndRST, Cut: faultserver.CutInsideChunk}}}},
		{"script: [{redirect: 307}]", script, []faultserver.Step{{Act: faultserver.Redirect{Status: 307}}}},
		{"script: [{stale: 100ms}]", script, []faultserver.Step{{Act: faultserver.Stale{After: 100 * ms}}}},
		{"script: [{stale: rst}]", script, []faultserver.Step{{Act: faultserver.Stale{End: faultserver.EndRST}}}},
		{"connections: [{accept-hang: 1s}, {refuse: 300ms}, pass]", func(c *scenarios.Contract) any { return c.Connections }, []faultserver.Step{
			{Act: faultserver.AcceptHang{For: time.Second}}, {Act: faultserver.Refuse{For: 300 * time.Millisecond}}, {Act: faultserver.Untouched{}}}},
		{"connections: [{connect-hang: 1s}]", func(c *scenarios.Contract) any { return c.Connections }, []faultserver.Step{{Act: faultserver.ConnectHang{For: time.Second}}}},
		{"server: tls\nconnections: [{tls: expired}, {tls: {what: alert, alert: 80}}]", func(c *scenarios.Contract) any { return c.Connections }, []faultserver.Step{
			{Act: faultserver.TLS{What: faultserver.TLSExpired}}, {Act: faultserver.TLS{What: faultserver.TLSAlert, Alert: 80}}}},
		{"script: [{h2-window: {size: 1KiB, deep: [{a: b}]}, times: 2}]", script, []faultserver.Step{{Act: faultserver.Unbuilt{Name: "h2-window"}, Times: 2}}},
		{`script: [{raw: "HTTP/1.1 200 OK\r\n\r\n"}]`, script, []faultserver.Step{{Act: faultserver.Raw{Pieces: []faultserver.Piece{"HTTP/1.1 200 OK\r\n\r\n"}}}}},
		{"script: [{raw: {pieces: [a, {base64: /wA=}], every: 10ms, end: keep}}]", script, []faultserver.Step{
			{Act: faultserver.Raw{Pieces: []faultserver.Piece{"a", "\xff\x00"}, Every: 10 * time.Millisecond, End: faultserver.EndKeep}}}},
		{"script: [{malformed: two-lengths}]", script, []faultserver.Step{{Act: faultserver.Malformed{What: faultserver.TwoLengths}}}},
		{"script: [{malformed: {what: oversized-head, head: 1MiB}}]", script, []faultserver.Step{{Act: faultserver.Malformed{What: faultserver.OversizedHead, Head: faultserver.MiB}}}},
		{"script: [{dribble: 20ms}]", script, []faultserver.Step{{Act: faultserver.Dribble{Every: 20 * time.Millisecond}}}},
		{"script: [{bandwidth: 4KiB}]", script, []faultserver.Step{{Act: faultserver.Bandwidth{Rate: 4 * faultserver.KiB}}}},
		{"script: [{bandwidth: {rate: 4KiB, way: both, answer: {status: 201}}}]", script, []faultserver.Step{
			{Act: faultserver.Bandwidth{Rate: 4 * faultserver.KiB, Way: faultserver.Both, Answer: faultserver.Answer{Status: 201}}}}},
		{"script: [{slow-read: {after: 1s, bytes: 2KiB}}]", script, []faultserver.Step{{Act: faultserver.SlowRead{After: time.Second, Bytes: 2 * faultserver.KiB}}}},
		{"script: [{throttle: 5}]", script, []faultserver.Step{{Act: faultserver.Throttle{Rate: 5}}}},
		{"script: [{throttle: {rate: 5, per: 1m, burst: 3, status: 503, says: rfc850}}]", script, []faultserver.Step{
			{Act: faultserver.Throttle{Rate: 5, Per: time.Minute, Burst: 3, Status: 503, Says: faultserver.WaitRFC850}}}},
		{"script: [{capacity: {rate: 50, queue: 10, with: 429:retry-after=1}}]", script, []faultserver.Step{{Act: faultserver.Capacity{
			Rate: 50, Queue: 10, With: faultserver.Fault{Act: retryAfter429}}}}},
		{"script: [{outage: 3}]", script, []faultserver.Step{{Act: faultserver.Outage{For: faultserver.Span{Attempts: 3}}}}},
		{"script: [{outage: {after: 1s, for: 2s, with: reset@request-head}}]", script, []faultserver.Step{{Act: faultserver.Outage{
			After: faultserver.Span{Time: time.Second}, For: faultserver.Span{Time: 2 * time.Second}, With: faultserver.Fault{Act: faultserver.Reset{}, At: point(faultserver.RequestHead, 0)}}}}},
		{"script: [{flap: {up: 3, down: 2}}]", script, []faultserver.Step{{Act: faultserver.Flap{Up: faultserver.Span{Attempts: 3}, Down: faultserver.Span{Attempts: 2}}}}},
		{"script: [{ramp: {over: 20, from: 0.5, to: 0}}]", script, []faultserver.Step{{Act: faultserver.Ramp{Over: faultserver.Span{Attempts: 20}, From: ptr(0.5), To: ptr(0.0)}}}},
		{"script: [{stale: {after: 10ms, unsolicited: 408}}]", script, []faultserver.Step{{Act: faultserver.Stale{After: 10 * time.Millisecond, Unsolicited: 408}}}},
		{"script: [{respond: {gzip: true, body: x}}]", script, []faultserver.Step{{Act: faultserver.Respond{Answer: faultserver.Answer{Gzip: true, Body: faultserver.Body{Text: "x"}}}}}},
		{"script: [{expect-continue: never}]", script, []faultserver.Step{{Act: faultserver.ExpectContinue{Continue: faultserver.ContinueNever}}}},
		// what goes with an act
		{"script: [{succeed: {}, commit: by-key, times: forever, optional: true, note: see, probability: 0.25}]", script, []faultserver.Step{
			{Act: faultserver.Succeed{}, Commit: faultserver.CommitByKey, Times: faultserver.Forever, Optional: true, Note: "see", Probability: ptr(0.25)}}},
		{"script: [{succeed: {}, commit: true, when: {connection: reused}}]", script, []faultserver.Step{
			{Act: faultserver.Succeed{}, Commit: faultserver.CommitAlways, When: faultserver.When{Connection: faultserver.ReusedConnection}}}},
		{"script: [{succeed: {}, delay: 50ms}]", script, []faultserver.Step{{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Fixed: 50 * time.Millisecond}}}},
		{"script: [{succeed: {}, delay: {uniform: {min: 1ms, max: 9ms}}}]", script, []faultserver.Step{
			{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Uniform: &faultserver.UniformDelay{Min: time.Millisecond, Max: 9 * time.Millisecond}}}}},
		{"script: [{succeed: {}, delay: {until: {call: pay, event: all-others-returned}, max: 3s}}]", script, []faultserver.Step{
			{Act: faultserver.Succeed{}, Delay: faultserver.Delay{Until: &faultserver.Moment{Call: "pay", Event: faultserver.AllOthersReturned}, Max: 3 * time.Second}}}},
		// Retry-After
		{"script: [{respond: {status: 503, retry-after: 1}}]", script, []faultserver.Step{retryAfter(faultserver.RetryAfter{Value: "1"})}},
		{`script: [{respond: {status: 503, retry-after: ""}}]`, script, []faultserver.Step{retryAfter(faultserver.RetryAfter{})}},
		{"script: [{respond: {status: 503, retry-after: -5}}]", script, []faultserver.Step{retryAfter(faultserver.RetryAfter{Value: "-5"})}},
		{"script: [{respond: {status: 503, retry-after: {date: +2s, form: asctime}}}]", script, []faultserver.Step{
			retryAfter(faultserver.RetryAfter{Date: ptr(2 * time.Second), Form: faultserver.Asctime})}},
		{"script: [{respond: {status: 503, retry-after: {date: -1h}}}]", script, []faultserver.Step{retryAfter(faultserver.RetryAfter{Date: ptr(-time.Hour)})}},
		// requests
		{"calls: [{headers: {X-Number: 010, Set: [b, a], x-number: yes}}]", func(c *scenarios.Contract) any { return c.Calls[0].Headers }, faultserver.Headers{
			{Name: "X-Number", Value: "010"}, {Name: "Set", Value: "b"}, {Name: "Set", Value: "a"}, {Name: "x-number", Value: "yes"}}},
		{"calls: [{body: text}]", func(c *scenarios.Contract) any { return c.Calls[0].Body }, &faultserver.Body{Text: "text"}},
		{"calls: [{body: {size: 64KiB, seed: 7, stream: true}}]", func(c *scenarios.Contract) any { return c.Calls[0].Body }, &faultserver.Body{Size: 64 * faultserver.KiB, Seed: 7, Stream: true}},
		{"server: h2c", func(c *scenarios.Contract) any { return c.Server }, scenarios.ServerKind{Protocol: scenarios.H2C}},
		{"server: {protocol: tls, second-host: true}", func(c *scenarios.Contract) any { return c.Server }, scenarios.ServerKind{Protocol: scenarios.TLS, SecondHost: true}},
		{"watch: 0s", func(c *scenarios.Contract) any { return c.Watch }, ptr(time.Duration(0))},
		{"match: {method: POST, header: X-Judged}", func(c *scenarios.Contract) any { return c.Match }, faultserver.Match{Method: "POST", Header: faultserver.Header{Name: "X-Judged"}}},
		{"match: {header: {X-Judged: blue}}", func(c *scenarios.Contract) any { return c.Match }, faultserver.Match{Header: faultserver.Header{Name: "X-Judged", Value: "blue"}}},
		{"cites: [{doc: RFC 9110, section: 15.10}]", func(c *scenarios.Contract) any { return c.Cites[0].Section }, "15.10"},
		// expectations
		{"expect: {attempts: 3}", all, scenarios.Expectation{Attempts: &scenarios.Attempts{Each: ptr(3)}}},
		{"expect: {attempts: policy}", all, scenarios.Expectation{Attempts: &scenarios.Attempts{Policy: true}}},
		{"expect: {attempts: {total: 5}}", all, scenarios.Expectation{Attempts: &scenarios.Attempts{Total: ptr(5)}}},
		{"expect: {attempts: {min: 1, max: 2}}", all, scenarios.Expectation{Attempts: &scenarios.Attempts{Min: ptr(1), Max: ptr(2)}}},
		{"expect: {connections: 2}", all, scenarios.Expectation{Connections: &scenarios.Range{Min: ptr(2), Max: ptr(2)}}},
		{"expect: {connections: {max: 2}}", all, scenarios.Expectation{Connections: &scenarios.Range{Max: ptr(2)}}},
		{"expect: {outcome: success}", all, scenarios.Expectation{Outcome: &scenarios.OutcomeRule{Success: true}}},
		{"expect: {outcome: {error: reset}}", all, scenarios.Expectation{Outcome: &scenarios.OutcomeRule{Error: []scenarios.ErrorKind{"reset"}}}},
		{"expect: {outcome: {not: {error: [reset, any]}}}", all, scenarios.Expectation{
			Outcome: &scenarios.OutcomeRule{Not: &scenarios.OutcomeRule{Error: []scenarios.ErrorKind{"reset", "any"}}}}},
		{"expect: {outcome: {any-of: [success, {status: 503, body: complete}]}}", all, scenarios.Expectation{
			Outcome: &scenarios.OutcomeRule{AnyOf: []scenarios.OutcomeRule{{Success: true}, {Status: 503, Body: scenarios.BodyComplete}}}}},
		{"expect: {outcomes: {success: 1, status-503: 2, circuit-open: 3}}", all, scenarios.Expectation{
			Outcomes: []scenarios.OutcomeCount{{Kind: "success", Count: 1}, {Kind: "status-503", Count: 2}, {Kind: "circuit-open", Count: 3}}}},
		{"expect: {gaps: {min: policy, max: 2s, of: [1]}}", all, scenarios.Expectation{
			Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{Policy: true}, Max: &scenarios.GapBound{Duration: 2 * time.Second}, Of: []int{1}}}},
		{"expect: {gaps: {min: retry-after}}", all, scenarios.Expectation{Gaps: &scenarios.Gaps{Min: &scenarios.GapBound{RetryAfter: true}}}},
		{"expect: {returns: {after: cancel, max: 1s}}", all, scenarios.Expectation{Returns: &scenarios.Returns{After: scenarios.ReturnsAfter{Cancel: true}, Max: time.Second}}},
		{"expect: {returns: {after: {attempt: 2, event: answered}, max: 1s}}", all, scenarios.Expectation{Returns: &scenarios.Returns{
			After: scenarios.ReturnsAfter{Moment: &faultserver.Moment{Attempt: 2, Event: faultserver.Answered}}, Max: time.Second}}},
		{"expect: {amplification: policy, spread: {like: policy}}", all, scenarios.Expectation{Amplification: &scenarios.PolicyRef{}, Spread: &scenarios.Spread{}}},
		{"expect: {drained: {max: 1MiB}, window: {from: {attempt: 1}, for: 1s, attempts: 0}}", all, scenarios.Expectation{
			Drained: &scenarios.Drained{Max: faultserver.MiB},
			Window:  &scenarios.WindowRule{From: faultserver.Moment{Attempt: 1}, For: time.Second, Attempts: scenarios.Range{Min: ptr(0), Max: ptr(0)}}}},
		{"expect: {body: source, pay: {same: [header.Idempotency-Key]}}", func(c *scenarios.Contract) any { return c.Expect }, scenarios.Expectations{
			All:   scenarios.Expectation{Body: scenarios.BodySource},
			Calls: []scenarios.CallExpectation{{Call: "pay", Expectation: scenarios.Expectation{Same: []scenarios.Field{"header.Idempotency-Key"}}}}}},
	} {
		t.Run(test.lines, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.got(parseOne(t, test.lines))); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func script(c *scenarios.Contract) any { return c.Script }

func all(c *scenarios.Contract) any { return c.Expect.All }

// A one-line script is a whole script, or stands among other steps.
func TestOneLineScripts(t *testing.T) {
	want, err := faultserver.ParseScript("503x2,reset,200")
	if err != nil {
		t.Fatal(err)
	}
	for _, lines := range []string{`script: "503x2,reset,200"`, `script: ["503x2", "reset,200"]`, "script: [503x2, reset, 200]"} {
		if diff := cmp.Diff(any(want), script(parseOne(t, lines))); diff != "" {
			t.Errorf("%s: -want +got:\n%s", lines, diff)
		}
	}
}
