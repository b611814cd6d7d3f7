// Command godriver is an example of a driver in Go: it has net/http with the
// retries of resilient judged through the protocol of docs/protocol.md. It
// imports nothing of faultsrv's but the client itself, as any driver would.
//
//	go build -o godriver ./suites/clients/godriver
//	faultsrv clients check godriver
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "godriver:", err)
		os.Exit(1)
	}
}

// message is every message that comes: the type says which fields it has.
type message struct {
	Type    string      `json:"type"`
	Client  int64       `json:"client"`
	Policy  policy      `json:"policy"`
	CAFile  string      `json:"ca_file"`
	Seq     int64       `json:"seq"`
	URL     string      `json:"url"`
	Method  string      `json:"method"`
	Headers [][2]string `json:"headers"`
	Body    *struct {
		File   string `json:"file"`
		Length int64  `json:"length"`
		Stream bool   `json:"stream"`
	} `json:"body"`
	DeadlineMS float64 `json:"deadline_ms"`
}

// server is what the messages act on.
type server struct {
	clients map[int64]*client
	calls   calls
	out     output
	running sync.WaitGroup
}

// run answers messages until the input ends, and then waits for its calls.
func run(in io.Reader, out io.Writer) error {
	s := server{clients: map[int64]*client{}, out: output{to: json.NewEncoder(out)}}
	s.out.send(map[string]any{
		"type": "hello", "protocol": 1,
		"client": map[string]string{
			"name": "godriver", "version": strings.TrimPrefix(runtime.Version(), "go"), "language": runtime.Version(),
		},
		"capabilities": []string{
			"retry", "attempts", "backoff", "timeout", "attempt-timeout", "method", "headers", "request-body",
			"streamed-body", "cancel", "shared", "parallel", "status", "error-kind", "response-body", "tls",
		},
	})
	messages := bufio.NewScanner(in)
	messages.Buffer(nil, 1<<20) // no message is longer
	for messages.Scan() {
		var m message
		if err := json.Unmarshal(messages.Bytes(), &m); err != nil {
			return fmt.Errorf("read a message: %w", err)
		}
		s.handle(m)
	}
	s.calls.cancelAll()
	s.running.Wait()
	return messages.Err()
}

func (s *server) handle(m message) {
	switch m.Type {
	case "open":
		client, err := newClient(m.Policy, m.CAFile)
		answer := map[string]any{"type": "opened", "client": m.Client}
		if err != nil {
			answer["unsupported"] = err.Error()
		} else {
			s.clients[m.Client] = client
		}
		s.out.send(answer)
	case "run":
		client, ctx := s.clients[m.Client], s.calls.begin(m.Seq)
		s.running.Go(func() {
			result := client.call(ctx, m)
			s.calls.end(m.Seq)
			result.Type, result.Seq = "result", m.Seq
			s.out.send(result)
		})
	case "cancel":
		s.calls.cancel(m.Seq)
	case "close":
		s.clients[m.Client].close()
		delete(s.clients, m.Client)
		s.out.send(map[string]any{"type": "closed", "client": m.Client})
	}
}

// output sends one message at a time, since calls end at the same time.
type output struct {
	mu sync.Mutex
	to *json.Encoder
}

func (o *output) send(message any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// It fails when nobody listens any more: the end of the input then ends us.
	if err := o.to.Encode(message); err != nil {
		fmt.Fprintln(os.Stderr, "godriver: send a message:", err)
	}
}
