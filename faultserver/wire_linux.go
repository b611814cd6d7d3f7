package faultserver

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

const (
	canSeeAcks  = true
	canHoldPort = true
)

// ackedBytes is how many bytes the peer has acknowledged on a connection in
// all, a FIN of ours included; open is false once the peer has reset it. The
// kernel counts them itself: what was written is of no use here.
func ackedBytes(raw syscall.RawConn, _ int64) (acked int64, open bool, err error) {
	controlErr := raw.Control(func(fd uintptr) {
		var info *unix.TCPInfo
		if info, err = unix.GetsockoptTCPInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_INFO); err == nil {
			acked, open = int64(info.Bytes_acked), info.State != unix.BPF_TCP_CLOSE
		}
	})
	return acked, open, errors.Join(controlErr, err)
}

// shareable lets a listener's port be bound by a second socket of this user.
func shareable(_, _ string, raw syscall.RawConn) (err error) {
	controlErr := raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1)
	})
	return errors.Join(controlErr, err)
}

// A portHold keeps a port taken without listening on it: while it is the only
// socket there, a SYN is answered by RST, and no other user can take the port.
type portHold struct{ fd int }

// holdPort binds a socket that does not listen; port 0 takes a free one. It
// returns the address that was bound.
func holdPort(address string) (*portHold, string, error) {
	tcp, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return nil, "", err
	}
	fd, err := boundSocket(tcp.AddrPort())
	if err != nil {
		return nil, "", err
	}
	hold := &portHold{fd}
	bound, err := unix.Getsockname(fd)
	if err != nil {
		return nil, "", errors.Join(os.NewSyscallError("getsockname", err), hold.close())
	}
	switch bound := bound.(type) {
	case *unix.SockaddrInet4:
		return hold, netip.AddrPortFrom(netip.AddrFrom4(bound.Addr), uint16(bound.Port)).String(), nil
	case *unix.SockaddrInet6:
		return hold, netip.AddrPortFrom(netip.AddrFrom16(bound.Addr), uint16(bound.Port)).String(), nil
	}
	return nil, "", errors.Join(fmt.Errorf("bound to %T, which is no TCP address", bound), hold.close())
}

func (h *portHold) close() error { return unix.Close(h.fd) }

// boundSocket is a socket bound to an address that others of this user may bind, too.
func boundSocket(address netip.AddrPort) (fd int, err error) {
	family, target := sockaddrOf(address)
	fd, err = unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return -1, os.NewSyscallError("socket", err)
	}
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return -1, errors.Join(os.NewSyscallError("setsockopt", err), unix.Close(fd))
	}
	if err := unix.Bind(fd, target); err != nil {
		return -1, errors.Join(os.NewSyscallError("bind", err), unix.Close(fd))
	}
	return fd, nil
}

func sockaddrOf(address netip.AddrPort) (family int, target unix.Sockaddr) {
	if ip := address.Addr().Unmap(); ip.Is4() {
		return unix.AF_INET, &unix.SockaddrInet4{Port: int(address.Port()), Addr: ip.As4()}
	}
	return unix.AF_INET6, &unix.SockaddrInet6{Port: int(address.Port()), Addr: address.Addr().As16()}
}
