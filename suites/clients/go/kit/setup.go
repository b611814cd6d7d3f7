package kit

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"time"
)

// Setup is what a client is opened with.
type Setup struct {
	Policy Policy `json:"policy"`
	// CAFile is a PEM file with the authorities that the client is to trust; empty
	// where its calls are not made over TLS.
	CAFile string `json:"ca_file"`
}

// Policy is how the client is to retry. The zero value of a field says that the
// policy does not ask for it.
type Policy struct {
	// Attempts are the requests that a call may make, the first one included.
	Attempts int      `json:"attempts"`
	Backoff  Backoff  `json:"backoff"`
	Timeouts Timeouts `json:"timeouts"`
	// Methods and Statuses are those that may be retried, all of them.
	Methods  []string `json:"methods"`
	Statuses []int    `json:"statuses"`
	// RetryAfterCap is the longest Retry-After that is waited for.
	RetryAfterCap Duration `json:"retry_after_cap_ms"`
	Breaker       *Breaker `json:"breaker"`
	Budget        *Budget  `json:"budget"`
	Hedge         *Hedge   `json:"hedge"`
}

// Retries are the attempts after the first one.
func (p Policy) Retries() int { return max(p.Attempts-1, 0) }

// Timeouts are those of a policy. That of the whole call is not among them: every
// call's deadline has taken it in.
type Timeouts struct {
	// Attempt is the timeout of one attempt.
	Attempt Duration `json:"attempt_ms"`
}

// Breaker opens a client after failures, one after the other, for a time, and then
// lets some calls through.
type Breaker struct {
	Failures int      `json:"failures"`
	Open     Duration `json:"open_ms"`
	Probes   int      `json:"probes"`
}

// Budget is never more retries than Ratio × calls + Reserve.
type Budget struct {
	Ratio   float64 `json:"ratio"`
	Reserve int     `json:"reserve"`
}

// Hedge sends a further attempt, up to Max of them, after each Delay without an
// answer.
type Hedge struct {
	Delay Duration `json:"delay_ms"`
	Max   int      `json:"max"`
}

// Duration comes as a number of milliseconds, with a fraction where there is one.
type Duration struct{ time.Duration }

// UnmarshalJSON reads it; what is too long to be a time.Duration is the longest.
func (d *Duration) UnmarshalJSON(text []byte) error {
	var ms float64
	if err := json.Unmarshal(text, &ms); err != nil {
		return fmt.Errorf("expected a number of milliseconds: %w", err)
	}
	d.Duration = saturated(ms * float64(time.Millisecond))
	return nil
}

// saturated is a number of nanoseconds as a duration.
func saturated(nanoseconds float64) time.Duration {
	if nanoseconds >= math.MaxInt64 {
		return math.MaxInt64
	}
	return time.Duration(nanoseconds)
}

// Authorities are the certificates to trust; nil, which means the system's, where
// the setup has no file.
func (s Setup) Authorities() (*x509.CertPool, error) {
	if s.CAFile == "" {
		return nil, nil //nolint:nilnil // crypto/tls takes a nil pool as the system's
	}
	pem, err := os.ReadFile(s.CAFile)
	if err != nil {
		return nil, fmt.Errorf("read whom to trust: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(pem) {
		return nil, fmt.Errorf("expected certificates in PEM in %s, found none", s.CAFile)
	}
	return pool, nil
}

// Transport is for a library that would use net/http's default one: it has the
// same settings, but connections of its own, and trusts the setup's authorities.
func (s Setup) Transport() (*http.Transport, error) {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	return transport, s.Trust(transport)
}

// Trust makes a transport trust the setup's authorities, if it has any.
func (s Setup) Trust(transport *http.Transport) error {
	pool, err := s.Authorities()
	if err != nil || pool == nil {
		return err
	}
	transport.TLSClientConfig = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	return nil
}
