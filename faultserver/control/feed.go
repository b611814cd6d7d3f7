package control

import (
	"sync"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A Feed hands on what is observed of a session's attempts to whoever watches.
// It never holds up the server: a watcher that does not keep up is cut off.
type Feed struct {
	mu       sync.Mutex
	watchers map[chan faultserver.Attempt]struct{}
}

// feedAhead is how many attempts a watcher may be behind. At 10,000 attempts a
// second, each told twice, it may sleep for 50 ms.
const feedAhead = 1024

// NewFeed is a feed that nobody watches yet.
func NewFeed() *Feed { return &Feed{watchers: map[chan faultserver.Attempt]struct{}{}} }

// Observe is for Config.Observe of the session.
func (f *Feed) Observe(a faultserver.Attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for watcher := range f.watchers {
		select {
		case watcher <- a:
		default:
			delete(f.watchers, watcher)
			close(watcher)
		}
	}
}

// watch gives what is observed from now on. The channel is closed when the
// watcher was too slow.
func (f *Feed) watch() (attempts <-chan faultserver.Attempt, stop func()) {
	watcher := make(chan faultserver.Attempt, feedAhead)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers[watcher] = struct{}{}
	return watcher, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.watchers, watcher)
	}
}
