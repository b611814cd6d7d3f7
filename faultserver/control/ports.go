package control

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"syscall"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Ports is a range of TCP ports, both ends included. The zero value is any free
// one.
type Ports struct{ First, Last int }

func (p Ports) String() string { return fmt.Sprintf("%d-%d", p.First, p.Last) }

// own opens sessions with listeners of their own.
type own struct {
	host, advertised string
	ports            Ports
	next             int // the port that is tried first
	// room is what all their connections share, files is how many the listeners
	// have open, and most how many they may.
	room        *faultserver.Room
	files, most int
}

// filesOf is how many files a session's listener may need. One that strikes at
// connections holds its port by a socket of its own while nobody listens; where
// connections then hang, it takes one that listens and up to four that fill its queue.
func filesOf(config faultserver.Config) int {
	if len(config.Connections) == 0 {
		return 1
	}
	return 6
}

// open opens a session on a port of the range, if there are files for it; close
// gives those back. The store's lock is held, in both.
func (o *own) open(config faultserver.Config) (*faultserver.Session, *problem) {
	needed := filesOf(config)
	if o.files+needed > o.most {
		return nil, tooMany.problem("the listeners of sessions that have their own have %d files open, of %d that they may, and this one needs up to %d; "+
			"delete such a session, make this one without own_listener if it need not strike at connections, or start the server where it may open more files (ulimit -n)",
			o.files, o.most, needed)
	}
	config.AdvertiseHost, config.Room = o.advertised, o.room
	session, refused := o.listen(config)
	if refused == nil {
		o.files += needed
	}
	return session, refused
}

func (o *own) close(config faultserver.Config) { o.files -= filesOf(config) }

// listen opens a session on a port of the range. A port that has just been given
// up is tried last, so that what is late for its session does not reach another.
func (o *own) listen(config faultserver.Config) (*faultserver.Session, *problem) {
	if o.ports == (Ports{}) {
		return opened(faultserver.OpenAt(net.JoinHostPort(o.host, "0"), config))
	}
	for range o.ports.Last - o.ports.First + 1 {
		if o.next < o.ports.First || o.next > o.ports.Last {
			o.next = o.ports.First
		}
		session, err := faultserver.OpenAt(net.JoinHostPort(o.host, strconv.Itoa(o.next)), config)
		o.next++
		if !errors.Is(err, faultserver.ErrPortInUse) {
			return opened(session, err)
		}
	}
	return nil, tooMany.problem("every port of %v, which sessions with a listener of their own have, is in use; delete such a session, or wait until one expires", o.ports)
}

// opened is a session that could be opened, or why it could not.
func opened(session *faultserver.Session, err error) (*faultserver.Session, *problem) {
	if errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) {
		return nil, tooMany.problem("the server has no file left for the session (%v); delete sessions, or start the server where it may open more files (ulimit -n)", err)
	}
	if err != nil {
		return nil, unusable.problem("the session cannot be opened: %v", err)
	}
	return session, nil
}
