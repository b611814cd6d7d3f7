package faultserver

import (
	"crypto/tls"
	"net"
	"strings"
	"testing"
	"time"
)

// at is a connection to an address of this machine.
type at struct {
	net.Conn

	address string
}

func (a at) LocalAddr() net.Addr { return &net.TCPAddr{IP: net.ParseIP(a.address), Port: 8503} }

func TestAClientThatSaysNoNameIsShownTheAddressThatItHasReached(t *testing.T) {
	authority, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for _, address := range []string{"127.0.0.1", "::1", "192.0.2.7", "2001:db8::7"} {
		shown, err := authority.show("", &tls.ClientHelloInfo{Conn: at{address: address}})
		if err != nil {
			t.Fatal(err)
		}
		if err := shown.Leaf.VerifyHostname(address); err != nil {
			t.Error(err)
		}
	}
}

// A name that no host can have costs no memory, however long it is.
func TestANameThatIsTooLongIsTakenForNone(t *testing.T) {
	authority, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	before := len(authority.certs)
	shown, err := authority.show("", &tls.ClientHelloInfo{Conn: at{address: "127.0.0.1"}, ServerName: strings.Repeat("a", 60_000)})
	if err != nil {
		t.Fatal(err)
	}
	if err := shown.Leaf.VerifyHostname("127.0.0.1"); err != nil || len(authority.certs) > before {
		t.Errorf("%d certificates are kept; want %d (%v)", len(authority.certs), before, err)
	}
}

// A client that asks for ever new names fills no memory.
func TestKeptCertificatesAreBounded(t *testing.T) {
	authority, err := newAuthority()
	if err != nil {
		t.Fatal(err)
	}
	for len(authority.certs) < mostNames {
		authority.certs[certified{"", time.Duration(len(authority.certs)).String()}] = &tls.Certificate{}
	}
	shown, err := authority.show("", &tls.ClientHelloInfo{Conn: at{address: "127.0.0.1"}, ServerName: "one-more.example"})
	if err != nil {
		t.Fatal(err)
	}
	if err := shown.Leaf.VerifyHostname("one-more.example"); err != nil || len(authority.certs) > mostNames {
		t.Errorf("%d certificates are kept, want %d at most (%v)", len(authority.certs), mostNames, err)
	}
}
