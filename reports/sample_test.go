package reports

import (
	"encoding/base64"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// The secrets of the sample; none may stand in any report.
const (
	secretBearer   = "tok-e1f7b2-bearer"
	secretCookie   = "tok-77aa01-cookie"
	secretSet      = "tok-5c5c5c-set-cookie"
	secretAPIKey   = "tok-9d9d9d-api-key"
	secretQuery    = "tok-31415-query"
	secretPassword = "tok-27182@password"
	secretBody     = "tok-16180-body"
	secretOption   = "tok-14142-option"
)

var sampleSecrets = []string{
	secretBearer, secretCookie, secretSet, secretAPIKey, secretQuery, secretPassword, secretBody, secretOption,
	basic("carol", secretPassword),
}

// samplePlace is what the machine's own places look like in the sample.
const (
	sampleServer = "127.0.0.1:40123"
	sampleFolder = "/tmp/run-8812"
)

func basic(user, password string) string {
	return base64.StdEncoding.EncodeToString([]byte(user + ":" + password))
}

func sampleRedactor() *Redactor {
	return newRedactor([]byte("a key that only the tests know"), Secrets{Headers: []string{"X-Api-Key"}, Query: []string{"token"}})
}

// sampleRun has one contract of most verdicts.
func sampleRun() Run {
	redactor := sampleRedactor()
	command := []string{"faultsrv", "test", "--", "curl", "-sS", "--retry", "{retries}", "--oauth2-bearer", secretOption, "{url}"}
	made := func(e assertions.Evidence, j assertions.Judgement) Result {
		return FromEvidence(e, j, Options{
			Redactor: redactor,
			Places:   map[string]string{"http://" + sampleServer: "{server}", sampleFolder: "{temp}"},
			Rerun:    []string{"faultsrv", "test", "--contracts", e.Contract.ID, "--seed", "7", "--", "curl", "-sS", "--retry", "{retries}", "--oauth2-bearer", secretOption, "{url}"},
			Duration: 90 * time.Millisecond,
		})
	}
	return Assemble(Run{
		Tool: Tool{Name: "faultsrv", Version: "1.2.3"},
		Client: Client{
			Name: "curl", Version: "8.5.0", Kind: "exec",
			Capabilities: []scenarios.Capability{scenarios.CanRetry, scenarios.CanAttempts},
		},
		Selection: Selection{Level: "all", FailOn: scenarios.Must, Contracts: 8},
		Meta: Meta{
			Started: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), Duration: 2500 * time.Millisecond,
			Host: Host{OS: "linux", Arch: "amd64", CPUs: 2}, GoVersion: "go1.26.0", Seed: 7,
			Command: command,
		},
	}, []Result{
		made(sampleUnsupported()), made(sampleFail()), made(sampleObserved()), made(samplePass()),
		made(sampleWeak()), made(sampleNotExercised()), made(sampleKnownFail()), made(sampleUnexpectedPass()),
	}, redactor)
}

func yes() *bool { return ok(true) }
func no() *bool  { return ok(false) }

func ok(value bool) *bool { return &value }

func after(d time.Duration) *time.Duration { return &d }

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

// answered is an attempt that was answered with a status.
func answered(index int, method string, status int, arrived time.Duration) faultserver.Attempt {
	effect := faultserver.Effect{Kind: "answer", At: "request-end", Status: status, Body: 3}
	return faultserver.Attempt{
		Session: "s1", Call: "call-1", Number: index, Index: index, Connection: 1, Use: index,
		Arrived: arrived, HeadRead: arrived, BodyRead: arrived + ms(1), Answered: arrived + ms(1),
		End:    faultserver.Interval{Earliest: arrived + ms(1), Latest: arrived + ms(2)},
		Method: method, Target: "/orders/1", RawTarget: "/c/call-1/orders/1", Proto: "HTTP/1.1",
		Headers:  faultserver.Headers{{Name: "Host", Value: sampleServer}},
		Body:     faultserver.BodyReceipt{Declared: -1, Complete: true, SHA256: emptySHA256},
		Step:     faultserver.StepRef{Index: index, Script: "script", Text: "503"},
		Intended: effect, Happened: effect, Met: true, Acked: 150,
	}
}

