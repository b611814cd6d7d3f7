package faultserver

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// A portJam is a listening socket whose queue is full and that accepts nothing:
// Linux drops the SYN of further connections, which hang.
type portJam struct{ fds []int }

const (
	// jamTime bounds how long filling the queue may take; on loopback it takes
	// microseconds.
	jamTime = time.Second
	// jamFillers bounds how many connections fill it. A queue of length 0 holds one.
	jamFillers = 4
)

// jamPort listens on an address, whose port is held, and fills the queue.
func jamPort(address string) (*portJam, error) {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	fd, err := boundSocket(target)
	if err != nil {
		return nil, err
	}
	jam := &portJam{[]int{fd}}
	if err := unix.Listen(fd, 0); err != nil {
		return nil, errors.Join(os.NewSyscallError("listen", err), jam.close())
	}
	if ip := target.Addr(); ip.IsUnspecified() {
		loopback := netip.IPv6Loopback()
		if ip.Is4() {
			loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})
		}
		target = netip.AddrPortFrom(loopback, target.Port())
	}
	for range jamFillers {
		if full, err := jam.fill(target); full || err != nil {
			return jam, err
		}
	}
	return jam, fmt.Errorf("%d connections do not fill a queue of length 0", jamFillers)
}

// fill begins a connection that nobody accepts, and tells whether the queue is
// full then.
func (j *portJam) fill(target netip.AddrPort) (full bool, err error) {
	family, to := sockaddrOf(target)
	fd, err := unix.Socket(family, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return false, os.NewSyscallError("socket", err)
	}
	j.fds = append(j.fds, fd)
	if err := unix.Connect(fd, to); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		return false, os.NewSyscallError("connect", err)
	}
	for deadline := time.Now().Add(jamTime / jamFillers); time.Now().Before(deadline); time.Sleep(50 * time.Microsecond) {
		// Of a listening socket these are the queue's length and its limit.
		info, err := unix.GetsockoptTCPInfo(j.fds[0], unix.IPPROTO_TCP, unix.TCP_INFO)
		if err != nil {
			return false, os.NewSyscallError("getsockopt", err)
		}
		if info.Unacked > info.Sacked {
			return true, nil
		}
	}
	return false, nil
}

// close stops listening, which resets what waits in the queue.
func (j *portJam) close() error {
	var problems []error
	for _, fd := range j.fds {
		problems = append(problems, unix.Close(fd))
	}
	return errors.Join(problems...)
}
