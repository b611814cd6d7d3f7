package faultserver

import (
	"errors"
	"syscall"
)

// wsaeAddrInUse is the socket error for a port that is taken; the standard
// library has no name for it.
const (
	wsaeAddrInUse = syscall.Errno(10048)
	wsaeNotConn   = syscall.Errno(10057)
)

// isReset tells whether an error says that the peer has reset the connection.
func isReset(err error) bool {
	return errors.Is(err, syscall.WSAECONNRESET) || errors.Is(err, syscall.WSAECONNABORTED) || errors.Is(err, wsaeNotConn)
}

// isInUse tells whether an error says that a port is taken.
func isInUse(err error) bool { return errors.Is(err, wsaeAddrInUse) }
