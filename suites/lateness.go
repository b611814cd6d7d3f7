package suites

import (
	"sync"
	"time"
)

// latenessTick is how often the machine's timers are probed. Shorter than any
// bound a contract has (the shortest pause is 20 ms), and cheap: 200 wakeups a
// second.
const latenessTick = 5 * time.Millisecond

// lateness measures how late timers fire on this machine while a run lasts, so
// that a verdict is never made of the machine's own noise.
type lateness struct {
	mu sync.Mutex
	// probes are the running measurements: the worst since each began.
	probes map[*latenessProbe]struct{}
	// due is when the next timer is to fire.
	due  time.Time
	stop chan struct{}
	done chan struct{}
}

// latenessProbe is the worst lateness since it was begun.
type latenessProbe struct{ worst time.Duration }

// measureLateness starts measuring; the caller calls end.
func measureLateness() *lateness {
	l := &lateness{
		probes: make(map[*latenessProbe]struct{}),
		due:    time.Now().Add(latenessTick),
		stop:   make(chan struct{}),
		done:   make(chan struct{}),
	}
	go l.loop()
	return l
}

func (l *lateness) loop() {
	defer close(l.done)
	timer := time.NewTimer(latenessTick)
	defer timer.Stop()
	for {
		due := l.expect(latenessTick)
		timer.Reset(latenessTick)
		select {
		case <-l.stop:
			return
		case <-timer.C:
			l.record(time.Since(due))
		}
	}
}

// expect notes when the next timer is to fire.
func (l *lateness) expect(tick time.Duration) time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.due = time.Now().Add(tick)
	return l.due
}

// record notes a timer that fired so late.
func (l *lateness) record(late time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for probe := range l.probes {
		probe.worst = max(probe.worst, late)
	}
}

// begin starts a measurement; read ends it.
func (l *lateness) begin() *latenessProbe {
	l.mu.Lock()
	defer l.mu.Unlock()
	probe := &latenessProbe{}
	l.probes[probe] = struct{}{}
	return probe
}

// read ends a measurement and gives its worst lateness, that of a timer included
// that should have fired and has not: on a machine that was held up, whoever reads
// may have its turn first.
func (l *lateness) read(probe *latenessProbe) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.probes, probe)
	return max(probe.worst, time.Since(l.due))
}

// end stops measuring.
func (l *lateness) end() {
	close(l.stop)
	<-l.done
}
