package reports

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
)

// Options are what a result needs beside the evidence and the judgement.
type Options struct {
	// Redactor hides secrets; it is needed, and one serves the whole run.
	Redactor *Redactor
	// Places are texts that name a place of this machine or this run, such as
	// "http://127.0.0.1:40123" or a temporary folder, and what stands for each
	// in the report, such as "{server}"; of a URL, it stands for the host and
	// port alone too. Other loopback addresses with a port become "{local}" by
	// themselves. Nil means none.
	Places map[string]string
	// Bodies keeps the request bodies that the journal has.
	Bodies bool
	// Rerun is the command that runs this contract again, as arguments.
	Rerun []string
	// Duration is how long the contract ran.
	Duration time.Duration
}

// FromEvidence makes the result of what the judge was given and what it said.
// The evidence needs a contract; of one that was never run it has nothing else.
func FromEvidence(e assertions.Evidence, j assertions.Judgement, options Options) Result {
	c := e.Contract
	learn(e, options.Redactor)
	result := Result{
		ID: c.ID, Title: c.Title, Area: c.Area(), Level: c.Level, Basis: c.Basis, Why: c.Why,
		Cites: notNil(c.Cites), Cases: notNil(c.Cases), Needs: notNil(c.Capabilities()),
		Verdict: j.Verdict, Reason: j.Reason, Checks: j.Checks, Policy: e.Policy,
		Calls:       mapped(e.Calls, call),
		Attempts:    attempts(e.Journal),
		Connections: connections(e.Journal),
		Windows:     windows(e.Journal),
		Events:      events(e.Journal),
		Unmet:       e.Journal.Unmet, Effects: e.Journal.Effects, Dropped: e.Journal.Dropped,
		Meta: ResultMeta{
			Duration: options.Duration, Lateness: e.Lateness, Watched: e.Watched,
		},
	}
	for i := range result.Attempts {
		attempt := &result.Attempts[i]
		attempt.Headers = options.Redactor.Headers(attempt.Headers)
		attempt.Body.Trailers = options.Redactor.Headers(attempt.Body.Trailers)
		if !options.Bodies {
			attempt.Body.Kept = nil
		}
	}
	for i := range result.Calls {
		outcome := &result.Calls[i].Outcome
		outcome.Headers = undated(options.Redactor.Headers(outcome.Headers))
	}
	if last := len(result.Calls) - 1; last >= 0 {
		result.Outcome = &result.Calls[last].Outcome
	}
	places := placesReplacer(options.Places)
	result = result.mapTexts(func(text string) string {
		return localAddress.ReplaceAllString(places.Replace(options.Redactor.Text(text)), "{local}")
	})
	// Places stay in the command, which has to find them again.
	result.Meta.Rerun = options.Redactor.CommandLine(options.Rerun)
	return result
}

// learn shows the redactor every secret of the evidence before any text is
// made of it: a message may quote a header that only a later attempt has.
func learn(e assertions.Evidence, redactor *Redactor) {
	for _, call := range e.Contract.Calls {
		redactor.Learn(call.Headers)
	}
	for _, attempt := range e.Journal.Attempts {
		redactor.Learn(attempt.Headers)
		redactor.Learn(attempt.Body.Trailers)
	}
	for _, call := range e.Calls {
		redactor.Learn(call.Outcome.Headers)
	}
}

func call(record assertions.CallRecord) Call {
	made := Call{
		Token: record.Token, Name: record.Name, Method: record.Method, Path: record.Path,
		BodyLength: record.Body.Len(), Outcome: record.Outcome,
		Meta: CallMeta{
			Started: record.Started, Cancelled: record.Cancelled, Returned: record.Returned,
			Elapsed: record.Outcome.Elapsed,
		},
	}
	made.Outcome.Elapsed = 0
	if made.BodyLength > 0 {
		made.BodySHA256 = record.Body.SHA256()
	}
	return made
}

// httpDate is a date in one of the three forms of RFC 9110, section 5.6.7.
var httpDate = regexp.MustCompile(`^(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? .*\d\d:\d\d:\d\d( GMT| \d{4})$`)

// undated returns the lines with each value that is a date replaced by
// "{date}": those of an answer, such as Date, are of the run and not of the client.
func undated(headers faultserver.Headers) faultserver.Headers {
	for i, line := range headers {
		if httpDate.MatchString(line.Value) {
			headers[i].Value = "{date}"
		}
	}
	return headers
}

// localAddress is a loopback address with a port, which differs each time.
var localAddress = regexp.MustCompile(`\b127\.\d{1,3}\.\d{1,3}\.\d{1,3}:\d{1,5}\b|\[::1\]:\d{1,5}\b`)

func placesReplacer(places map[string]string) *strings.Replacer {
	all := maps.Clone(places)
	for place, name := range places {
		if _, host, isURL := strings.Cut(place, "://"); isURL {
			all[host] = name
		}
	}
	return longestFirst(all)
}

// longestFirst replaces each key by its value; where several fit at one place,
// the longest wins, as one may be another's beginning.
func longestFirst(replacements map[string]string) *strings.Replacer {
	texts := slices.Collect(maps.Keys(replacements))
	slices.SortFunc(texts, func(a, b string) int { return len(b) - len(a) })
	pairs := make([]string, 0, 2*len(texts))
	for _, text := range texts {
		pairs = append(pairs, text, replacements[text])
	}
	return strings.NewReplacer(pairs...)
}
