package reports

import (
	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// hostileTexts are what a client, a server or a contract may say so that a
// report does something.
var hostileTexts = []string{
	`<script>alert(1)</script>`,
	`"><img src=x onerror=alert(1)>`,
	`' onmouseover='alert(1)`,
	`</title></desc></svg><script>alert(1)</script>`,
	`</style><script>alert(1)</script>`,
	`</details><!-- `,
	"```\n</code></pre><script>alert(1)</script>\n```",
	"| a | b |\n| --- |\n# heading",
	`javascript:alert(1)`,
	`{{template "x"}}`,
	"\x00\x1b[2J\u202e\xff",
}

// hostileRun has one failure in which every text that is not a closed word is
// the hostile one.
func hostileRun(text string) Run {
	e, j := sampleFail()
	result := FromEvidence(e, j, Options{Redactor: sampleRedactor(), Bodies: true})
	result.ID, result.Title, result.Area, result.Why, result.Reason = text, text, text, text, text
	result.Cites = []scenarios.Cite{{Doc: text, Section: text, Strength: scenarios.Strength(text), URL: text}}
	result.Cases, result.Unmet = []string{text}, []string{text}
	result.Needs = []scenarios.Capability{scenarios.Capability(text)}
	result.Checks = mapped(result.Checks, func(c assertions.Check) assertions.Check {
		c.Name, c.Call, c.Expected, c.Observed, c.Explanation = text, text, text, text, text
		return c
	})
	result.Calls = mapped(result.Calls, func(c Call) Call {
		c.Token, c.Name, c.Method, c.Path, c.BodySHA256 = text, text, text, text, text
		c.Outcome.Note, c.Outcome.Kind, c.Outcome.BodySHA256 = text, scenarios.OutcomeKind(text), text
		c.Outcome.Headers = faultserver.Headers{{Name: text, Value: text}}
		c.Outcome.Error = &scenarios.OutcomeError{Kind: scenarios.ErrorKind(text), Message: text, Chain: []scenarios.ErrorKind{scenarios.ErrorKind(text)}}
		return c
	})
	result.Outcome = &result.Calls[0].Outcome
	result.Attempts = mapped(result.Attempts, func(a Attempt) Attempt {
		a.Call, a.Method, a.Target, a.Proto, a.Step, a.ClientEnd = text, text, text, text, text, text
		a.Happened = faultserver.Effect{Kind: text, At: text, Status: 503, End: text, Detail: text}
		a.Intended = a.Happened
		a.Headers = faultserver.Headers{{Name: text, Value: text}, {Name: "X", Value: text}}
		a.Body.Trailers, a.Body.SHA256, a.Body.Kept = a.Headers, text, []byte(text)
		return a
	})
	result.Events = []Event{{Kind: text, Detail: text}}
	result.Windows = []Window{{Act: text, Meta: Span{From: 1, Until: ms(9)}}}
	result.Policy.Methods = []string{text}
	result.Meta.Rerun = text
	run := sampleRun()
	run.Client = Client{Name: text, Version: text, Kind: text, Capabilities: result.Needs, Promises: &result.Policy}
	run.Tool = Tool{Name: text, Version: text}
	run.Selection.Level, run.Selection.Patterns = text, []string{text}
	run.Meta.Command, run.Meta.GoVersion, run.Meta.PartialReason = []string{text}, text, text
	run.Results = []Result{result}
	run.Totals = totals(run.Results)
	return run
}
