package assertions

import (
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

func outcomeCases() []wordCase {
	rule := func(r scenarios.OutcomeRule) scenarios.Expectation { return scenarios.Expectation{Outcome: &r} }
	success := rule(scenarios.OutcomeRule{Success: true})
	status := func(code int) scenarios.Expectation { return rule(scenarios.OutcomeRule{Status: code}) }
	kind := func(kinds ...scenarios.ErrorKind) scenarios.Expectation {
		return rule(scenarios.OutcomeRule{Error: kinds})
	}
	whole := rule(scenarios.OutcomeRule{Status: 413, Body: scenarios.BodyComplete})

	// ended is a call that was answered with 503 and ended so.
	ended := func(o scenarios.Outcome, edits ...edit[Evidence]) Evidence {
		return edited(evidenceOf(failed(1, 0, ms)), append([]edit[Evidence]{func(e *Evidence) { e.Calls[0].Outcome = o }}, edits...))
	}
	// recovered is a call whose last attempt was answered with success, and that ended so.
	recovered := func(o scenarios.Outcome, edits ...edit[faultserver.Attempt]) Evidence {
		e := evidenceOf(failed(1, 0, ms), served(2, 50*ms, 51*ms, edits...))
		e.Calls[0].Outcome = o
		return e
	}
	blind := func(e *Evidence) { e.Capabilities = nil }
	answered413 := func(read int64) Evidence {
		body := faultserver.Body{Size: 500, Seed: 1}
		return ended(scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 413, BodySHA256: body.PrefixSHA256(read), BodyLength: read}, func(e *Evidence) {
			e.Contract.Script[0].Act = faultserver.Respond{Answer: faultserver.Answer{Status: 413, Body: body}}
		})
	}
	// framed is what was read of an answer whose framing is broken.
	framed := func(text string) Evidence {
		read := faultserver.Body{Text: text}
		return ended(scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 413, BodySHA256: read.SHA256(), BodyLength: read.Len()}, func(e *Evidence) {
			e.Contract.Script[0].Act = faultserver.Malformed{What: faultserver.LengthAndChunked, Answer: faultserver.Answer{Status: 413, Body: faultserver.Body{Text: "a body"}}}
		})
	}
	truncated := scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 200, BodySHA256: faultserver.Body{Text: "ok"}.SHA256(), BodyLength: 2}
	exited0 := scenarios.Outcome{Kind: scenarios.SuccessOutcome}
	exited0With := func(o scenarios.Outcome) scenarios.Outcome {
		o.Kind, o.Status = scenarios.SuccessOutcome, 0
		return o
	}
	bodiless := scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 200}
	exposing := func(code int) scenarios.Outcome {
		o := failure(scenarios.ErrExhausted)
		o.Error.LastStatus = code
		return o
	}
	exposes503 := rule(scenarios.OutcomeRule{Error: []scenarios.ErrorKind{scenarios.AnyError}, LastStatus: 503})
	either := rule(scenarios.OutcomeRule{AnyOf: []scenarios.OutcomeRule{{Status: 503}, {Error: []scenarios.ErrorKind{scenarios.ErrExhausted}}}})
	notSuccess := rule(scenarios.OutcomeRule{Not: &scenarios.OutcomeRule{Success: true}})
	return []wordCase{
		{"the success answer, whole", recovered(response(200)), "", success, []state{isOK}},
		{"a failure instead of success", ended(response(503)), "", success, []state{isRed}},
		{"an error instead of success", ended(failure(scenarios.ErrReset)), "", success, []state{isRed}},
		{"a part of the success answer", recovered(truncated), "", success, []state{isRed}},
		{"success, without saying with what body", recovered(bodiless), "", success, []state{isOK}},
		{"status 200, without saying with what body, after a truncated answer", recovered(bodiless, func(a *faultserver.Attempt) { a.Happened.Kind, a.Happened.Body = "truncate", 1 }), "", success, []state{isBlind}},
		{"ended 0 after the success answer", recovered(exited0), "", success, []state{isOK}},
		{"ended 0 after a stall that ended in the success answer", recovered(exited0, func(a *faultserver.Attempt) { a.Happened = faultserver.Effect{Kind: "stall", At: "request-end"} }), "", success, []state{isOK}},
		{"ended 0 after a stall that it left", recovered(exited0, func(a *faultserver.Attempt) {
			a.Happened, a.Client.How = faultserver.Effect{Kind: "stall", At: "request-end"}, "client-fin"
		}), "", success, []state{isBlind}},
		{"ended 0 before the success answer was acknowledged", recovered(exited0, func(a *faultserver.Attempt) { a.Acked = 2 }), "", success, []state{isBlind}},
		{"ended 0 after another 2xx", recovered(exited0, func(a *faultserver.Attempt) { a.Happened.Status = 202 }), "", success, []state{isBlind}},
		{"ended 0 after a 200 with another body", recovered(exited0, func(a *faultserver.Attempt) { a.Happened.Body = 7 }), "", success, []state{isBlind}},
		{"ended 0 after the success answer, with its body", recovered(exited0With(response(200))), "", success, []state{isOK}},
		{"ended 0 after the success answer, with a part of its body", recovered(exited0With(truncated)), "", success, []state{isRed}},
		{"ended 0 after a 503, with a body", ended(exited0With(truncated)), "", success, []state{isBlind}},
		{"ended 0 after a 503", ended(exited0), "", success, []state{isBlind}},
		{"no word of how it ended", ended(scenarios.Outcome{Kind: scenarios.UnknownOutcome, Note: "exit status 7 is not in the profile"}), "", success, []state{isBlind}},
		{"the success answer to HEAD, which has no body", recovered(scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 200, BodySHA256: faultserver.Body{}.SHA256()},
			func(a *faultserver.Attempt) { a.Method = "HEAD" }), "", success, []state{isOK}},

		{"the status", ended(response(503)), "", status(503), []state{isOK}},
		{"another status", ended(response(503)), "", status(413), []state{isRed}},
		{"an error instead of the status", ended(failure(scenarios.ErrExhausted)), "", status(503), []state{isRed}},
		{"ended 0, without saying with what status", ended(exited0), "", status(503), []state{isBlind}},
		{"the status and the whole body", answered413(500), "", whole, []state{isOK}},
		{"the status and a part of the body", answered413(100), "", whole, []state{isRed}},
		{"the status and the body, whatever its framing", framed("a body"), "", whole, []state{isOK}},
		{"the status and as many bytes of the framing", framed("6\r\na b"), "", whole, []state{isRed}},
		{"the status, without saying with what body", ended(scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 413}), "", whole, []state{isBlind}},

		{"an error of the kind", ended(failure(scenarios.ErrExhausted)), "", kind(scenarios.ErrExhausted), []state{isOK}},
		{"an error with the kind in its chain", ended(failure(scenarios.ErrCanceled, scenarios.ErrReset)), "", kind(scenarios.ErrReset), []state{isOK}},
		{"an error of another kind", ended(failure(scenarios.ErrExhausted)), "", kind(scenarios.ErrCanceled), []state{isRed}},
		{"connect is not reset", ended(failure(scenarios.ErrConnect)), "", kind(scenarios.ErrReset), []state{isRed}},
		{"connect or reset, as the contract writes it", ended(failure(scenarios.ErrConnect)), "", kind(scenarios.ErrConnect, scenarios.ErrReset), []state{isOK}},
		{"an answer instead of an error", ended(response(503)), "", kind(scenarios.ErrExhausted), []state{isRed}},
		{"any error", ended(failure(scenarios.ErrOther), blind), "", kind(scenarios.AnyError), []state{isOK}},
		{"a kind, of a client that does not tell kinds", ended(failure(scenarios.ErrOther), blind), "", kind(scenarios.ErrReset), []state{isBlind}},
		{"a kind, of a client that only tells another", ended(failure(scenarios.ErrTimeout), blind), "", kind(scenarios.ErrReset), []state{isRed}},
		{"a kind, of a client that tells kinds and says other", ended(failure(scenarios.ErrOther)), "", kind(scenarios.ErrReset), []state{isRed}},
		{"ended 0 after a 503, where an error is asked", ended(exited0), "", kind(scenarios.AnyError), []state{isBlind}},
		{"ended 0 after the success answer, where an error is asked", recovered(exited0), "", kind(scenarios.AnyError), []state{isRed}},
		{"an error that exposes the last status", ended(exposing(503)), "", exposes503, []state{isOK}},
		{"an error that exposes another status", ended(exposing(502)), "", exposes503, []state{isRed}},
		{"an error that exposes none", ended(exposing(0)), "", exposes503, []state{isRed}},
		{"an error of a client that does not tell what it exposes", ended(exposing(0), blind), "", exposes503, []state{isBlind}},

		{"one of two", ended(response(503)), "", either, []state{isOK}},
		{"the other of two", ended(failure(scenarios.ErrExhausted)), "", either, []state{isOK}},
		{"neither of two", ended(failure(scenarios.ErrCanceled)), "", either, []state{isRed}},
		{"perhaps one of two", ended(failure(scenarios.ErrOther), blind), "", either, []state{isBlind}},
		{"not what must not be", ended(failure(scenarios.ErrTruncated)), "", notSuccess, []state{isOK}},
		{"what must not be", recovered(response(200)), "", notSuccess, []state{isRed}},
		{"perhaps what must not be", ended(exited0), "", notSuccess, []state{isBlind}},
	}
}

