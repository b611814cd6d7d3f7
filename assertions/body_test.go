package assertions

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func bodyCases() []wordCase {
	source := faultserver.Body{Size: 64 * faultserver.KiB, Seed: 7}
	other := faultserver.Body{Size: 64 * faultserver.KiB, Seed: 8}
	want := scenarios.Expectation{Body: scenarios.BodySource}
	// sent is a PUT of the source in two attempts, the second of which the test shapes.
	sent := func(second ...edit[faultserver.Attempt]) Evidence {
		e := evidenceOf(failed(1, 0, ms, carrying(source)), failed(2, 50*ms, 51*ms, append([]edit[faultserver.Attempt]{carrying(source)}, second...)...))
		e.Calls[0].Method, e.Calls[0].Body = "PUT", source
		return e
	}
	declared := func(n int64) edit[faultserver.Attempt] {
		return func(a *faultserver.Attempt) { a.Body.Declared = n }
	}
	struckAt := func(point string) edit[faultserver.Attempt] {
		return func(a *faultserver.Attempt) { a.Intended.At, a.Happened.At = point, point }
	}
	clientLeft := func(a *faultserver.Attempt) { a.Happened.Kind = "client-left" }
	badChunk := func(a *faultserver.Attempt) { a.Happened.Kind, a.Body.Declared = "bad-body", -1 }
	cancelled := func(e Evidence) Evidence {
		e.Calls[0].Cancelled = 51 * ms
		return e
	}
	timed := func(e Evidence) Evidence {
		e.Policy.Timeouts = &scenarios.Timeouts{Attempt: 100 * ms}
		return e
	}
	bounded := func(e Evidence) Evidence {
		e.Contract.Calls[0].Timeout = 100 * ms
		return e
	}
	hedged := func(e Evidence) Evidence {
		e.Policy.Hedge = &scenarios.Hedge{Delay: 10 * ms}
		return e
	}
	chosen := func(e Evidence) Evidence {
		e.Calls[0].Body, e.Calls[0].BodyFromFirst = faultserver.Body{}, true
		return e
	}
	thenCame := func(kind string, on int, at time.Duration) Evidence {
		e := sent()
		for i := range e.Journal.Attempts {
			e.Journal.Attempts[i].Connection = 1
		}
		e.Journal.Events = []faultserver.ProtocolEvent{{Kind: kind, Connection: on, At: at}}
		return e
	}
	cutFirst := func(second faultserver.Body) Evidence {
		first := func(a *faultserver.Attempt) { cutAfter(source, 1000)(a); struckAt("request-body@1000")(a) }
		return chosen(evidenceOf(failed(1, 0, ms, first), failed(2, 50*ms, 51*ms, carrying(second))))
	}
	return []wordCase{
		{"the client's own bytes, the same each time", chosen(sent()), "", want, []state{isOK}},
		{"the client's own bytes, and an empty body the second time", chosen(sent(carrying(faultserver.Body{}))), "", want, []state{isRed}},
		{"the client's own bytes, and others of the same length the second time", chosen(sent(carrying(other))), "", want, []state{isRed}},
		{"the client's own bytes, cut the second time", chosen(sent(cutAfter(source, 1000), struckAt("request-body@1000"))), "", want, []state{isOK}},
		{"the client's own bytes, left unfinished the second time", chosen(sent(cutAfter(source, 1000), clientLeft)), "", want, []state{isRed}},
		{"the client's own bytes, cut the first time", cutFirst(source), "", want, []state{isOK}},
		{"the client's own bytes, cut the first time and empty the second", cutFirst(faultserver.Body{}), "", want, []state{isRed}},
		{"the client's own bytes, sent once", chosen(evidenceOf(failed(1, 0, ms, carrying(source)))), "", want, []state{isBlind}},
		{"the client's own bytes, never whole", chosen(evidenceOf(
			failed(1, 0, ms, cutAfter(source, 10)), failed(2, 50*ms, 51*ms, cutAfter(source, 20)))), "", want, []state{isBlind}},
		{"the same bytes each time", sent(), "", want, []state{isOK}},
		{"an empty body the second time", sent(carrying(faultserver.Body{})), "", want, []state{isRed}},
		{"an empty chunked body the second time", sent(carrying(faultserver.Body{}), declared(-1)), "", want, []state{isRed}},
		{"other bytes of the same length", sent(carrying(other)), "", want, []state{isRed}},
		{"another length declared", sent(declared(65000)), "", want, []state{isRed}},
		{"more bytes than the source has", sent(carrying(faultserver.Body{Size: 64*faultserver.KiB + 1, Seed: 7}), declared(-1)), "", want, []state{isRed}},
		{"chunked, and the same bytes", sent(declared(-1)), "", want, []state{isOK}},
		{"cut by an early answer", sent(cutAfter(source, 1000), struckAt("request-body@1000")), "", want, []state{isOK}},
		{"cut by an early answer, and other bytes", sent(cutAfter(other, 1000), struckAt("request-body@1000")), "", want, []state{isRed}},
		{"answered at its head", sent(cutAfter(source, 0), struckAt("request-head")), "", want, []state{isOK}},
		{"left unfinished by the client", sent(cutAfter(source, 0), clientLeft), "", want, []state{isRed}},
		{"left unfinished at its head, where the step strikes", sent(cutAfter(source, 0), clientLeft, struckAt("request-head")), "", want, []state{isOK}},
		{"left unfinished within a timeout of the policy", timed(sent(cutAfter(source, 1000), clientLeft)), "", want, []state{isOK}},
		{"left unfinished within a timeout of the call", bounded(sent(cutAfter(source, 1000), clientLeft)), "", want, []state{isOK}},
		{"left unfinished for a faster hedge", hedged(sent(cutAfter(source, 1000), clientLeft)), "", want, []state{isOK}},
		{"broken off by a chunk that is none", sent(cutAfter(source, 1000), badChunk), "", want, []state{isRed}},
		{"left unfinished by a caller who cancelled", cancelled(sent(cutAfter(source, 1000), clientLeft)), "", want, []state{isOK}},
		{"whole, and its bytes once more", thenCame("bad-head", 1, 60*ms), "", want, []state{isRed}},
		{"whole, and its bytes once more before the next attempt", thenCame("not-http", 1, 20*ms), "", want, []state{isRed}},
		{"whole, and junk on another connection", thenCame("bad-head", 2, 60*ms), "", want, []state{isOK}},
		{"whole, and a request that is nobody's", thenCame("unknown-call", 1, 60*ms), "", want, []state{isOK}},
		{"a request without a body, as asked", evidenceOf(failed(1, 0, ms), failed(2, 50*ms, 51*ms)), "", want, []state{isOK}},
		{"a body where none was asked", evidenceOf(failed(1, 0, ms, carrying(source))), "", want, []state{isRed}},
		{"only struck connections", evidenceOf(struck(1, 0)), "", want, []state{isBlind}},
		{"no attempt", evidenceOf(), "", want, []state{isBlind}},
	}
}
