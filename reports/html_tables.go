package reports

import (
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// attemptTableView has the same data as the timeline, as text. Times are in
// milliseconds since the first attempt's arrival.
type attemptTableView struct {
	Rows []attemptRowView
	// The columns that not every table needs.
	HasCall, HasAllowed, HasBody, HasClient bool
}

// attemptRowView is an attempt, or (Skipped) how many are not listed here.
type attemptRowView struct {
	Skipped                                      int
	Call                                         string
	Number                                       int
	Arrived, HeadRead, BodyRead, Answered, Ended string
	Gap, Allowed                                 string
	Missed                                       bool
	Request, Body, Fault, Answer, Connection     string
	Client, Class                                string
}

func newAttemptTable(result Result) *attemptTableView {
	if len(result.Attempts) == 0 {
		return nil
	}
	table := &attemptTableView{HasCall: len(result.Calls) > 1}
	zero, limits, rows := zeroOf(result), allowances(result.Checks), attemptRows(result)
	previous := map[string]AttemptMeta{}
	for i, attempt := range result.Attempts {
		row, meta := rows[i], attempt.Meta
		view := attemptRowView{
			Call: clean(attempt.Call), Number: attempt.Number,
			Arrived: columnOf(meta.Arrived - zero), HeadRead: timeOrNone(meta.HeadRead, zero), BodyRead: timeOrNone(meta.BodyRead, zero),
			Answered: timeOrNone(meta.Answered, zero), Ended: timeOrNone(meta.EndLatest, zero), Gap: unknownTime,
			Request: clean(attempt.requestText()), Body: clean(row.Body), Fault: clean(row.Fault), Answer: clean(row.Answer),
			Connection: clean(row.Connection), Client: clean(row.Client), Class: effectOf(attempt).Class,
		}
		if meta.Gap != nil {
			view.Gap = columnOf(*meta.Gap)
		}
		if attempt.Open {
			view.Ended = unknownTime
		}
		if allowed, limited := limits[limitKey{attempt: attempt.Index}]; limited {
			view.Allowed, view.Missed = allowed.pauseText(previous[attempt.Call]), !allowed.kept
		}
		previous[attempt.Call] = meta
		table.HasAllowed = table.HasAllowed || view.Allowed != ""
		table.HasBody = table.HasBody || view.Body != ""
		table.HasClient = table.HasClient || view.Client != ""
		table.Rows = append(table.Rows, view)
	}
	shown, skipped := ends(table.Rows)
	table.Rows = withGap(shown, skipped, attemptRowView{Skipped: skipped})
	return table
}

// withGap puts a row where rows were left out.
func withGap[T any](shown []T, skipped int, gap T) []T {
	if skipped == 0 {
		return shown
	}
	return append(append(shown[:headLanes:headLanes], gap), shown[headLanes:]...)
}

// requestText is the request line, whole; of a struck connection there is none.
func (a Attempt) requestText() string {
	if a.Method == "" {
		return "(connection)"
	}
	return a.Method + " " + a.Target
}

// callTableView are the calls and what the caller got of each.
type callTableView struct {
	Rows                      []callRowView
	HasCancelled, HasAttempts bool
}

type callRowView struct {
	Skipped                                int
	Call, Request, Body                    string
	Started, Cancelled, Returned           string
	Outcome, Class, Message, Note, Matches string
	Answer                                 string
	Attempts                               string
}

func newCallTable(result Result) *callTableView {
	if len(result.Calls) == 0 {
		return nil
	}
	table, zero := &callTableView{}, zeroOf(result)
	made := map[string]int{}
	for _, attempt := range result.Attempts {
		made[attempt.Call]++
	}
	for _, call := range result.Calls {
		row := newCallRow(call, zero)
		if claimed := call.Outcome.Attempts; claimed > 0 {
			row.Attempts = fmt.Sprintf("%d, the server saw %d", claimed, made[call.Token])
			table.HasAttempts = true
		}
		table.HasCancelled = table.HasCancelled || call.Meta.Cancelled > 0
		table.Rows = append(table.Rows, row)
	}
	shown, skipped := ends(table.Rows)
	table.Rows = withGap(shown, skipped, callRowView{Skipped: skipped})
	return table
}

func newCallRow(call Call, zero time.Duration) callRowView {
	got := call.Outcome
	row := callRowView{
		Call: clean(call.Token), Request: clean(call.Method + " " + call.Path),
		Started: columnOf(call.Meta.Started - zero), Cancelled: timeOrNone(call.Meta.Cancelled, zero), Returned: timeOrNone(call.Meta.Returned, zero),
		Outcome: clean(shortOutcome(got)), Note: clean(got.Note), Class: "neutral",
	}
	if call.BodyLength > 0 {
		row.Body = fmt.Sprintf("%d B", call.BodyLength)
	}
	switch got.Kind {
	case scenarios.ErrorOutcome, scenarios.ClientErrorOutcome:
		row.Class = "failed"
	case scenarios.ResponseOutcome, scenarios.SuccessOutcome:
		row.Class = "ok"
	default:
	}
	if got.BodySHA256 != "" {
		row.Answer = clean(fmt.Sprintf("body of %d B, SHA-256 %.12s…", got.BodyLength, got.BodySHA256))
	}
	if got.Error != nil {
		row.Message = clean(got.Error.Message)
		for i, kind := range got.Error.Chain {
			if i > 0 {
				row.Matches += ", "
			}
			row.Matches += clean(string(kind))
		}
	}
	return row
}
