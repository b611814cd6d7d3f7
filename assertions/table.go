package assertions

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A Row is an attempt as a reader of a failure sees it. All fields are text;
// an empty one is shown as a dash.
type Row struct {
	// Call is the call's token; Number counts its attempts, from 1.
	Call   string
	Number int
	// Time is from the first attempt's arrival, Gap from the end (earliest) of
	// the call's previous attempt.
	Time, Gap string
	// Request is the method and target, or "(connection)" for a struck one.
	Request string
	// Body is how many bytes of the request's body came, of how many declared.
	Body string
	// Fault is the script's step, Answer what came out of it on the wire.
	Fault, Answer string
	// Connection is the connection's id, and how often it was used before.
	Connection string
	// Client is how the client left, if it left first.
	Client string
}

// Rows are the rows of a table of attempts, which are in the order of their
// arrival.
func Rows(attempts []faultserver.Attempt) []Row {
	before := make(map[string]faultserver.Attempt)
	rows := make([]Row, len(attempts))
	for i, attempt := range attempts {
		rows[i] = Row{
			Call: attempt.Call, Number: attempt.Number,
			Time:    millis(attempt.Arrived - attempts[0].Arrived),
			Request: requestText(attempt), Body: bodyText(attempt.Body),
			Fault: faultText(attempt.Step), Answer: answerText(attempt),
			Connection: connectionText(attempt), Client: attempt.Client.How,
		}
		if previous, retried := before[attempt.Call]; retried && !previous.Open {
			rows[i].Gap = millis(attempt.Arrived - previous.End.Earliest)
		}
		before[attempt.Call] = attempt
	}
	return rows
}

// Table is the table of a journal's attempts, for a message.
func Table(j faultserver.Journal) string {
	var text strings.Builder
	_ = WriteRows(&text, Rows(j.Attempts)) // a builder cannot fail
	return text.String()
}

// The rows that a long table shows of its beginning and of its end.
const (
	headRows = 30
	tailRows = 10
)

// column is a column of the table.
type column struct {
	title string
	// right tells that its values stand at the right.
	right bool
	value func(Row) string
	// optional columns are left out where no row has a value, or all have the same.
	optional bool
}

var columns = []column{
	{title: "call", optional: true, value: func(r Row) string { return r.Call }},
	{title: "#", right: true, value: func(r Row) string { return count(r.Number) }},
	{title: "time", right: true, value: func(r Row) string { return r.Time }},
	{title: "gap", right: true, value: func(r Row) string { return r.Gap }},
	{title: "request", value: func(r Row) string { return r.Request }},
	{title: "body", right: true, optional: true, value: func(r Row) string { return r.Body }},
	{title: "fault", value: func(r Row) string { return r.Fault }},
	{title: "answer", value: func(r Row) string { return r.Answer }},
	{title: "conn", value: func(r Row) string { return r.Connection }},
	{title: "client", optional: true, value: func(r Row) string { return r.Client }},
}

// WriteRows writes a table: a line of titles and a line a row. Of a long one
// the middle is left out, and said to be. It returns the writer's error.
func WriteRows(w io.Writer, rows []Row) error {
	if len(rows) == 0 {
		_, err := io.WriteString(w, "no attempt reached the server\n")
		return err
	}
	shown := shownColumns(rows)
	head, tail := rows, []Row(nil)
	if len(rows) > headRows+tailRows {
		head, tail = rows[:headRows], rows[len(rows)-tailRows:]
	}
	cells := [][]string{titles(shown)}
	for _, row := range append(head[:len(head):len(head)], tail...) {
		cells = append(cells, cellsOf(shown, row))
	}
	widths := widest(cells)
	for i, line := range cells {
		if len(tail) > 0 && i == 1+len(head) {
			if _, err := fmt.Fprintf(w, "… %s more …\n", count(len(rows)-headRows-tailRows)); err != nil {
				return err
			}
		}
		if _, err := io.WriteString(w, aligned(shown, line, widths)); err != nil {
			return err
		}
	}
	return nil
}

