package main

import (
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// hardOfHearing is a client that is told of no attempt, whatever it is asked.
type hardOfHearing struct{ suites.Subject }

func (hardOfHearing) Told(policy scenarios.Policy) scenarios.Policy {
	policy.Attempts = new(int)
	return policy
}

// What the runner asks of a subject it asks of a client in Go, too, though that
// is wrapped.
func TestAClientInGoSaysWhatItIsTold(t *testing.T) {
	t.Parallel()
	three := 3
	asked := scenarios.Policy{Attempts: &three}
	if told := (goClient{hardOfHearing{}}).Told(asked); *told.Attempts != 0 {
		t.Errorf("told %d attempts, want those of the subject", *told.Attempts)
	}
	var exact suites.Subject
	if told := (goClient{exact}).Told(asked); *told.Attempts != 3 {
		t.Errorf("told %d attempts, want those that were asked for", *told.Attempts)
	}
}