const emptySHA256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

func oneCall(method string, outcome scenarios.Outcome) []assertions.CallRecord {
	return []assertions.CallRecord{{
		Token: "call-1", Name: "call-1", Method: method, Path: "/orders/1",
		Started: ms(1), Returned: ms(50), Outcome: outcome,
	}}
}

func samplePolicy() scenarios.Policy {
	attempts, pause := 2, ms(40)
	return scenarios.Policy{Attempts: &attempts, Backoff: &scenarios.Backoff{Constant: &pause}}
}

// sampleFail has a secret in every place that one can come from.
func sampleFail() (assertions.Evidence, assertions.Judgement) {
	first, second := answered(1, "PUT", 503, ms(2)), answered(2, "PUT", 200, ms(44))
	first.Headers = append(first.Headers,
		faultserver.Header{Name: "authorization", Value: "Bearer " + secretBearer},
		faultserver.Header{Name: "Cookie", Value: "session=" + secretCookie + "; theme=dark"},
		faultserver.Header{Name: "X-Api-Key", Value: secretAPIKey},
		faultserver.Header{Name: "Referer", Value: "http://bob:" + secretPassword + "@" + sampleServer + "/?token=" + secretQuery})
	first.Target += "?token=" + secretQuery + "&page=2"
	first.Body = faultserver.BodyReceipt{Declared: 65536, Received: 65536, Complete: true, SHA256: "ab12", Kept: []byte(secretBody)}
	second.Headers = append(second.Headers,
		faultserver.Header{Name: "Authorization", Value: "Bearer " + secretBearer},
		faultserver.Header{Name: "Proxy-Authorization", Value: "Basic " + basic("carol", secretPassword)})
	second.Body.Trailers = faultserver.Headers{{Name: "X-Api-Key", Value: secretAPIKey}}
	second.Step = faultserver.StepRef{Index: 2, Script: "script", Text: "succeed"}
	second.Body.Declared = 0

	e := assertions.Evidence{
		Contract: &scenarios.Contract{
			ID: "body.replay-after-503", Title: "A retried request carries the same bytes",
			Level: scenarios.Must, Basis: scenarios.Safety,
			Why:   "The server must be able to treat every attempt as the same request; an empty retry overwrites the order with nothing.",
			Cites: []scenarios.Cite{{Doc: "RFC 9110", Section: "9.2.2", Strength: scenarios.StrengthMay}},
			Cases: []string{"BR-01"}, Needs: []scenarios.Capability{scenarios.CanRequestBody},
		},
		Policy: samplePolicy(),
		Journal: faultserver.Journal{
			Session: "s1", Attempts: []faultserver.Attempt{first, second},
			Connections: []faultserver.Connection{
				{ID: 1, Accepted: ms(1), Closed: ms(60), Requests: 2, Client: faultserver.ClientEnd{How: "client-fin", At: ms(55)}},
				{ID: 2, Accepted: ms(1), Closed: ms(60), Silent: true},
			},
			Events: []faultserver.ProtocolEvent{{
				Kind: "unknown-call", Connection: 2, At: ms(30),
				Detail: "GET /c/gone/?token=" + secretQuery + " with X-Api-Key: " + secretAPIKey,
			}},
		},
		Calls: oneCall("PUT", scenarios.Outcome{
			Kind: scenarios.ErrorOutcome, Status: 200, Elapsed: ms(48),
			Headers: faultserver.Headers{
				{Name: "Date", Value: "Sun, 01 Mar 2026 12:00:00 GMT"},
				{Name: "Set-Cookie", Value: "session=" + secretSet + "; Path=/"},
			},
			Error: &scenarios.OutcomeError{
				Kind: scenarios.ErrOther,
				Message: "PUT http://bob:" + secretPassword + "@" + sampleServer + "/orders/1: sent " + secretBearer +
					" from 127.0.0.1:51234, wrote " + sampleFolder + "/body; got session=" + secretSet,
			},
		}),
		Lateness: ms(3), Watched: ms(80),
	}
	return e, assertions.Judgement{
		Verdict: assertions.Fail, Reason: "1 of 3 checks failed: body",
		Checks: []assertions.Check{
			{Name: "attempts.min", Part: assertions.PartPremise, OK: yes(), Expected: "at least 2", Observed: "2", Attempts: []int{1, 2}},
			{
				Name: "body", Part: assertions.PartExpect, OK: no(), Expected: "the source's 65,536 bytes", Observed: "attempt 2: 0 bytes",
				Explanation: "attempt 2 carried 0 of 65,536 bytes: the server saw another request", Attempts: []int{2},
			},
			{
				Name: "same.header.Authorization", Part: assertions.PartExpect, OK: yes(),
				Expected: "equal in all attempts", Observed: "Bearer " + secretBearer,
			},
			{
				Name: "outcome", Part: assertions.PartAlso, Expected: "success", Observed: "not observed",
				Explanation: "The client does not tell how the call ended.",
			},
		},
	}
}

