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
	// api is how many there may be to the control API; 0 for its default.
	api int
	// files is what bounds clients to fewer than were asked for; 0 where nothing does.
	files int
}

// roomFor is the room in a process that may open so many files, 0 for any number,
// where so many connections are asked for, 0 for no bound. Clients get three quarters
// of the files, of which each takes two where it is passed on to a real server, and
// the API one eighth.
func roomFor(files, asked int, passes bool) room {
	if files == 0 {
		return room{clients: asked}
	}
	clients := files / 4 * 3
	if passes {
		clients /= 2
	}
	r := room{clients: asked, api: max(min(files/8, control.DefaultConnections), 1)}
	if asked == 0 || asked > clients {
		r.clients, r.files = max(clients, 1), files
	}
	return r
}

// limit bounds what the API's sessions with a listener of their own may have alike.
func (r room) limit(limits *control.Limits) {
	limits.Connections = r.api
	limits.SessionConnections = min(cmp.Or(r.clients, control.DefaultSessionConnections), control.DefaultSessionConnections)
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
