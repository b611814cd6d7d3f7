package vacant_test

import (
	"net"
	"testing"

	"github.com/faultsrv/faultsrv/internal/vacant"
)

// TestAddressesAreTheTestsOwn: nobody listens there, none is given twice, whoever
// asks for any port gets another, and one can listen there.
func TestAddressesAreTheTestsOwn(t *testing.T) {
	t.Parallel()
	mine := map[string]bool{}
	for range 300 {
		address := vacant.Address(t)
		if mine[address] {
			t.Fatalf("%s is given twice", address)
		}
		mine[address] = true
	}
	for range 300 {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer listener.Close()
		if other := listener.Addr().String(); mine[other] {
			t.Fatalf("%s went to somebody who asked for any port", other)
		}
	}
	for address := range mine {
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			t.Fatalf("somebody listens at %s", address)
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_ = listener.Close()
	}
}

// TestAnAddressThatIsGivenBackIsFree: what a test held does not stay behind.
func TestAnAddressThatIsGivenBackIsFree(t *testing.T) {
	t.Parallel()
	address, release, err := vacant.Find()
	if err != nil {
		t.Fatal(err)
	}
	if sign, err := net.ListenPacket("udp", address); err == nil {
		_ = sign.Close()
		t.Fatalf("%s is not held", address)
	}
	release()
	sign, err := net.ListenPacket("udp", address)
	if err != nil {
		t.Fatal(err)
	}
	_ = sign.Close()
}