func samplePass() (assertions.Evidence, assertions.Judgement) {
	e := assertions.Evidence{
		Contract: &scenarios.Contract{
			ID: "attempts.exact-count", Title: "Exactly the promised number of attempts",
			Level: scenarios.Must, Basis: scenarios.Promise, Why: "A caller that counts on three attempts plans for three.",
			Cites: []scenarios.Cite{{Doc: "gRPC A6", URL: "https://github.com/grpc/proposal/blob/master/A6-client-retries.md"}},
		},
		Policy:  samplePolicy(),
		Journal: faultserver.Journal{Attempts: []faultserver.Attempt{answered(1, "GET", 503, ms(2)), answered(2, "GET", 503, ms(43))}},
		Calls:   oneCall("GET", scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 503}),
	}
	return e, assertions.Judgement{
		Verdict: assertions.Pass, Reason: "every check holds",
		Checks: []assertions.Check{{Name: "attempts", Part: assertions.PartExpect, OK: yes(), Expected: "2", Observed: "2", Attempts: []int{1, 2}}},
	}
}

func sampleWeak() (assertions.Evidence, assertions.Judgement) {
	only := answered(1, "GET", 0, ms(2))
	only.Step.Text = "reset"
	only.Happened = faultserver.Effect{Kind: "reset", At: "request-end", End: "rst"}
	only.Intended = only.Happened
	e := assertions.Evidence{
		Contract: &scenarios.Contract{
			ID: "connection.reset-is-retried", Title: "A reset before any answer is retried",
			Level: scenarios.Should, Basis: scenarios.Practice, Why: "A reset is the commonest failure of a restarting server.",
			Cites: []scenarios.Cite{{Doc: "AWS, Exponential Backoff and Jitter"}},
		},
		Policy:  samplePolicy(),
		Journal: faultserver.Journal{Attempts: []faultserver.Attempt{only}, Unmet: []string{"step 2: succeed"}},
		Calls: oneCall("GET", scenarios.Outcome{
			Kind: scenarios.ErrorOutcome, Error: &scenarios.OutcomeError{Kind: scenarios.ErrReset, Message: "\x1b[31mconnection reset\x07 by peer"},
		}),
	}
	return e, assertions.Judgement{
		Verdict: assertions.Weak, Reason: "1 of 1 checks failed: attempts",
		Checks: []assertions.Check{{
			Name: "attempts", Part: assertions.PartExpect, OK: no(), Expected: "2", Observed: "1",
			Explanation: "the client made 1 attempt and gave up", Attempts: []int{1},
		}},
	}
}

