package faultserver

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"slices"
	"sync"
	"time"
)

// An Authority is a certificate authority for tests. It lives in memory alone: a
// client that is to trust the servers it certifies is given its PEM.
//
// A server is certified as whatever its client calls it: by name, as the client
// says in its hello (RFC 6066, section 3), else by the address that it has reached.
type Authority struct {
	pem     []byte
	showing map[TLSFault]request // what is certified; under "" what is right

	mu    sync.Mutex
	certs map[certified]*tls.Certificate
}

// certified is what a certificate is about; an empty name stands for this machine.
type certified struct {
	fault TLSFault
	name  string
}

// mostNames bounds the certificates that are kept. One more costs its client 0.5 ms each time.
const mostNames = 1_000

// longestName is that of a host as text (RFC 1035, section 2.3.4, less what stands
// around it there).
const longestName = 253

// SharedAuthority is the authority of this process, made when it is first asked
// for. It certifies every session with Config.TLS.
func SharedAuthority() (*Authority, error) { return sharedAuthority() }

var sharedAuthority = sync.OnceValues(newAuthority)

// PEM is the authority's certificate, to be trusted by clients.
func (a *Authority) PEM() []byte { return slices.Clone(a.pem) }

// Pool has the authority's certificate alone, for a client in Go.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.pem)
	return pool
}

// certifiedFor is how long certificates are valid, from a while ago, so that a
// client whose clock is somewhat wrong takes them.
const certifiedFor = 30 * 24 * time.Hour

// newAuthority makes an authority, and every certificate that a server on this
// machine may show.
func newAuthority() (*Authority, error) {
	now := time.Now()
	own, err := newIssuer("faultsrv test authority", now)
	if err != nil {
		return nil, err
	}
	stranger, err := newIssuer("an authority that nobody trusts", now)
	if err != nil {
		return nil, err
	}
	a := &Authority{
		pem:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: own.cert.Raw}),
		certs: map[certified]*tls.Certificate{},
		showing: map[TLSFault]request{
			"":           {own, loopbackNames, now.Add(certifiedFor)},
			TLSExpired:   {own, loopbackNames, now.Add(-24 * time.Hour)},
			TLSWrongHost: {own, []string{"elsewhere.invalid"}, now.Add(certifiedFor)},
			TLSUntrusted: {stranger, loopbackNames, now.Add(certifiedFor)},
		},
	}
	for fault := range a.showing {
		if _, err := a.certificate(fault, ""); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// loopbackNames are what a server on this machine is called.
var loopbackNames = []string{"localhost", "127.0.0.1", "::1"}

// show is the certificate that a server shows to a client that has said hello.
func (a *Authority) show(fault TLSFault, hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
	name := hello.ServerName
	if len(name) > longestName {
		name = ""
	}
	if host, _, err := net.SplitHostPort(hello.Conn.LocalAddr().String()); err == nil && name == "" {
		name = host
	}
	if slices.Contains(loopbackNames, name) || fault == TLSWrongHost {
		name = ""
	}
	return a.certificate(fault, name)
}

// certificate is one that has been made before, or a new one.
func (a *Authority) certificate(fault TLSFault, name string) (*tls.Certificate, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	about := certified{fault, name}
	if made := a.certs[about]; made != nil {
		return made, nil
	}
	ask := a.showing[fault]
	if name != "" {
		ask.names = []string{name}
	}
	made, err := ask.certificate(time.Now())
	if err == nil && len(a.certs) < mostNames {
		a.certs[about] = made
	}
	return made, err
}

// An issuer signs certificates.
type issuer struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newIssuer(name string, now time.Time) (*issuer, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("a key for %s: %w", name, err)
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: name}, NotBefore: now.Add(-certifiedFor), NotAfter: now.Add(certifiedFor),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	signed, err := sign(template, &issuer{template, key}, key)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &issuer{signed, key}, nil
}

// A request is what a certificate is asked for.
type request struct {
	of    *issuer
	names []string
	until time.Time
}

func (r request) certificate(now time.Time) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("a key for %v: %w", r.names, err)
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "faultsrv test server"}, NotBefore: now.Add(-certifiedFor), NotAfter: r.until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	for _, name := range r.names {
		if ip := net.ParseIP(name); ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		} else {
			template.DNSNames = append(template.DNSNames, name)
		}
	}
	signed, err := sign(template, r.of, key)
	if err != nil {
		return nil, fmt.Errorf("a certificate for %v: %w", r.names, err)
	}
	return &tls.Certificate{Certificate: [][]byte{signed.Raw}, PrivateKey: key, Leaf: signed}, nil
}

func sign(template *x509.Certificate, by *issuer, key *ecdsa.PrivateKey) (*x509.Certificate, error) {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	template.SerialNumber = serial
	raw, err := x509.CreateCertificate(rand.Reader, template, by.cert, key.Public(), by.key)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(raw)
}
