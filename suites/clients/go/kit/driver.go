package kit

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// longestLine is how long a message may be, in bytes, as the protocol says.
const longestLine = 1 << 20

// driver answers the messages of one run.
type driver struct {
	library Library
	clients map[int64]Client // by the number that faultsrv gave them

	mu      sync.Mutex // of what follows: calls end side by side
	out     *json.Encoder
	cancels map[int64]context.CancelFunc // of the calls that are being made, by their seq
}

// Run answers messages until the input ends. Calls that are being made then are
// left: whoever ends the input waits for nothing any more. The error is of a line
// that is no message, or of a client without a version.
func Run(library Library, in io.Reader, out io.Writer) error {
	d := driver{
		library: library, clients: map[int64]Client{},
		out: json.NewEncoder(out), cancels: map[int64]context.CancelFunc{},
	}
	return d.run(in)
}

// message is every message that comes; its type says which fields it has.
type message struct {
	Type   string `json:"type"`
	Client int64  `json:"client"`
	Setup         // of open
	run           // of run and, with its Seq alone, of cancel
}

func (d *driver) run(in io.Reader) error {
	identity, err := d.library.identity()
	if err != nil {
		return fmt.Errorf("find the client's version: %w", err)
	}
	d.send(map[string]any{"type": "hello", "protocol": 1, "capabilities": d.library.Capabilities, "client": identity})
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, longestLine)
	for lines.Scan() {
		var m message
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			return fmt.Errorf("expected a message of the protocol, got %q: %w", lines.Text(), err)
		}
		d.handle(m)
	}
	return lines.Err()
}

// handle answers a message. A type that it does not know may be one of a later
// version.
func (d *driver) handle(m message) {
	switch m.Type {
	case "open":
		d.open(m.Client, m.Setup)
	case "run":
		ctx, cancel := context.WithCancel(context.Background()) //nolint:gosec // cancel calls it, at the call's end too
		d.mu.Lock()
		d.cancels[m.Seq] = cancel
		d.mu.Unlock()
		go d.call(ctx, d.clients[m.Client], m.run)
	case "cancel":
		d.cancel(m.Seq)
	case "close":
		d.clients[m.Client].Close()
		delete(d.clients, m.Client)
		d.send(map[string]any{"type": "closed", "client": m.Client})
	}
}

func (d *driver) open(number int64, setup Setup) {
	opened := map[string]any{"type": "opened", "client": number}
	client, err := d.library.Open(setup)
	switch {
	case errors.Is(err, errUnsupported):
		opened["unsupported"] = err.Error()
	case err != nil:
		opened["error"] = err.Error()
	default:
		d.clients[number] = client
	}
	d.send(opened)
}

// call makes a call, and tells what came of it.
func (d *driver) call(ctx context.Context, client Client, r run) {
	result := r.make(ctx, client, d.library.Kinds)
	d.cancel(r.Seq) // frees what the context holds
	d.send(result)
}

// cancel cancels a call as its caller would; one that has ended is left alone.
func (d *driver) cancel(seq int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if cancel, ok := d.cancels[seq]; ok {
		cancel()
		delete(d.cancels, seq)
	}
}

// send sends a message, unbuffered.
func (d *driver) send(message any) {
	d.mu.Lock()
	defer d.mu.Unlock()
	// It fails when nobody listens any more: the end of the input then ends us.
	if err := d.out.Encode(message); err != nil {
		fmt.Fprintln(os.Stderr, "send a message:", err)
	}
}
