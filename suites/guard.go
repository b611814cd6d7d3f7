package suites

import (
	"fmt"
	"time"
)

// guarded does what is a client's own code, and bears with it: a panic is an
// error, and so is one that takes longer than the limit, which is then left
// behind. Without it one client would end the whole run, or hold it for ever.
func guarded(limit time.Duration, do func() error) error {
	done := make(chan error, 1)
	go func() {
		defer func() {
			if fault := recover(); fault != nil {
				done <- fmt.Errorf("it panicked: %v", fault)
			}
		}()
		done <- do()
	}()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("it took longer than %v", limit)
	}
}
