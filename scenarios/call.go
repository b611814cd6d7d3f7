package scenarios

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A Call is one logical request that the client is asked to make.
type Call struct {
	// Name is how expectations and moments refer to it; a call without one is
	// call-1, call-2, … by its place.
	Name string `yaml:"name"`
	// Method is GET unless said.
	Method string `yaml:"method"`
	// Path is the path and query that are asked for; "/" unless said.
	Path string `yaml:"path"`
	// Headers are those that the caller sets.
	Headers faultserver.Headers `yaml:"headers"`
	// Body is the body that the caller gives; none unless said.
	Body *faultserver.Body `yaml:"body"`
	// Repeat is how often the call is made; once unless said (0). Each repeat
	// has a token of its own: pay-1, pay-2, ….
	Repeat int `yaml:"repeat" bounds:"1..10000"`
	// Parallel is how many repeats are made at the same time; one unless said (0).
	Parallel int `yaml:"parallel" bounds:"1..1000"`
	// Script replaces the contract's script for this call, a copy for each repeat.
	Script []faultserver.Step `yaml:"script"`
	// Timeout is the caller's deadline for the whole call; none but the runner's
	// own unless said (0).
	Timeout time.Duration `yaml:"timeout"`
	// After delays the call's start until a moment.
	After *faultserver.Moment `yaml:"after"`
	// Cancel is the moment at which the caller cancels the call.
	Cancel *faultserver.Moment `yaml:"cancel"`
}

// bodyLength is how many bytes the caller gives.
func (c Call) bodyLength() int64 {
	if c.Body == nil {
		return 0
	}
	return c.Body.Len()
}
