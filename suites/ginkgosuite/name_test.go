package ginkgosuite

import "testing"

// A client that was forgotten is for its spec to report: a panic while the suite is
// being built names nobody.
func TestAForgottenClientHasAName(t *testing.T) {
	if got := nameOf(nil); got != "a client" {
		t.Errorf("got %q", got)
	}
}
