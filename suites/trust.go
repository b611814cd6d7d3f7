package suites

import (
	"crypto/tls"
	"fmt"
	"net/http"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// A Truster is a subject whose clients have to be handed the authority that they
// are to trust when they are opened. A client in this process need not be one: it
// asks faultserver.SharedAuthority, as NewTransport does. Nor need one that sees
// by a call's URL that the server speaks TLS.
type Truster interface {
	Subject
	// OpenTrusting opens a client as Open does, for a contract whose server speaks
	// TLS and is certified by this authority.
	OpenTrusting(policy scenarios.Policy, authority *faultserver.Authority) (Client, error)
}

// NewTransport is net/http's transport for a client under test: with a pool of
// its own, past every proxy of the environment, and trusting the authority of
// this process's TLS listeners and no other. Whoever uses it, or trusts
// faultserver.SharedAuthority in a transport of its own, has the capability tls.
func NewTransport() (*http.Transport, error) {
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		return nil, fmt.Errorf("the test authority: %w", err)
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.Proxy = nil // it would stand between client and server
	transport.TLSClientConfig = &tls.Config{RootCAs: authority.Pool(), MinVersion: tls.VersionTLS12}
	return transport, nil
}

// Open implements Stage: a subject that has to be handed the authority is handed
// that of the session.
func (s *ownListener) Open(policy scenarios.Policy) (Client, error) {
	truster, asks := s.Subject.(Truster)
	if !asks || !s.secure {
		return s.Subject.Open(policy)
	}
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		return nil, fmt.Errorf("the test authority: %w", err)
	}
	return truster.OpenTrusting(policy, authority)
}
