// Package vacant finds addresses for tests: one at which nobody listens, or at which
// a program will, that has to be known before. It belongs to tests alone, and
// imports nothing of ours.
package vacant

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

const (
	// lowest and count are the ports that are drawn from. No system gives them to
	// whoever asks for any port, or connects: Linux begins with 32768 there, macOS
	// and Windows with 49152. A port of those that was free is somebody else's a
	// moment later: of 500, all were taken by 20,000 others that asked for any.
	lowest, count = 20000, 12000
	// tries is how many ports are tried: far more than are ever in use.
	tries = 1000
)

// Address is one of 127.0.0.1 that is the test's until its end.
func Address(t testing.TB) string {
	t.Helper()
	address, release, err := Find()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return address
}

// Find gives an address of 127.0.0.1 at which nobody listens, and which no other
// test is given before release is called.
func Find() (address string, release func(), err error) {
	for range tries {
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(lowest+rand.IntN(count)))
		if release, ok := claim(address); ok {
			return address, release, nil
		}
	}
	return "", nil, errors.New("found no port from 20000 to 31999 of 127.0.0.1 that is free; who holds them all?")
}

// claim takes the port of UDP as a sign for other processes that the one of TCP,
// which is left free, is taken.
func claim(address string) (release func(), ok bool) {
	var config net.ListenConfig
	sign, err := config.ListenPacket(context.Background(), "udp", address)
	if err != nil {
		return nil, false
	}
	listener, err := config.Listen(context.Background(), "tcp", address)
	if err != nil {
		_ = sign.Close()
		return nil, false
	}
	_ = listener.Close() // nobody has connected
	return func() { _ = sign.Close() }, true
}
