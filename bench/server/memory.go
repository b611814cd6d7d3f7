package main

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

const (
	// memoryLimit is what a stalled connection of ours may take, heap and stack.
	memoryLimit = 10 << 10
	// controlLimit is how soon the control API has to answer meanwhile.
	controlLimit = 50 * time.Millisecond
	// controlCalls is how often it is asked.
	controlCalls = 100
)

// memoryPath is where the servers of this program tell what they hold.
const memoryPath = "/memory"

// writeMemory answers with the heap and the stacks that are in use, after what
// nobody uses has been collected.
func writeMemory(w io.Writer) {
	runtime.GC()
	runtime.GC() // what pools held is collected by the second
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	_, _ = fmt.Fprintf(w, "%d", m.HeapAlloc+m.StackInuse) // a client that is gone misses nothing
}

// serveOursInProcess is a role: our engine with every request stalled, and on an
// address of its own what it holds.
func serveOursInProcess(address, tells string) error {
	steps, err := faultserver.ParseScript(ourScripts[stallAll])
	if err != nil {
		return err
	}
	if _, err := faultserver.OpenAt(address, faultserver.Config{Script: steps, AfterScript: faultserver.RepeatAfterScript}); err != nil {
		return err
	}
	return http.ListenAndServe(tells, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { writeMemory(w) })) //nolint:gosec // nobody else asks
}

// memory compares what a stalled connection takes, and asks our control API while
// all of them stall.
func memory(b bench) (table, error) {
	t := table{
		title: "Memory of a stalled connection",
		about: fmt.Sprintf("What %d connections take whose request is never answered, by the connection. Heap and stack are as the Go runtime counts them after a collection, our engine and "+
			"net/http in a process of this program; resident memory is as the kernel counts it for the server as one runs it. A proxy holds two connections for each and gets half as many.", b.size.stalled),
		head: []string{"", "heap and stack", "resident"},
	}
	for i, e := range b.entrants {
		held := "not measured"
		if i < 2 {
			perConnection, err := heldBy(i == 1, b.size.stalled)
			if err != nil {
				return table{}, fmt.Errorf("%s: %w", e.name, err)
			}
			held = fmt.Sprintf("%.1f KiB", perConnection/1024)
			if i == 1 {
				t.limits = append(t.limits, limit{fmt.Sprintf("at most %d KiB of heap and stack", memoryLimit>>10), perConnection <= memoryLimit})
			}
		}
		resident, slowest, err := residentOf(e, b.size.stalled)
		if err != nil {
			return table{}, fmt.Errorf("%s: %w", e.name, err)
		}
		t.rows = append(t.rows, []string{e.name, held, fmt.Sprintf("%.1f KiB", resident/1024)})
		if i == 1 {
			t.limits = append(t.limits, limit{fmt.Sprintf("the control API answers meanwhile within %v: the slowest of %d answers took %s",
				controlLimit, controlCalls, milliseconds(slowest)), slowest <= controlLimit})
		}
	}
	return t, nil
}

// heldBy is what a stalled connection takes of a server of this program.
func heldBy(ours bool, connections int) (float64, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	tells, err := freeAddress()
	if err != nil {
		return 0, err
	}
	path, role := "/delay/1h", []string{self, bareRole}
	if ours {
		path, role = "/", []string{self, ourRole}
	}
	p, err := listening(func(address string) []string {
		if ours {
			return append(role, address, tells)
		}
		tells = address
		return append(role, address)
	})
	if err != nil {
		return 0, err
	}
	defer p.stop()
	ask := func() (float64, error) {
		text, err := get(tells, memoryPath)
		if err != nil {
			return 0, err
		}
		return strconv.ParseFloat(text, 64)
	}
	if _, err := ask(); err != nil { // what the first answer takes is not the connections'
		return 0, err
	}
	return stalledCost(&target{address: p.address, path: path}, connections, ask, nil)
}

// residentOf is the resident memory of a stalled connection, and how slow the
// control API of ours is meanwhile.
func residentOf(e entrant, connections int) (perConnection float64, slowest time.Duration, err error) {
	served, err := e.serve(stallAll)
	if err != nil {
		return 0, 0, err
	}
	defer served.stop()
	if len(served.processes) > 1 {
		connections /= 2
	}
	perConnection, err = stalledCost(served, connections, func() (float64, error) { return served.processes[0].resident() }, func() error {
		if served.control == "" {
			return nil
		}
		for range controlCalls {
			began := time.Now()
			if _, err := get(served.control, "/v1/sessions/default"); err != nil {
				return err
			}
			slowest = max(slowest, time.Since(began))
		}
		return nil
	})
	return perConnection, slowest, err
}

// stalledCost is what is measured more once the connections are stalled, by the
// connection; meanwhile is called then.
func stalledCost(served *target, connections int, measure func() (float64, error), meanwhile func() error) (float64, error) {
	before, err := measure()
	if err != nil {
		return 0, err
	}
	conns, err := stallConnections(served, connections)
	defer func() {
		for _, conn := range conns {
			_ = conn.Close() // nothing depends on it any more
		}
	}()
	if err != nil {
		return 0, err
	}
	after, err := settledFigure(measure)
	if err != nil {
		return 0, err
	}
	if meanwhile != nil {
		err = meanwhile()
	}
	return (after - before) / float64(connections), err
}

// stallConnections opens connections, each with a request on it.
func stallConnections(served *target, connections int) ([]net.Conn, error) {
	const atOnce = 32
	var mu sync.Mutex
	var all []net.Conn
	failures := make(chan error, atOnce)
	for worker := range atOnce {
		go func() {
			failures <- func() error {
				for i := worker; i < connections; i += atOnce {
					conn, err := connect(served.address, answerTime)
					if err != nil {
						return fmt.Errorf("connection %d of %d: %w", i, connections, err)
					}
					mu.Lock()
					all = append(all, conn)
					mu.Unlock()
					if _, err := conn.Write(requestFor(served.address, served.path)); err != nil {
						return fmt.Errorf("connection %d of %d: %w", i, connections, err)
					}
				}
				return nil
			}()
		}()
	}
	var err error
	for range atOnce {
		err = errors.Join(err, <-failures)
	}
	return all, err
}

// settledFigure is a figure that has stopped growing: servers accept what has
// connected in their own time.
func settledFigure(measure func() (float64, error)) (float64, error) {
	const (
		pause  = 300 * time.Millisecond
		looks  = 40
		equals = 3
	)
	var seen []float64
	for range looks {
		figure, err := measure()
		if err != nil {
			return 0, err
		}
		seen = append(seen, figure)
		if n := len(seen); n >= equals && slices.Max(seen[n-equals:]) < 1.02*slices.Min(seen[n-equals:]) {
			break
		}
		time.Sleep(pause)
	}
	return seen[len(seen)-1], nil
}

// get is the body of a 200.
func get(address, path string) (string, error) {
	client := http.Client{Timeout: answerTime}
	response, err := client.Get("http://" + address + path) //nolint:noctx // the client has a timeout
	if err != nil {
		return "", err
	}
	body, err := io.ReadAll(response.Body)
	err = errors.Join(err, response.Body.Close())
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered %s: %.300s", path, response.Status, body)
	}
	return strings.TrimSpace(string(body)), err
}
