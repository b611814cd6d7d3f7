package faultsrv_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

var updateFindings = flag.Bool("update", false, "write the table of the findings anew from the matrix, to be reviewed with the text below it")

// findings says in plain words what the matrix has in cells.
const findings = "docs/findings.md"

// A finding is a row of the findings' table: what happens, and the contracts whose
// cells say to whom.
type finding struct {
	what string
	// broken are contracts of which a client breaks one or more.
	broken []string
	// kept is a contract that it keeps all the same; "" for none.
	kept string
}

var everyFinding = []finding{
	{
		what:   "A `POST` on a reused connection that has died is sent again beneath the retries, which leave a `POST` alone otherwise: two orders",
		broken: []string{"connection.a-stale-post-is-not-replayed"},
		kept:   "idempotency.a-post-is-not-retried-on-a-reset",
	},
	{
		what:   "A `POST` is sent again because its answer was lost or late: two or three orders",
		broken: []string{"idempotency.a-post-is-not-retried-on-a-reset", "idempotency.a-post-is-not-retried-on-a-timeout"},
	},
	{
		what: "The second attempt of a stream carries nothing, or the rest of it, and its `200` is success",
		broken: []string{
			"body.a-stream-is-not-replayed-in-part", "body.a-stream-on-a-dead-connection-is-not-replayed-in-part",
		},
	},
	{
		what: "Half a body is taken for the whole one",
		broken: []string{
			"response.a-cut-body-is-an-error", "response.a-cut-chunked-body-is-an-error", "response.a-bad-chunk-size-is-an-error",
		},
	},
	{
		what:   "A cancelled call, or one whose deadline has passed, sleeps its pause out",
		broken: []string{"cancellation.wakes-the-sleep", "cancellation.the-deadline-spans-the-retries"},
	},
	{
		what:   "The retries of a cancelled call go on behind its caller's back",
		broken: []string{"cancellation.ends-the-retries"},
	},
	{
		what:   "The last answer is lost: the caller gets an error without its status",
		broken: []string{"errors.the-last-status-is-kept"},
	},
	{
		what:   "A `408` that waits on an idle connection is taken for the next request's answer",
		broken: []string{"connection.an-unasked-answer-is-not-the-next-ones"},
	},
	{
		what:   "A `103` is taken for the answer, or stands in its way",
		broken: []string{"response.an-interim-answer-is-not-the-answer"},
	},
	{
		what:   "After a `103` the calls that follow on its connection get the answer before their own",
		broken: []string{"response.after-an-interim-answer-each-gets-its-own"},
	},
	{
		what: "A call does not come back: for ever, or for as long as a `Retry-After` of nonsense or beyond its deadline is taken to ask",
		broken: []string{
			"errors.a-failed-call-returns", "retry-after.no-time-to-come-is-not-slept", "retry-after.the-deadline-ends-its-pause",
		},
	},
	{
		what:   "A body that waits for `100 Continue` is never sent where none comes",
		broken: []string{"body.is-sent-where-no-100-comes"},
	},
	{
		what:   "A request whose `Expect` was refused is repeated with it, again and again",
		broken: []string{"body.a-refused-expectation-is-not-repeated-for-ever"},
	},
	{
		what:   "A timeout does not end an attempt whose server sends a byte now and then",
		broken: []string{"cancellation.an-attempt-timeout-covers-a-dribbled-head"},
	},
	{
		what: "An answer that is to be retried is read to its end first, however long it is or stalls",
		broken: []string{
			"response.a-discarded-body-is-not-read-without-end", "response.a-stalled-body-does-not-hold-the-retry",
		},
	},
	{
		what:   "A `Retry-After` that is negative or huge is no pause at all",
		broken: []string{"retry-after.a-negative-one-keeps-the-ordinary-pause", "retry-after.huge-is-no-immediate-retry"},
	},
	{
		what:   "`Retry-After: 3` is not waited for",
		broken: []string{"retry-after.seconds-on-429", "retry-after.seconds-on-503"},
	},
	{
		what:   "Of two lengths that differ one is taken, and the answer is success",
		broken: []string{"response.two-lengths-that-differ-are-an-error"},
	},
	{
		what:   "A call that is cancelled in a pause loses the failure that it was waiting for",
		broken: []string{"cancellation.keeps-the-last-failure"},
	},
	{
		what:   "A certificate that is not trusted is asked for again",
		broken: []string{"tls.an-untrusted-certificate-is-final"},
	},
	{
		what:   "A `417` is handed over, and the request is not repeated without its `Expect`",
		broken: []string{"body.a-refused-expectation-is-dropped"},
	},
}

