package faultserver

import "sync"

// A workspace is what a request is dealt with on, beside its head. Those of whole
// answers are used again, on any connection: they are the most under load, and
// nothing of theirs lives on when they are over. (Without, an attempt took an
// eighth more processor time.)
type workspace struct {
	exchange exchange
	body     requestBody
}

var (
	workspaces = sync.Pool{New: func() any { return new(workspace) }}
	heads      = sync.Pool{New: func() any { return new(head) }}
)

// free gives the workspace and the head back, where nothing can still refer to them.
func (w *workspace) free() {
	switch w.exchange.step.Act.(type) {
	case Respond, Succeed:
		*w.exchange.head = head{}
		heads.Put(w.exchange.head)
		*w = workspace{}
		workspaces.Put(w)
	}
}
