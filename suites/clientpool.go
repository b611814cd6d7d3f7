package suites

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

// An opener opens clients: a subject, or a stage that it has made ready.
type opener interface {
	Open(policy scenarios.Policy) (Client, error)
}

// clientPool gives each call its client: the same one for all where they are
// shared, else one a call. All stay open until close, so that what a client
// does after a call has returned (late attempts, connections it holds) is seen.
type clientPool struct {
	opener opener
	policy scenarios.Policy
	shared bool
	// limit is how long a client may take to be opened, and to be closed.
	limit time.Duration

	mu   sync.Mutex
	open []Client
	// failed is why a client could not be opened: the next one is not tried.
	failed error
}

func (p *clientPool) take() (client Client, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared && len(p.open) > 0 {
		return p.open[0], nil
	}
	if p.failed != nil {
		return nil, p.failed
	}
	if client, p.failed = p.opened(); p.failed != nil {
		return nil, p.failed
	}
	p.open = append(p.open, client)
	return client, nil
}

// opened opens a client. One that comes too late is closed when it comes.
func (p *clientPool) opened() (Client, error) {
	// A copy, so that a client that changes its policy does not change the judge's.
	policy := p.policy.Clone()
	opened := make(chan Client, 1)
	var late atomic.Bool
	err := guarded(p.limit, func() error {
		client, err := p.opener.Open(policy)
		if err != nil {
			return err
		}
		if client == nil {
			return errors.New("Open gave neither a client nor an error")
		}
		opened <- client
		if late.Load() {
			return closeIn(opened)
		}
		return nil
	})
	if err != nil {
		late.Store(true)
		return nil, errors.Join(err, guarded(p.limit, func() error { return closeIn(opened) }))
	}
	return <-opened, nil
}

// closeIn closes the client that is in the channel, if one is: whoever takes it out
// of there is the only one to have it.
func closeIn(opened <-chan Client) error {
	select {
	case client := <-opened:
		return client.Close()
	default:
		return nil
	}
}

func (p *clientPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var problems []error
	for _, client := range p.open {
		problems = append(problems, guarded(p.limit, client.Close))
	}
	p.open = nil
	return errors.Join(problems...)
}
