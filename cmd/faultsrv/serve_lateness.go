package main

import (
	"sync"
	"time"
)

const (
	// timerTick is how often the machine's timers are probed; the shortest pause
	// that a contract knows is 20 ms.
	timerTick = 5 * time.Millisecond
	// timerMemory is how far back it is known how late they were.
	timerMemory = time.Hour
)

// timers measures how late timers fire on this machine, and remembers the worst
// of each second, so that no session is judged by the machine's own noise.
type timers struct {
	mu    sync.Mutex
	worst [timerMemory / time.Second]second
	// due is when the next timer is to fire.
	due  time.Time
	stop chan struct{}
	done chan struct{}
}

// second is the worst lateness of a second, in Unix time.
type second struct {
	unix  int64
	worst time.Duration
}

// measureTimers starts measuring; the caller calls end.
func measureTimers() *timers {
	t := &timers{due: time.Now().Add(timerTick), stop: make(chan struct{}), done: make(chan struct{})}
	go t.loop()
	return t
}

func (t *timers) loop() {
	defer close(t.done)
	timer := time.NewTimer(timerTick)
	defer timer.Stop()
	for {
		due := t.expect(timerTick)
		timer.Reset(timerTick)
		select {
		case <-t.stop:
			return
		case <-timer.C:
			t.record(time.Now(), time.Since(due))
		}
	}
}

// expect notes when the next timer is to fire.
func (t *timers) expect(tick time.Duration) time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.due = time.Now().Add(tick)
	return t.due
}

// record notes a timer that fired so late.
func (t *timers) record(now time.Time, late time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	at := &t.worst[now.Unix()%int64(len(t.worst))]
	if at.unix != now.Unix() {
		*at = second{unix: now.Unix()}
	}
	at.worst = max(at.worst, late)
}

// since is the worst lateness since a moment, an hour back at most, that of a timer
// included that should have fired and has not: on a machine that was held up, whoever
// asks may have its turn first.
func (t *timers) since(begun time.Time) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	worst := max(0, time.Since(t.due))
	for _, one := range t.worst {
		if one.unix >= begun.Unix() {
			worst = max(worst, one.worst)
		}
	}
	return worst
}

func (t *timers) end() {
	close(t.stop)
	<-t.done
}