func sampleUnsupported() (assertions.Evidence, assertions.Judgement) {
	return assertions.Evidence{
			Contract: &scenarios.Contract{
				ID: "cancellation.wakes-the-sleep", Title: "Cancelling ends the pause at once",
				Level: scenarios.Must, Basis: scenarios.Safety, Why: "A caller that gave up must not be held.",
				Needs: []scenarios.Capability{scenarios.CanCancel},
			},
		}, assertions.Judgement{
			Verdict: assertions.Unsupported, Reason: "the client cannot: cancel",
		}
}

func sampleNotExercised() (assertions.Evidence, assertions.Judgement) {
	return assertions.Evidence{
			Contract: &scenarios.Contract{
				ID: "idempotency.key-stable", Title: "Every attempt of a call carries the same key",
				Level: scenarios.Must, Basis: scenarios.Safety, Why: "Another key is another charge.",
			},
			Journal: faultserver.Journal{Attempts: []faultserver.Attempt{answered(1, "POST", 503, ms(2))}},
			Calls:   oneCall("POST", scenarios.Outcome{Kind: scenarios.ResponseOutcome, Status: 503}),
		}, assertions.Judgement{
			Verdict: assertions.NotExercised, Reason: "the premise was not met: attempts at least 2, saw 1",
			Checks: []assertions.Check{{Name: "attempts.min", Part: assertions.PartPremise, OK: no(), Expected: "at least 2", Observed: "1"}},
		}
}

func sampleObserved() (assertions.Evidence, assertions.Judgement) {
	return assertions.Evidence{
			Contract: &scenarios.Contract{
				ID: "jitter.first-pauses", Title: "How the first pause is spread",
				Level: scenarios.Observe, Basis: scenarios.Practice, Why: "Clients that failed together come back together.",
			},
		}, assertions.Judgement{
			Verdict: assertions.Observed,
			Checks:  []assertions.Check{{Name: "gaps", Part: assertions.PartObserve, Observed: "41 ms, 40 ms"}},
		}
}

func sampleKnownFail() (assertions.Evidence, assertions.Judgement) {
	return assertions.Evidence{
			Contract: &scenarios.Contract{
				ID: "errors.last-status", Title: "The error shows the last status",
				Level: scenarios.Should, Basis: scenarios.Practice, Why: "Without it nobody knows what failed.",
			},
		}, assertions.Judgement{
			Verdict: assertions.KnownFail, Reason: "known failure: the exit code has no room for it",
			Checks: []assertions.Check{{Name: "outcome", Part: assertions.PartExpect, OK: no(), Expected: "an error with status 503", Observed: "an error"}},
		}
}

func sampleUnexpectedPass() (assertions.Evidence, assertions.Judgement) {
	return assertions.Evidence{
			Contract: &scenarios.Contract{
				ID: "retry-after.seconds", Title: "Retry-After in seconds is waited for",
				Level: scenarios.Should, Basis: scenarios.Standard, Why: "The server said when it can serve again.",
				Cites: []scenarios.Cite{{Doc: "RFC 9110", Section: "10.2.3", Strength: scenarios.StrengthShould}},
			},
			Journal: faultserver.Journal{Attempts: []faultserver.Attempt{answered(1, "GET", 503, ms(2)), answered(2, "GET", 200, ms(1010))}},
		}, assertions.Judgement{
			Verdict: assertions.UnexpectedPass, Reason: "listed as a known failure, and it passed: take it off the list",
			Checks: []assertions.Check{{
				Name: "gaps.min", Part: assertions.PartExpect, OK: yes(), Expected: "at least 1 s", Observed: "1.007 s",
				Limits: []assertions.Limit{{Call: "call-1", Attempt: 2, NotBefore: after(ms(1003)), Kept: true}},
			}},
		}
}
