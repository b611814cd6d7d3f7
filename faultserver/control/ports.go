package control

import (
	"errors"
	"fmt"
	"net"
	"strconv"

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
}

// open opens a session on a port of the range. A port that has just been given
// up is tried last, so that what is late for its session does not reach another.
// The store's lock is held.
func (o *own) open(config faultserver.Config) (*faultserver.Session, *problem) {
	config.AdvertiseHost = o.advertised
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
	if err != nil {
		return nil, unusable.problem("the session cannot be opened: %v", err)
	}
	return session, nil
}
