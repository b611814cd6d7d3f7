package breaker

import (
	"sync"
	"sync/atomic"
	"time"
)

// State of a [Breaker].
type State uint8

// The states.
const (
	Closed   State = iota // calls pass, and their results are counted
	Open                  // no call passes
	HalfOpen              // a few calls pass, as probes
)

// String names the state.
func (s State) String() string {
	switch s {
	case Closed:
		return "closed"
	case Open:
		return "open"
	case HalfOpen:
		return "half-open"
	}
	return "unknown"
}

// Breaker is the state machine: it says which calls pass, and is told how
// they went. It is safe for concurrent use, and all who share the value share
// its state; there is no registry.
type Breaker struct {
	cfg   config
	epoch time.Time // what times are measured from; monotonic

	// era is the state and how many changes led to it. It is written under
	// the lock and read without it, so that a closed breaker admits a call
	// by one load.
	era atomic.Uint64

	mu       sync.Mutex
	openedAt time.Duration
	window   window // of the closed state
	failed   int    // failures in a row, in the closed state
	probes   []probe
	passed   int    // probes that succeeded in this half-open state
	lastID   uint64 // of a probe
}

// probe is a slot of the half-open state. Its ID is 0 while it is free.
type probe struct {
	id    uint64
	since time.Duration
}

// New returns a closed breaker. All bad options are reported in one error.
func New(opts ...Option) (*Breaker, error) {
	cfg, err := newConfig(opts)
	if err != nil {
		return nil, err
	}
	return newBreaker(cfg), nil
}

func newBreaker(cfg config) *Breaker {
	return &Breaker{cfg: cfg, epoch: time.Now(), probes: make([]probe, cfg.probes), window: newWindow(cfg.window)}
}

const stateBits = 2

func stateOf(era uint64) State { return State(era & (1<<stateBits - 1)) }

// Allow asks whether a call may pass. The permit must be settled, by exactly
// one of its methods, when the call has ended, also where it panics. The
// error is an [*OpenError].
func (b *Breaker) Allow() (Permit, error) {
	if era := b.era.Load(); stateOf(era) == Closed {
		return Permit{breaker: b, era: era}, nil
	}
	b.mu.Lock()
	permit, change, err := b.allow(time.Since(b.epoch))
	b.mu.Unlock()
	b.announce(change)
	return permit, err
}

// allow decides under the lock.
func (b *Breaker) allow(now time.Duration) (permit Permit, change Change, err error) {
	switch stateOf(b.era.Load()) {
	case Closed: // since the look without the lock
		return Permit{breaker: b, era: b.era.Load()}, change, nil
	case Open:
		if left := b.left(now); left > 0 {
			return Permit{}, change, &OpenError{Name: b.cfg.name, State: Open, Left: left}
		}
		change = b.become(HalfOpen)
	case HalfOpen:
	}
	slot := b.freeProbe(now)
	if slot < 0 {
		return Permit{}, change, &OpenError{Name: b.cfg.name, State: HalfOpen}
	}
	b.lastID++
	b.probes[slot] = probe{id: b.lastID, since: now}
	return Permit{breaker: b, era: b.era.Load(), slot: slot, id: b.lastID}, change, nil
}

// freeProbe finds a slot for one more probe: exactly as many pass as still
// have to succeed. A probe that takes too long loses its slot.
func (b *Breaker) freeProbe(now time.Duration) int {
	free, under := -1, 0
	for i, p := range b.probes {
		if p.id != 0 && now-p.since < b.cfg.probeTimeout {
			under++
		} else if free < 0 {
			free = i
		}
	}
	if under+b.passed >= len(b.probes) {
		return -1
	}
	return free
}

// become changes the state, under the lock. What belongs to the state before
// is forgotten, and the results of its calls no longer count.
func (b *Breaker) become(next State) Change {
	era := b.era.Load()
	b.failed, b.passed = 0, 0
	b.window.clear()
	clear(b.probes)
	b.era.Store((era>>stateBits+1)<<stateBits | uint64(next))
	return Change{Name: b.cfg.name, From: stateOf(era), To: next}
}

// announce runs the callback, outside the lock.
func (b *Breaker) announce(change Change) {
	if change.From != change.To && b.cfg.onChange != nil {
		b.cfg.onChange(change)
	}
}

// settle counts the result of a call. The result of a call that began in an
// earlier state changes nothing, and nor does that of an expired probe.
func (b *Breaker) settle(p Permit, r result) {
	if r == neutral && stateOf(p.era) == Closed {
		return // it took no slot
	}
	now := time.Since(b.epoch)
	b.mu.Lock()
	var change Change
	if b.era.Load() == p.era {
		if stateOf(p.era) == HalfOpen {
			change = b.settleProbe(p, r, now)
		} else {
			change = b.count(r, now)
		}
	}
	b.mu.Unlock()
	b.announce(change)
}

func (b *Breaker) settleProbe(p Permit, r result, now time.Duration) Change {
	if b.probes[p.slot].id != p.id {
		return Change{}
	}
	b.probes[p.slot] = probe{}
	switch r {
	case failure:
		b.openedAt = now
		return b.become(Open)
	case success:
		b.passed++
		if b.passed == len(b.probes) {
			return b.become(Closed)
		}
	case neutral:
	}
	return Change{}
}

func (b *Breaker) count(r result, now time.Duration) Change {
	b.window.add(now, r == failure)
	if r == success {
		b.failed = 0
		return Change{}
	}
	b.failed++
	if !b.cfg.trips(b.failed, b.window.sum) {
		return Change{}
	}
	b.openedAt = now
	return b.become(Open)
}

// Snapshot is what a breaker looks like at one moment.
type Snapshot struct {
	State    State
	Calls    int           // counted in the rolling window, in the closed state
	Failures int           // among these
	Left     time.Duration // of the sleep window, in the open state; then 0
}

// Snapshot looks at the breaker. An open breaker whose sleep window is over
// is still open, with nothing left, until the next call makes it half-open.
func (b *Breaker) Snapshot() Snapshot {
	now := time.Since(b.epoch)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.window.slide(now)
	s := Snapshot{State: stateOf(b.era.Load()), Calls: b.window.sum.calls, Failures: b.window.sum.failures}
	if s.State == Open {
		s.Left = max(b.left(now), 0)
	}
	return s
}

// admits reports whether the next call would pass, whatever others are under way.
func (b *Breaker) admits() bool {
	s := b.Snapshot()
	return s.State == Closed || s.State == Open && s.Left == 0
}

// left is what is left of the sleep window; the order of the terms keeps the
// longest window from overflowing.
func (b *Breaker) left(now time.Duration) time.Duration {
	return b.cfg.sleepWindow - (now - b.openedAt)
}

// State is the state alone.
func (b *Breaker) State() State { return stateOf(b.era.Load()) }
