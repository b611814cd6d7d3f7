//go:build unix

package faultserver

import (
	"errors"
	"syscall"
)

// isReset tells whether an error says that the peer has reset the connection.
func isReset(err error) bool {
	return errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}

// isInUse tells whether an error says that a port is taken.
func isInUse(err error) bool { return errors.Is(err, syscall.EADDRINUSE) }
