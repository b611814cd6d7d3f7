package resilient

import "net/http"

// Plugin is told of the requests, responses and errors of a [Client], as
// heimdall's plugins are. Its methods are called on the caller's own
// goroutine, in order, and must be safe for concurrent use.
type Plugin interface {
	// OnRequestStart comes before each attempt.
	OnRequestStart(*http.Request)
	// OnRequestEnd comes for each response, whatever its status.
	OnRequestEnd(*http.Request, *http.Response)
	// OnError comes for each attempt that failed without a response, and
	// for the end of the context in a pause.
	OnError(*http.Request, error)
}

// pluginObserver tells a plugin what an observer sees.
type pluginObserver struct{ plugin Plugin }

func (o pluginObserver) Observe(e Event) {
	switch e.Kind {
	case EventAttempt:
		o.plugin.OnRequestStart(e.Request)
	case EventResult:
		if e.Err != nil {
			o.plugin.OnError(e.Request, e.Err)
			return
		}
		o.plugin.OnRequestEnd(e.Request, e.Response)
	case EventInterrupted:
		o.plugin.OnError(e.Request, e.Err)
	case EventPause, EventEnd:
	}
}