func shownColumns(rows []Row) []column {
	var shown []column
	for _, column := range columns {
		if !column.optional || tellsSomething(column, rows) {
			shown = append(shown, column)
		}
	}
	return shown
}

// tellsSomething tells that an optional column has something to tell: a value,
// and for the call another than everybody's.
func tellsSomething(c column, rows []Row) bool {
	for _, row := range rows {
		if value := c.value(row); value != "" && (c.title != "call" || value != c.value(rows[0])) {
			return true
		}
	}
	return false
}

func titles(columns []column) []string {
	line := make([]string, len(columns))
	for i, column := range columns {
		line[i] = column.title
	}
	return line
}

func cellsOf(columns []column, row Row) []string {
	line := make([]string, len(columns))
	for i, column := range columns {
		line[i] = orElse(column.value(row), "–")
	}
	return line
}

func widest(lines [][]string) []int {
	widths := make([]int, len(lines[0]))
	for _, line := range lines {
		for i, cell := range line {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func aligned(columns []column, line []string, widths []int) string {
	var text strings.Builder
	for i, cell := range line {
		padding := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if columns[i].right {
			cell = padding + cell
		} else {
			cell += padding
		}
		text.WriteString(cell)
		text.WriteString("  ")
	}
	return strings.TrimRight(text.String(), " ") + "\n"
}

// millis is a time of the table: "41.2ms", "1041.2ms", so that they can be
// compared down a column.
func millis(d time.Duration) string {
	return fmt.Sprintf("%.1fms", float64(d)/float64(time.Millisecond))
}

func requestText(a faultserver.Attempt) string {
	if !hasHead(a) {
		return "(connection)"
	}
	return a.Method + " " + shortened(a.Target)
}

// shortened keeps a long target from widening the table.
func shortened(text string) string {
	const longest = 40
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest-1]) + "…"
	}
	return text
}

func bodyText(body faultserver.BodyReceipt) string {
	switch {
	case body.Declared > 0 && body.Received != body.Declared:
		return fmt.Sprintf("%s of %s B", count(body.Received), count(body.Declared))
	case body.Received > 0 && !body.Complete:
		return count(body.Received) + " B, cut"
	case body.Received > 0:
		return count(body.Received) + " B"
	default:
		return ""
	}
}

func faultText(step faultserver.StepRef) string {
	switch {
	case step.Unscripted:
		return "beyond the script"
	case step.Unmatched:
		return "no step applied"
	default:
		return step.Text
	}
}

// answerText is what came of an attempt on the wire.
func answerText(a faultserver.Attempt) string {
	if a.Open {
		return "still open"
	}
	done := a.Happened
	status := "nothing"
	if done.Status != 0 {
		status = fmt.Sprintf("%d", done.Status)
	}
	switch done.Kind {
	case "answer":
		return status
	case "bad-body":
		return "refused: the body is malformed"
	case "client-left":
		return status + ", the client left"
	case "stall", "accept-hang":
		if a.Client.How == "" && a.Answered > 0 {
			return "silence, then the answer"
		}
		return status + ", then silence"
	case "stale":
		return status + ", then idle " + endText(done.End)
	case "reset":
		return sentText(done, status) + "RST"
	case "close":
		return sentText(done, status) + "FIN"
	case "truncate":
		return sentText(done, status) + endText(done.End)
	default:
		return orElse(done.Kind, status)
	}
}

// sentText is what was sent before the end; empty where nothing was.
func sentText(done faultserver.Effect, status string) string {
	if done.Status == 0 {
		return ""
	}
	return fmt.Sprintf("%s + %s B, then ", status, count(done.Body))
}

func endText(end string) string {
	switch end {
	case "fin", "rst":
		return strings.ToUpper(end)
	case "stall":
		return "silence"
	default:
		return "end"
	}
}

func connectionText(a faultserver.Attempt) string {
	text := fmt.Sprintf("%d", a.Connection)
	if a.Use > 1 {
		text += fmt.Sprintf(" (use %d)", a.Use)
	}
	return text
}
