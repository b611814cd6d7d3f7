package suites

import (
	"errors"
	"fmt"
	"sync"
	"syscall"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// shortages remembers when this process last ran out of file descriptors. Server
// and clients share them, so that whatever ran then may have lacked a connection
// that nobody told of, and is not judged. (With a limit of 64, a client that keeps
// every contract was found weak in one.)
type shortages struct {
	mu   sync.Mutex
	last time.Time
	what string
}

// note remembers a shortage.
func (s *shortages) note(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last, s.what = time.Now(), what
}

// noteIn remembers the shortage that a journal tells of, if it does: a listener
// fails to accept for no other reason.
func (s *shortages) noteIn(journal faultserver.Journal) {
	for _, event := range journal.Events {
		if event.Kind == "accept-failed" {
			s.note(event.Detail)
			return
		}
	}
}

// since tells of a shortage that came later than a time; empty for none.
func (s *shortages) since(begun time.Time) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last.Before(begun) {
		return ""
	}
	return fmt.Sprintf("this process could open no more files or connections while the contract ran (%s): allow it more, with `ulimit -n` or its like, or run fewer contracts side by side", s.what)
}

// isShortage tells an error of this process, which says nothing about a client.
func isShortage(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
