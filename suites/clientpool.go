package suites

import (
	"errors"
	"sync"

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

	mu   sync.Mutex
	open []Client
}

func (p *clientPool) take() (client Client, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shared && len(p.open) > 0 {
		return p.open[0], nil
	}
	// A copy, so that a client that changes its policy does not change the judge's.
	client, err = p.opener.Open(p.policy.Clone())
	if err != nil {
		return nil, err
	}
	p.open = append(p.open, client)
	return client, nil
}

func (p *clientPool) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var problems []error
	for _, client := range p.open {
		problems = append(problems, client.Close())
	}
	p.open = nil
	return errors.Join(problems...)
}