func outcomesCases() []wordCase {
	counted := func(counts ...scenarios.OutcomeCount) scenarios.Expectation {
		return scenarios.Expectation{Outcomes: counts}
	}
	want := counted(scenarios.OutcomeCount{Kind: "success", Count: 1}, scenarios.OutcomeCount{Kind: "circuit-open", Count: 1})
	ended := func(first, second scenarios.Outcome, edits ...edit[Evidence]) Evidence {
		e := in2Calls([]faultserver.Attempt{served(1, 0, ms)}, nil)
		e.Calls[0].Outcome, e.Calls[1].Outcome = first, second
		return edited(e, edits)
	}
	blind := func(e *Evidence) { e.Capabilities = nil }
	return []wordCase{
		{"one through, one rejected", ended(response(200), failure(scenarios.ErrCircuitOpen)), "pay", want, []state{isOK}},
		{"rejected within another error", ended(response(200), failure(scenarios.ErrExhausted, scenarios.ErrCircuitOpen)), "pay", want, []state{isOK}},
		{"one that ends otherwise", ended(response(200), response(503)), "pay", want, []state{isRed}},
		{"both through", ended(response(200), response(200)), "pay", want, []state{isRed}},
		{"both rejected, one of them unnamed", ended(response(200), failure(scenarios.ErrOther), blind), "pay", want, []state{isBlind}},
		{"by status", ended(response(200), response(503)), "pay", counted(scenarios.OutcomeCount{Kind: "success", Count: 1}, scenarios.OutcomeCount{Kind: "status-503", Count: 1}), []state{isOK}},
		{"one fewer than asked", ended(response(200), response(503)), "pay", counted(scenarios.OutcomeCount{Kind: "success", Count: 2}, scenarios.OutcomeCount{Kind: "status-503", Count: 1}), []state{isRed}},
	}
}
