package main

import (
	"errors"
	"fmt"
	"os"
	"time"
)

// A task is what a server is to do with every request.
type task string

// The tasks.
const (
	refuseAll task = "503"   // answer 503 at once
	delayAll  task = "delay" // answer 200 after delay
	stallAll  task = "stall" // never answer
)

// delay is how late delayAll answers.
const delay = 50 * time.Millisecond

// An entrant is a server that takes part.
type entrant struct {
	name string
	// slow tells that it takes long to start: it is started once for all rounds, and
	// not anew for each.
	slow bool
	// serve starts it on a task; nil of a task tells that it cannot.
	serve func(task) (*target, error)
	// fault starts it on a fault of the fidelity table; it fails with errCannot where
	// it has none like that. Nil tells that it has none at all.
	fault func(fault) (*target, error)
	// distinct starts it on a script of so many answers, each to be given once; nil
	// where it has no scripts.
	distinct func(answers int) (*target, error)
}

// errCannot is of a server that has no means for a task.
var errCannot = errors.New(cannot)

// A target is a server that does its task.
type target struct {
	address, path string
	// status is that of its answers.
	status int
	// control is where its control API listens; empty where it has none.
	control string
	// processes are the server's own, and then those that it needs behind it.
	processes []*process
	// close ends what is served in this process; nil for nothing.
	close func()
}

// stop ends all of it.
func (t *target) stop() {
	if t.close != nil {
		t.close()
	}
	for _, p := range t.processes {
		p.stop()
	}
}

// cpu is the processor time of the server, and of what it needs.
func (t *target) cpu() (used time.Duration, err error) {
	for _, p := range t.processes {
		of, err := p.cpu()
		if err != nil {
			return 0, err
		}
		used += of
	}
	return used, nil
}

// entrants are all that take part: bare first, then ours, then the peers.
func entrants(o options) ([]entrant, error) {
	if _, err := os.Stat(o.faultsrv); err != nil {
		return nil, fmt.Errorf("-faultsrv: expected a program that `make build` has built: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	all := []entrant{bareEntrant(self), ourEntrant(o.faultsrv)}
	if o.peers == "" {
		return all, nil
	}
	peers, err := peerEntrants(o, self)
	return append(all, peers...), err
}

// listening starts a command of a server, with its own address in the place of
// ADDRESS, and waits until it accepts connections.
func listening(command func(address string) []string) (*process, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	p, err := start(address, command(address)...)
	if err != nil {
		return nil, err
	}
	if err := p.accepts(); err != nil {
		p.stop()
		return nil, err
	}
	return p, nil
}

func bareEntrant(self string) entrant {
	return entrant{name: "net/http by hand", fault: bareFault(self), distinct: func(int) (*target, error) {
		return serveBareAs(self, "/distinct", 200)
	}, serve: func(t task) (*target, error) {
		switch t {
		case delayAll:
			return serveBareAs(self, "/delay/"+delay.String(), 200)
		case stallAll:
			return serveBareAs(self, "/delay/1h", 200)
		}
		return serveBareAs(self, "/unavailable", 503)
	}}
}

func serveBareAs(self, path string, status int) (*target, error) {
	p, err := listening(func(address string) []string { return []string{self, bareRole, address} })
	if err != nil {
		return nil, err
	}
	return &target{address: p.address, path: path, status: status, processes: []*process{p}}, nil
}

// ourScripts are the tasks in our notation.
var ourScripts = map[task]string{
	refuseAll: "503", delayAll: "200:delay=" + delay.String(), stallAll: "stall",
}

// ourEntrant is ours as one runs it: its journal is on, and it writes a line for
// each attempt to standard output, which is /dev/null here.
func ourEntrant(program string) entrant {
	return entrant{name: "faultsrv", fault: ourFault, distinct: func(answers int) (*target, error) {
		return serveOurs(program, distinctScript(answers), 200, "fail")
	}, serve: func(t task) (*target, error) {
		switch t {
		case delayAll:
			return serveOurs(program, ourScripts[t], 200, "repeat")
		case stallAll:
			control, err := freeAddress()
			if err != nil {
				return nil, err
			}
			served, err := serveOurs(program, ourScripts[t], 200, "repeat", "--control", control)
			if err == nil {
				served.control = control
			}
			return served, err
		}
		return serveOurs(program, ourScripts[t], 503, "repeat")
	}}
}

// serveOurs plays a script; more are further arguments.
func serveOurs(program, script string, status int, after string, more ...string) (*target, error) {
	p, err := listening(func(address string) []string {
		return append([]string{program, "serve", "--listen", address, "--script", script, "--after-script", after}, more...)
	})
	if err != nil {
		return nil, err
	}
	return &target{address: p.address, path: "/", status: status, processes: []*process{p}}, nil
}
