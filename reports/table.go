package reports

import (
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
)

// attemptTable is the table of a result's attempts. What a row shows is for
// assertions to say, so that a failed test and a report show the same.
func attemptTable(result Result) string {
	var text strings.Builder
	_ = assertions.WriteRows(&text, attemptRows(result)) // a builder takes everything
	return text.String()
}

func attemptRows(result Result) []assertions.Row {
	return assertions.Rows(mapped(result.Attempts, Attempt.asJournaled))
}

// asJournaled is the attempt as the journal had it, less what a report leaves
// out or hides.
func (a Attempt) asJournaled() faultserver.Attempt {
	return faultserver.Attempt{
		Call: a.Call, Number: a.Number, Index: a.Index, Connection: a.Connection, Use: a.Use,
		Arrived: a.Meta.Arrived, HeadRead: a.Meta.HeadRead, BodyRead: a.Meta.BodyRead, Answered: a.Meta.Answered,
		End:    faultserver.Interval{Earliest: a.Meta.EndEarliest, Latest: a.Meta.EndLatest},
		Open:   a.Open,
		Method: a.Method, Target: a.Target, Proto: a.Proto, Headers: a.Headers,
		Body: faultserver.BodyReceipt{
			Declared: a.Body.Declared, Chunked: a.Body.Chunked, Received: a.Body.Received,
			SHA256: a.Body.SHA256, Complete: a.Body.Complete, Kept: a.Body.Kept, Trailers: a.Body.Trailers,
		},
		Step:     faultserver.StepRef{Text: a.Step, Unscripted: a.Unscripted, Unmatched: a.Unmatched},
		Intended: a.Intended, Happened: a.Happened, Met: a.Met, Acked: a.Meta.Acked,
		Client:    faultserver.ClientEnd{How: a.ClientEnd, At: a.Meta.ClientEnd},
		Committed: a.Committed, RetryAfter: a.Meta.RetryAfter,
	}
}
