package main

import (
	"cmp"
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver/control"
)

// room is how many connections there may be at the same time, so that the process
// has files left for what clients must not keep it from: the control API, listeners
// of sessions, a journal. Once it has none, nobody is accepted, idle clients or not.
type room struct {
	// clients is how many clients under test may have; 0 for no bound.
	clients int
	// api is how many there may be to the control API, own how many to its sessions
	// with a listener of their own, and listeners how many files those listeners may
	// take; 0 for the API's defaults.
	api, own, listeners int
	// files is what bounds clients to fewer than were asked for; 0 where nothing does.
	files int
}

// roomFor is the room in a process that may open so many files, 0 for any number,
// where so many connections are asked for, 0 for no bound. Clients get three quarters
// of the files, of which each takes two where it is passed on to a real server. Beside
// an API a third of those are for its sessions with a listener of their own, half
// for the listeners and half for their connections; and the API gets one eighth.
func roomFor(files, asked int, passes, api bool) room {
	if files == 0 {
		return room{clients: asked, own: asked}
	}
	each := 1
	if passes {
		each = 2
	}
	r := room{clients: files / 4 * 3 / each}
	if api {
		eighth := max(files/8, 1)
		r = room{
			clients: files / 2 / each, own: max(min(eighth/each, control.DefaultOwnConnections), 1),
			api: min(eighth, control.DefaultConnections), listeners: eighth,
		}
	}
	if asked != 0 && asked <= r.clients {
		r.clients, r.own = asked, min(r.own, asked)
	} else {
		r.clients, r.files = max(r.clients, 1), files
	}
	return r
}

// limit bounds what the API and its sessions with a listener of their own may have.
func (r room) limit(limits *control.Limits) {
	limits.Connections, limits.OwnConnections, limits.ListenerFiles = r.api, r.own, r.listeners
	limits.SessionConnections = min(cmp.Or(r.own, control.DefaultSessionConnections), control.DefaultSessionConnections)
}

// fewConnections are less than tests by hand or of a team need.
const fewConnections = 1000

// text says that there is less than was asked for, where somebody did or it is
// little; else it is empty.
func (r room) text(asked bool) string {
	if r.files == 0 || !asked && r.clients >= fewConnections {
		return ""
	}
	return fmt.Sprintf("clients may have %s open: the process may open %d files (ulimit -n)\n", plural(r.clients, "connection"), r.files)
}
