package main

import (
	"context"
	"sync"
)

// calls are those that are being made, by their seq, with what cancels them.
type calls struct {
	mu   sync.Mutex
	open map[int64]context.CancelFunc
}

// begin gives a call its context.
func (c *calls) begin(seq int64) context.Context {
	ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // end calls it
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open == nil {
		c.open = map[int64]context.CancelFunc{}
	}
	c.open[seq] = cancel
	return ctx
}

// cancel cancels a call as its caller would; one that has ended is left alone.
func (c *calls) cancel(seq int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.open[seq]; ok {
		cancel()
	}
}

func (c *calls) cancelAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, cancel := range c.open {
		cancel()
	}
}

// end frees what a call holds.
func (c *calls) end(seq int64) {
	c.cancel(seq)
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.open, seq)
}
