package faultserver

import (
	"errors"
	"syscall"

	"golang.org/x/sys/unix"
)

const canSeeAcks = true

// ackedBytes is how many bytes the peer has acknowledged on a connection in
// all. The kernel tells what it still holds, sent or not; the rest of what was
// written has been acknowledged.
func ackedBytes(raw syscall.RawConn, written int64) (acked int64, open bool, err error) {
	controlErr := raw.Control(func(fd uintptr) {
		var held int
		held, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_NWRITE)
		acked, open = written-int64(held), err == nil
	})
	return acked, open, errors.Join(controlErr, err)
}
