package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// fidelityClients make exchanges at the same time.
const fidelityClients = 32

// fidelity compares how many exchanges are what each fault is to look like.
func fidelity(b bench) (table, error) {
	t := table{
		title: "Fidelity",
		about: fmt.Sprintf("%d exchanges a fault, each on a connection of its own, %d at the same time: of how many a raw client saw exactly what the fault is to look like, that is the bytes, and then a "+
			"FIN, a RST (ECONNRESET) or silence. By hand means taking the connection over in the handler. \"%s\" stands where a server has no such fault; some have one that is called so and is another.",
			b.size.exchanges, fidelityClients, cannot),
		head: []string{"fault"},
	}
	for _, e := range b.entrants {
		t.head = append(t.head, e.name)
	}
	faithful, tried := 0, 0
	for _, f := range faults() {
		began := time.Now()
		row := []string{f.title()}
		for i, e := range b.entrants {
			kept, why, err := trueExchanges(e, f, b.size.exchanges)
			switch {
			case errors.Is(err, errCannot):
				row = append(row, cannot)
				continue
			case err != nil:
				return table{}, fmt.Errorf("%s, %s: %w", e.name, f.name, err)
			}
			row = append(row, share(kept, b.size.exchanges))
			if why != nil {
				_, _ = fmt.Fprintf(b.progress, "%s, %s: %v\n", e.name, f.name, why)
			}
			if i == 1 {
				tried++
				if kept == b.size.exchanges {
					faithful++
				}
			}
		}
		t.rows = append(t.rows, row)
		if took := time.Since(began); took > 5*time.Second {
			_, _ = fmt.Fprintf(b.progress, "%s took %.0f s\n", f.name, took.Seconds())
		}
	}
	t.limits = []limit{{fmt.Sprintf("every exchange of every fault: %d of %d faults", faithful, tried), faithful == tried}}
	return t, nil
}

// share is a part of a whole in percent; 100 % is nothing less.
func share(part, of int) string {
	if part == of {
		return "100 %"
	}
	return fmt.Sprintf("%.1f %%", min(99.9, 100*float64(part)/float64(of)))
}

// trueExchanges counts the exchanges that were what a fault is to look like; why is
// what was wrong with the first that was not.
func trueExchanges(e entrant, f fault, exchanges int) (kept int, why, err error) {
	if e.fault == nil {
		return 0, nil, errCannot
	}
	served, err := e.fault(f)
	if err != nil {
		return 0, nil, err
	}
	defer served.stop()
	for range f.spared {
		f.raw.exchange(served.address, served.path)
	}
	var truly atomic.Int64
	var first sync.Once
	var group sync.WaitGroup
	clients := cmp.Or(f.clients, fidelityClients)
	for client := range clients {
		group.Go(func() {
			for i := client; i < exchanges; i += clients {
				if wrong := f.want(f.raw.exchange(served.address, served.path)); wrong != nil {
					first.Do(func() { why = wrong })
					continue
				}
				truly.Add(1)
			}
		})
	}
	group.Wait()
	return int(truly.Load()), why, nil
}

// ourFault is our engine, in this process, with one fault for every attempt.
func ourFault(f fault) (*target, error) {
	steps, err := faultserver.ParseScript(f.name)
	if err != nil {
		return nil, err
	}
	config := faultserver.Config{Script: steps, AfterScript: faultserver.RepeatAfterScript, TLS: f.tls}
	if f.connection {
		steps[0].Times = faultserver.Forever
		if strings.HasPrefix(f.name, "refuse") || strings.HasPrefix(f.name, "connect-hang") {
			steps[0].Times = 0 // a window is not counted
		}
		config.Script, config.AfterScript, config.Connections = nil, "", steps
	}
	var behind *faultserver.Session
	if f.pass {
		script, err := faultserver.ParseScript("503")
		if err == nil {
			behind, err = faultserver.Open(faultserver.Config{Script: script, AfterScript: faultserver.RepeatAfterScript})
		}
		if err != nil {
			return nil, err
		}
		config.Pass = behind.URL()
	}
	session, err := faultserver.Open(config)
	if err != nil {
		return nil, err
	}
	_, address, _ := strings.Cut(session.URL(), "://")
	return &target{address: address, path: "/", close: func() {
		_ = session.Close() // it is at its end
		if behind != nil {
			_ = behind.Close() // as above
		}
	}}, nil
}

// bareFault is what one does by hand.
func bareFault(self string) func(fault) (*target, error) {
	return func(f fault) (*target, error) {
		path, can := map[string]string{
			"503": "/unavailable", "stall@request-end": "/delay/1h", "reset@request-end": "/reset", "close@request-end": "/close",
			"truncate@500": "/close-cut", "truncate@500:end=rst": "/reset-cut", "close@response-body@500": "/close-cut", "reset@response-body@500": "/reset-cut",
			"malformed:bad-chunk-size": "/bad-chunk",
		}[f.name]
		if !can {
			return nil, errCannot
		}
		return serveBareAs(self, path, 0)
	}
}
