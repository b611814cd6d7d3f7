package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/reports"
)

// attemptLog writes what is seen of the attempts, each line as soon as it can:
// live for a reader, and as JSON lines where a journal is wanted. It takes them
// without ever holding up the server, whatever the disk or the terminal do.
type attemptLog struct {
	live     io.Writer
	journal  io.WriteCloser // nil for none
	redactor *reports.Redactor

	mu    sync.Mutex
	queue []faultserver.Attempt
	// missed is how many the queue had no room for.
	missed int
	more   chan struct{} // has an entry while there may be something in the queue
}

func newAttemptLog(live io.Writer, redactor *reports.Redactor) *attemptLog {
	return &attemptLog{live: live, redactor: redactor, more: make(chan struct{}, 1)}
}

// mostQueued is how many attempts wait to be shown to a reader who does not keep
// up, such as a slow terminal; what is more is only counted. A journal gets all.
const mostQueued = 20_000

// observe takes an attempt that has arrived, or that has ended.
func (l *attemptLog) observe(attempt faultserver.Attempt) {
	l.mu.Lock()
	if l.journal == nil && len(l.queue) >= mostQueued {
		l.missed++
	} else {
		l.queue = append(l.queue, attempt)
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
	for {
		select {
		case <-l.more:
			if err := l.flush(); err != nil {
				return err
			}
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

// flush writes what is in the queue.
func (l *attemptLog) flush() error {
	l.mu.Lock()
	queue, missed := l.queue, l.missed
	l.queue, l.missed = nil, 0
	l.mu.Unlock()
	for _, attempt := range queue {
		if _, err := io.WriteString(l.live, l.redactor.Text(liveLine(attempt))); err != nil {
			return fmt.Errorf("write the attempts: %w", err)
		}
		if l.journal == nil || attempt.Open {
			continue
		}
		if err := l.record(attempt); err != nil {
			return fmt.Errorf("--journal: make room there or choose another file: %w", err)
		}
	}
	if missed > 0 {
		if _, err := fmt.Fprintf(l.live, "… %d lines more: they came faster than they could be shown\n", missed); err != nil {
			return fmt.Errorf("write the attempts: %w", err)
		}
	}
	return nil
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
		call := ""
		if a.Call != "" {
			call = fmt.Sprintf(" (call %s, attempt %d)", a.Call, a.Number)
		}
		return fmt.Sprintf("%s#%d %.3fs %s %s%s on connection %d, request %d: %s\n",
			sessionText(a), a.Index, a.Arrived.Seconds(), visible(a.Method), visible(a.Target), call, a.Connection, a.Use, stepText(a.Step))
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
		return step.Text
	}
}

// longestVisible is how many bytes of a text from the wire a line shows: a method
// or a target may have a megabyte, and is whole in the journal.
const longestVisible = 200

// visible is text from the wire with nothing in it that would move a cursor, and
// no longer than a line can show.
func visible(text string) string {
	if len(text) > longestVisible {
		rest := len(text) - longestVisible
		return fmt.Sprintf("%s… (%d bytes more)", visible(text[:longestVisible]), rest)
	}
	quoted := strconv.QuoteToGraphic(text)
	return quoted[1 : len(quoted)-1]
}
