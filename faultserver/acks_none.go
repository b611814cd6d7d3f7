//go:build !linux && !darwin

package faultserver

import (
	"errors"
	"syscall"
)

const canSeeAcks = false

// ackedBytes fails: this platform does not tell what a peer has acknowledged.
func ackedBytes(syscall.RawConn, int64) (acked int64, open bool, err error) {
	return 0, false, errors.ErrUnsupported
}