// The verdicts of a contract that was judged: those that say that it was broken, and
// those that say that it was kept.
var (
	itBreaks = []assertions.Verdict{assertions.Fail, assertions.Weak, assertions.KnownFail}
	itKeeps  = []assertions.Verdict{assertions.Pass, assertions.UnexpectedPass}
)

// row is the finding as a row of the table: the clients whose cells have it, of those
// that were judged by one of its contracts or more.
func (f finding) row(columns []reports.Column) string {
	var who []string
	judged := 0
	for _, column := range columns {
		says := func(verdicts []assertions.Verdict, ids ...string) bool {
			return slices.ContainsFunc(column.Cells, func(c reports.Cell) bool {
				return slices.Contains(ids, c.ID) && slices.Contains(verdicts, c.Verdict)
			})
		}
		breaks := says(itBreaks, f.broken...)
		if breaks || says(itKeeps, f.broken...) {
			judged++
		}
		if breaks && (f.kept == "" || says(itKeeps, f.kept)) {
			who = append(who, column.Client.Name)
		}
	}
	slices.Sort(who)
	contracts := "`" + strings.Join(f.broken, "`, `") + "`"
	if f.kept != "" {
		contracts += " broken, `" + f.kept + "` kept"
	}
	return fmt.Sprintf("| %s | %s | %d of %d: %s |\n", f.what, contracts, len(who), judged, strings.Join(who, ", "))
}

const findingsHead = "| what happens | contracts | who, of those judged |\n| --- | --- | --- |\n"

// The table names for each finding the clients whose cells have it, and no others.
func TestTheFindingsNameWhoDoesWhat(t *testing.T) {
	t.Parallel()
	columns := committedColumns(t)
	made := findingsHead
	for _, finding := range everyFinding {
		made += finding.row(columns)
	}
	text := read(t, findings)
	before, rest, found := strings.Cut(text, findingsHead)
	rows, after, ended := strings.Cut(rest, "\n\n")
	if !found || !ended {
		t.Fatalf("%s has no table that begins with\n%s", findings, findingsHead)
	}
	if *updateFindings {
		if err := os.WriteFile(findings, []byte(before+made+"\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(findingsHead+rows+"\n", "\n"), strings.Split(made, "\n")); diff != "" {
		t.Errorf("the table is not what the matrix says: review the text below it, and run go test . -run TestTheFindings -update (-file +matrix):\n%s", diff)
	}
}

// What looks like a contract, in the text and in the table, is one.
func TestTheFindingsNameContracts(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, contract := range everyContract(t) {
		ids = append(ids, contract.ID)
	}
	named := regexp.MustCompile("`((" + strings.Join(scenarios.Areas(), "|") + `)\.[a-z0-9-]+)` + "`")
	for _, found := range named.FindAllStringSubmatch(read(t, findings), -1) {
		if !slices.Contains(ids, found[1]) {
			t.Errorf("%s names %s, which is no contract", findings, found[1])
		}
	}
	for _, finding := range everyFinding {
		if finding.kept != "" && !slices.Contains(ids, finding.kept) {
			t.Errorf("%s is no contract", finding.kept)
		}
	}
}
