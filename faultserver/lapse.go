package faultserver

import "time"

// A lapse is a silence in which nothing is left to do but to wait, and what
// follows it where the client is still there.
type lapse struct {
	length time.Duration
	then   func()
}

// lapseFor leaves the exchange in silence for a time, or with 0 until the client
// leaves. It is the last that an act does: the connection's own loop waits, on a
// stack that has nothing else on it, so that the runtime can make that smaller.
// (Waiting inside the act, 10,000 stalled connections had stacks of 8 KiB each.)
func (x *exchange) lapseFor(d time.Duration, then func()) {
	if d == 0 {
		d = longestSilence
	}
	x.settled()
	x.lapse = &lapse{d, then}
}

// lapsed waits for the lapse that the last exchange has left, if it has, and takes
// that to its end. It tells whether the connection lives on.
func (c *conn) lapsed() bool {
	x := c.lapsing
	if x == nil {
		return false
	}
	return x.resume(c.in.watch(x.lapse.length, nil, c.ended))
}

// resume takes the exchange from its lapse to its end.
func (x *exchange) resume(here bool) bool {
	then := x.lapse.then
	x.conn.lapsing, x.lapse = nil, nil
	defer x.wrapUp()
	if !here {
		x.noteLeaving()
		return false
	}
	then()
	return x.keep
}
