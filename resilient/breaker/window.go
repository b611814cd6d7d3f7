package breaker

import "time"

// windowBuckets is how finely a rolling window rolls: by a tenth of its length.
const windowBuckets = 10

type tally struct{ calls, failures int }

// window counts the results of the last seconds, in buckets.
type window struct {
	width   time.Duration // of a bucket
	current int64         // the number of the bucket that is filled now
	buckets [windowBuckets]tally
	sum     tally
}

func newWindow(length time.Duration) window {
	return window{width: length / windowBuckets}
}

func (w *window) add(now time.Duration, failed bool) {
	w.slide(now)
	bucket := &w.buckets[w.current%windowBuckets]
	bucket.calls++
	w.sum.calls++
	if failed {
		bucket.failures++
		w.sum.failures++
	}
}

// slide forgets the buckets that have left the window.
func (w *window) slide(now time.Duration) {
	bucket := max(int64(now/w.width), w.current)
	for range min(bucket-w.current, windowBuckets) {
		w.current++
		old := &w.buckets[w.current%windowBuckets]
		w.sum.calls -= old.calls
		w.sum.failures -= old.failures
		*old = tally{}
	}
	w.current = bucket
}

func (w *window) clear() {
	clear(w.buckets[:])
	w.sum = tally{}
}
