//go:build unix

package faultserver

import (
	"errors"
	"syscall"
)

// isReset tells whether an error says that the peer has reset the connection:
// the first call that hears of it gets ECONNRESET, a later write EPIPE, and the
// end of the sending side ENOTCONN.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ENOTCONN)
}

// isInUse tells whether an error says that a port is taken.
func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
