//go:build !linux

package faultserver

import (
	"errors"
	"syscall"
)

const canHoldPort = false

// shareable fails: whether a bound socket that does not listen answers a SYN
// is not known here.
func shareable(_, _ string, _ syscall.RawConn) error { return errors.ErrUnsupported }

// A portHold does not exist on this platform.
type portHold struct{}

func holdPort(string) (*portHold, string, error) { return nil, "", errors.ErrUnsupported }

func (*portHold) close() error { return errors.ErrUnsupported }

// A portJam does not exist on this platform.
type portJam struct{}

func jamPort(string) (*portJam, error) { return nil, errors.ErrUnsupported }

func (*portJam) close() error { return errors.ErrUnsupported }
