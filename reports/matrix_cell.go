package reports

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
)

// mostCellAttempts is how many attempts a cell keeps: all those of most contracts.
// Of the few that make dozens the rest is in the results.
const mostCellAttempts = 8

func newCell(result Result) Cell {
	cell := Cell{
		ID: result.ID, Title: result.Title, Level: result.Level, Verdict: result.Verdict,
		Reason: timeless(unnumbered(result.Calls, reasonBeside(result))), Known: result.Known,
		Checks: []CellCheck{}, Outcomes: []string{}, Attempts: cellAttempts(result), why: whyOf(result),
	}
	for _, check := range result.Checks {
		if check.Part == assertions.PartScript && check.OK != nil && *check.OK {
			continue // what every contract asks, and nearly every client keeps
		}
		cell.Checks = append(cell.Checks, CellCheck{
			Name: checkName(check), Part: check.Part, OK: check.OK,
			Expected: roundTimes(dateless(check.Expected)), Observed: observedAlike(result, check),
		})
	}
	for _, name := range callNames(result.Calls) {
		cell.Outcomes = append(cell.Outcomes, name+": "+outcomesOf(result.Calls, name))
	}
	if more := len(cell.Attempts) - mostCellAttempts; more > 0 {
		cell.Attempts, cell.More = cell.Attempts[:mostCellAttempts], more
	}
	return cell
}

// callNames are the names of the calls, each once, sorted: calls that are made at
// the same time start in any order.
func callNames(calls []Call) []string {
	names := mapped(calls, func(c Call) string { return c.Name })
	slices.Sort(names)
	return slices.Compact(names)
}

// outcomesOf is what the caller got of a call; of repeats, how many got what.
func outcomesOf(calls []Call, name string) string {
	times := map[string]int{}
	repeats := 0
	for _, call := range calls {
		if call.Name == name {
			times[shortOutcome(call.Outcome)]++
			repeats++
		}
	}
	var texts []string
	for outcome, n := range times {
		if repeats > 1 {
			outcome = fmt.Sprintf("%d × %s", n, outcome)
		}
		texts = append(texts, outcome)
	}
	slices.Sort(texts)
	return strings.Join(texts, "; ")
}

// cellAttempts are the attempts by their calls; those of repeats that are alike are
// one, so many times.
func cellAttempts(result Result) []CellAttempt {
	named := map[string]string{}
	length := map[string]int64{}
	repeats := map[string]int{}
	for _, call := range result.Calls {
		named[call.Token], length[call.Token] = call.Name, call.BodyLength
		repeats[call.Name]++
	}
	interrupted := map[string]bool{} // calls of which an attempt was ended before its body was read
	times := map[CellAttempt]int{}
	rows := attemptRows(result)
	for i, attempt := range result.Attempts {
		made := CellAttempt{
			Call: cmp.Or(named[attempt.Call], attempt.Call), Number: attempt.Number, Request: rows[i].Request,
			Body: rows[i].Body, Fault: rows[i].Fault, Answer: timeless(rows[i].Answer), Reused: attempt.Use > 1,
		}
		interrupted[attempt.Call] = interrupted[attempt.Call] || early(attempt)
		switch {
		case made.Body == "":
		case early(attempt):
			made.Body = "as much as was taken"
		case interrupted[attempt.Call] && attempt.Body.Received < length[attempt.Call]:
			made.Body = "as much as was left"
		}
		if repeats[made.Call] > 1 {
			made.Reused = false
		}
		times[made]++
	}
	attempts := []CellAttempt{}
	for made, n := range times {
		if n > 1 {
			made.Times = n
		}
		attempts = append(attempts, made)
	}
	slices.SortFunc(attempts, func(a, b CellAttempt) int {
		return cmp.Or(strings.Compare(a.Call, b.Call), cmp.Compare(a.Number, b.Number), strings.Compare(a.Fault, b.Fault),
			strings.Compare(a.Answer, b.Answer), strings.Compare(a.Request, b.Request), strings.Compare(a.Body, b.Body), cmp.Compare(a.Times, b.Times))
	})
	return attempts
}

// early tells an attempt that was answered, or struck, before its body was read: how
// much of it came is chance.
func early(attempt Attempt) bool {
	at := attempt.Intended.At
	return at == "request-head" || strings.HasPrefix(at, "request-body")
}

// counted are the checks whose measure is of the machine as much as of the client.
var counted = []string{"drained", "open-after", "spread"}

// observedAlike is what a check observed, as far as it is the same in each run.
func observedAlike(result Result, check assertions.Check) string {
	switch {
	case slices.Contains(counted, check.Name) && check.OK != nil:
		return "(it varies)"
	case check.Name == "body" && slices.ContainsFunc(result.Attempts, early):
		return "(as much as was taken)"
	default:
		return timeless(check.Observed)
	}
}

// reasonBeside is the reason without what the list of known failures says, which a
// cell has in Known.
func reasonBeside(result Result) string {
	if result.Known == nil || result.Verdict != assertions.KnownFail {
		return result.Reason
	}
	return strings.TrimPrefix(result.Reason, fmt.Sprintf("%s (%s); ", result.Known.Reason, result.Known.Link))
}

// unnumbered is a text in which a repeat of a call is called by the call's name: which
// of them was first is chance.
func unnumbered(calls []Call, text string) string {
	numbers := map[string]string{}
	for _, call := range calls {
		if call.Token != call.Name {
			numbers[call.Token] = call.Name
		}
	}
	return longestFirst(numbers).Replace(text)
}

// What varies from run to run in a text: a measured time, a date, and how many bytes
// of something that was cut off came.
var (
	aTime     = regexp.MustCompile(`[-−]?\b(\d+h)?(\d+m)?\d+(\.\d+)? ?(ns|µs|ms|s)(\b|$)`)
	someTimes = regexp.MustCompile(`\(time\)(, (\(time\)|\d+ times))+`)
	aDate     = regexp.MustCompile(`\b(Mon|Tues?|Wed(nes)?|Thu(rs)?|Fri|Sat(ur)?|Sun)(day)?,? [0-9A-Za-z: -]*\d\d:\d\d:\d\d( GMT| \d{4})`)
	cutLength = regexp.MustCompile(`[\d,]+ bytes \(cut\)`)
	moreAlike = regexp.MustCompile(`\(and \d+ more like it\)`)
	partOf    = regexp.MustCompile(`[\d,]+ of ([\d,]+ (B|bytes))`)
)

// dateless is a text without its dates.
func dateless(text string) string { return aDate.ReplaceAllString(text, "(date)") }

// timeless is a text without what varies in it.
func timeless(text string) string {
	text = cutLength.ReplaceAllString(dateless(text), "a part (cut)")
	text = moreAlike.ReplaceAllString(partOf.ReplaceAllString(text, "a part of $1"), "(and more like it)")
	return someTimes.ReplaceAllString(aTime.ReplaceAllString(text, "(time)"), "(times)")
}

// roundTimes is a text with only those times in it that a policy or a contract
// says, which are round: one that was made of what was measured has more digits, and
// one that was made of a date any.
func roundTimes(text string) string {
	most := 1
	if strings.Contains(text, "Retry-After") {
		most = 0
	}
	return aTime.ReplaceAllStringFunc(text, func(found string) string {
		if _, fraction, _ := strings.Cut(strings.TrimRight(found, " nµms"), "."); len(fraction) > most {
			return "(time)"
		}
		return found
	})
}
