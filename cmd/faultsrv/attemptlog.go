package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
)

// attemptLog writes what is seen of the attempts, each line as soon as it can:
// live for a reader, and as JSON lines where a journal is wanted. It takes them
// without ever holding up the server, whatever the disk or the terminal do.
type attemptLog struct {
	live     *bufio.Writer
	journal  io.WriteCloser // nil for none
	redactor *reports.Redactor

	mu    sync.Mutex
	lines []string
	// missed is how many lines there was no room for.
	missed int
	ended  []faultserver.Attempt // for the journal
	more   chan struct{}         // has an entry while there may be something to write
}

func newAttemptLog(live io.Writer, redactor *reports.Redactor) *attemptLog {
	return &attemptLog{live: bufio.NewWriterSize(live, liveBuffer), redactor: redactor, more: make(chan struct{}, 1)}
}

const (
	// mostQueued is how many lines wait to be shown to a reader who does not keep
	// up, such as a slow terminal; what is more is only counted. A journal gets all.
	mostQueued = 20_000
	// together is how long lines are gathered after some were written, so that under
	// load hundreds share a write, and nobody who reads them sees them later.
	together = 5 * time.Millisecond
	// liveBuffer is how much of them a write takes at most.
	liveBuffer = 64 << 10
)

// observe takes an attempt that has arrived, or that has ended.
func (l *attemptLog) observe(attempt faultserver.Attempt) {
	line := liveLine(attempt)
	recorded := l.journal != nil && !attempt.Open
	if line == "" && !recorded {
		return
	}
	l.mu.Lock()
	switch {
	case line == "":
	case len(l.lines) >= mostQueued:
		l.missed++
	default:
		l.lines = append(l.lines, line)
	}
	if recorded {
		l.ended = append(l.ended, attempt)
	}
	l.mu.Unlock()
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// write writes what comes until the context ends or a line cannot be written:
// a record with a gap would be worse than none.
func (l *attemptLog) write(ctx context.Context) error {
	gathered := time.NewTicker(together)
	defer gathered.Stop()
	for {
		select {
		case <-l.more:
			if err := l.flush(); err != nil {
				return err
			}
		case <-ctx.Done():
			return nil
		}
		select {
		case <-gathered.C:
		case <-ctx.Done():
			return nil
		}
	}
}

// close writes what has come since, and closes the journal.
func (l *attemptLog) close() error {
	err := l.flush()
	if l.journal != nil {
		err = errors.Join(err, l.journal.Close())
	}
	return err
}

// flush writes what has come.
func (l *attemptLog) flush() error {
	l.mu.Lock()
	lines, missed, ended := l.lines, l.missed, l.ended
	l.lines, l.missed, l.ended = nil, 0, nil
	l.mu.Unlock()
	for _, line := range lines {
		_, _ = l.live.WriteString(l.redactor.Text(line)) // the error comes with Flush
	}
	if missed > 0 {
		_, _ = fmt.Fprintf(l.live, "… %d lines more: they came faster than they could be shown\n", missed) // as above
	}
	var shown error
	if err := l.live.Flush(); err != nil {
		shown = fmt.Errorf("write the attempts: %w", err)
		l.live.Reset(io.Discard) // said once
	}
	for _, attempt := range ended { // also where nobody reads the lines any more
		if err := l.record(attempt); err != nil {
			return errors.Join(shown, fmt.Errorf("--journal: make room there or choose another file: %w", err))
		}
	}
	return shown
}

// record writes an attempt as a line of JSON, in one write.
func (l *attemptLog) record(attempt faultserver.Attempt) error {
	line, err := json.Marshal(l.redacted(attempt))
	if err != nil {
		return err
	}
	_, err = l.journal.Write(append(line, '\n'))
	return err
}

// redacted is an attempt without its secrets.
func (l *attemptLog) redacted(attempt faultserver.Attempt) faultserver.Attempt {
	attempt.Headers = l.redactor.Headers(attempt.Headers)
	attempt.Body.Trailers = l.redactor.Headers(attempt.Body.Trailers)
	attempt.Target = l.redactor.Text(attempt.Target)
	attempt.RawTarget = l.redactor.Text(attempt.RawTarget)
	return attempt
}

// liveLine is what there is to say of an attempt: what it is when it arrives;
// when it has ended nothing more, unless its step did not happen.
func liveLine(a faultserver.Attempt) string {
	if a.Open {
		return arrivalLine(a)
	}
	if a.Met || a.Step.Unscripted {
		return ""
	}
	text := fmt.Sprintf("%s#%d %.3fs not as scripted: %s", sessionText(a), a.Index, a.End.Latest.Seconds(), a.Happened.Kind)
	if a.Happened.Detail != "" {
		text += ", " + visible(a.Happened.Detail)
	}
	return text + "\n"
}

// arrivalLine is written by hand: it is what the log costs of an attempt.
func arrivalLine(a faultserver.Attempt) string {
	var room [160]byte
	line := append(append(room[:0], sessionText(a)...), '#')
	line = strconv.AppendInt(line, int64(a.Index), 10)
	line = append(line, ' ')
	line = strconv.AppendFloat(line, a.Arrived.Seconds(), 'f', 3, 64)
	line = append(append(line, "s "...), visible(a.Method)...)
	line = append(append(line, ' '), visible(a.Target)...)
	if a.Call != "" {
		line = append(append(line, " (call "...), a.Call...)
		line = strconv.AppendInt(append(line, ", attempt "...), int64(a.Number), 10)
		line = append(line, ')')
	}
	line = strconv.AppendInt(append(line, " on connection "...), int64(a.Connection), 10)
	line = strconv.AppendInt(append(line, ", request "...), int64(a.Use), 10)
	line = append(append(line, ": "...), stepText(a.Step)...)
	return string(append(line, '\n'))
}

// sessionText names the session of an attempt that is not of the one that the
// command plays.
func sessionText(a faultserver.Attempt) string {
	if a.Session == "" || a.Session == defaultSession {
		return ""
	}
	return a.Session + " "
}

func stepText(step faultserver.StepRef) string {
	switch {
	case step.Unscripted:
		return "beyond the script"
	case step.Unmatched:
		return "no step applies, so it succeeds"
	default:
		shown, more := shortened(step.Text)
		return shown + more
	}
}

// longestVisible is how many bytes of a text a line shows: a method, a target or
// the bytes of a raw step may have a megabyte, and are whole in the journal.
const longestVisible = 200

// shortened is a text as far as a line can show it, and what it leaves out.
func shortened(text string) (shown, more string) {
	if len(text) <= longestVisible {
		return text, ""
	}
	shown = strings.ToValidUTF8(text[:longestVisible], "")
	return shown, fmt.Sprintf("… (%d bytes more)", len(text)-len(shown))
}

// visible is text from the wire with nothing in it that would move a cursor, and
// no longer than a line can show.
func visible(text string) string {
	shown, more := shortened(text)
	if isPlain(shown) {
		return shown + more
	}
	quoted := strconv.QuoteToGraphic(shown)
	return quoted[1:len(quoted)-1] + more
}

// isPlain tells whether there is nothing in a text that quoting would change.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
