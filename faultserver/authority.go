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
	"sync"
	"time"
)

// An Authority is a certificate authority for tests. It lives in memory alone: a
// client that is to trust the servers it certifies is given its PEM.
type Authority struct {
	pem   []byte
	certs map[TLSFault]*tls.Certificate // the right one under ""
}

// SharedAuthority is the authority of this process, made when it is first asked
// for. It certifies every session with Config.TLS.
func SharedAuthority() (*Authority, error) { return sharedAuthority() }

var sharedAuthority = sync.OnceValues(newAuthority)

// PEM is the authority's certificate, to be trusted by clients.
func (a *Authority) PEM() []byte { return append([]byte{}, a.pem...) }

// Pool has the authority's certificate alone, for a client in Go.
func (a *Authority) Pool() *x509.CertPool {
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(a.pem)
	return pool
}

// certifiedFor is how long certificates are valid, from a while ago, so that a
// client whose clock is somewhat wrong takes them.
const certifiedFor = 30 * 24 * time.Hour

// newAuthority makes an authority, and every certificate that a server may show.
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
		certs: map[TLSFault]*tls.Certificate{},
	}
	for fault, ask := range map[TLSFault]request{
		"":           {own, loopbackNames, now.Add(certifiedFor)},
		TLSExpired:   {own, loopbackNames, now.Add(-24 * time.Hour)},
		TLSWrongHost: {own, []string{"elsewhere.invalid"}, now.Add(certifiedFor)},
		TLSUntrusted: {stranger, loopbackNames, now.Add(certifiedFor)},
	} {
		if a.certs[fault], err = ask.certificate(now); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// loopbackNames are what a server on this machine is called.
var loopbackNames = []string{"localhost", "127.0.0.1", "::1"}

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
		Subject: pkix.Name{CommonName: r.names[0]}, NotBefore: now.Add(-certifiedFor), NotAfter: r.until,
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
