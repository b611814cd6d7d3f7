package scenarios

import (
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A Call is one logical request that the client is asked to make.
type Call struct {
	// Name is how expectations and moments refer to it; empty calls get
	// "call-1", "call-2", … by their place.
	Name string `yaml:"name"`
	// Method is GET by default, Path "/".
	Method  string              `yaml:"method"`
	Path    string              `yaml:"path"`
	Headers faultserver.Headers `yaml:"headers"`
	Body    *faultserver.Body   `yaml:"body"`
	// Repeat is how often the call is made; 0 means once. Each repeat has a
	// token of its own: "pay-1", "pay-2", ….
	Repeat int `yaml:"repeat" bounds:"1..10000"`
	// Parallel is how many repeats are made at the same time; 0 means one.
	Parallel int `yaml:"parallel" bounds:"1..1000"`
	// Script replaces the contract's script for this call, a copy for each repeat.
	Script []faultserver.Step `yaml:"script"`
	// Timeout is the caller's deadline for the whole call, 0 means none but the
	// runner's own.
	Timeout time.Duration `yaml:"timeout"`
	// After delays the call's start until a moment; Cancel cancels the call then.
	After  *faultserver.Moment `yaml:"after"`
	Cancel *faultserver.Moment `yaml:"cancel"`
}
