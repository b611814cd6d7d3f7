package suites

import (
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// slowOpener opens a client when it is let, and says when that is closed.
type slowOpener struct {
	Client

	let, closed chan struct{}
}

func (o *slowOpener) Open(scenarios.Policy) (Client, error) {
	<-o.let
	return o, nil
}

func (o *slowOpener) Close() error {
	close(o.closed)
	return nil
}

// TestAClientThatComesTooLateIsClosed: nobody calls it any more, and what it holds,
// such as a process, would be left behind.
func TestAClientThatComesTooLateIsClosed(t *testing.T) {
	t.Parallel()
	opener := &slowOpener{let: make(chan struct{}), closed: make(chan struct{})}
	pool := &clientPool{opener: opener, limit: time.Millisecond}
	if _, err := pool.take(); err == nil {
		t.Fatal("a client that was never opened was given")
	}
	close(opener.let)
	select {
	case <-opener.closed:
	case <-time.After(10 * time.Second):
		t.Error("it was not closed")
	}
}
