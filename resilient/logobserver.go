package resilient

import (
	"context"
	"log/slog"
)

// NewLogObserver returns an observer that logs: attempts, results and ends of
// calls at the debug level, pauses and calls that were given up at the
// warning level. A nil logger is slog.Default(), as it is at each event.
//
// URLs are logged with their passwords redacted, and neither headers nor
// bodies are logged.
func NewLogObserver(logger *slog.Logger) Observer {
	return logObserver{logger}
}

type logObserver struct{ logger *slog.Logger }

func (o logObserver) Observe(e Event) {
	logger, ctx := o.logger, context.Background()
	if logger == nil {
		logger = slog.Default()
	}
	if e.Request != nil {
		ctx = e.Request.Context()
	}
	if level := e.level(); logger.Enabled(ctx, level) {
		logger.LogAttrs(ctx, level, logMessages[e.Kind], e.attributes()...)
	}
}

var logMessages = map[EventKind]string{
	EventAttempt:     "http attempt",
	EventResult:      "http attempt ended",
	EventPause:       "http retry follows",
	EventInterrupted: "http pause interrupted",
	EventEnd:         "http call ended",
}

// level says how much an event matters: what costs the caller time or the
// result is a warning.
func (e Event) level() slog.Level {
	if e.Kind == EventPause || e.Kind == EventInterrupted || e.Kind == EventEnd && e.Cause != "" {
		return slog.LevelWarn
	}
	return slog.LevelDebug
}

func (e Event) attributes() []slog.Attr {
	attrs := []slog.Attr{slog.Int("attempt", e.Attempt)}
	if e.Request != nil {
		attrs = append(attrs, slog.String("method", e.Request.Method), slog.String("url", redactedURL(e.Request.URL)))
	}
	if e.Response != nil {
		attrs = append(attrs, slog.Int("status", e.Response.StatusCode))
	}
	if e.Err != nil {
		attrs = append(attrs, slog.String("reason", e.Err.Error()))
	}
	if e.Hedge {
		attrs = append(attrs, slog.Bool("hedge", true))
	}
	switch e.Kind {
	case EventResult:
		attrs = append(attrs, slog.String("decision", e.Decision.String()), slog.Duration("elapsed", e.Elapsed))
	case EventPause:
		attrs = append(attrs, slog.Duration("delay", e.Delay))
	case EventEnd:
		attrs = append(attrs, slog.String("cause", string(e.Cause)), slog.Duration("elapsed", e.Elapsed))
	case EventAttempt, EventInterrupted:
	}
	if e.BudgetLeft >= 0 {
		attrs = append(attrs, slog.Float64("budget_left", e.BudgetLeft))
	}
	if e.Breaker != "" {
		attrs = append(attrs, slog.String("breaker", e.Breaker))
	}
	return attrs
}
