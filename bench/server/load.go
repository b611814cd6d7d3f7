package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"
)

// A load is the same request over and over, on keep-alive connections that each
// wait for an answer before they ask again. It does as little as it can: what the
// load costs is time that the server does not get.
type load struct {
	address     string
	path        string
	connections int
	// requests are made on each connection.
	requests int
	// status is what every answer has to have.
	status int
}

// answerTime bounds how long an answer may take.
const answerTime = 30 * time.Second

// run makes the requests, and gives how long each took; took is how long they
// took together.
func (l load) run() (latencies []time.Duration, took time.Duration, err error) {
	clients := make([]*client, l.connections)
	for i := range clients {
		if clients[i], err = dial(l.address, l.path); err != nil {
			return nil, 0, err
		}
		defer clients[i].close()
	}
	latencies = make([]time.Duration, l.connections*l.requests)
	failures := make(chan error, l.connections)
	began := time.Now()
	for i, c := range clients {
		go func() { failures <- c.ask(latencies[i*l.requests:(i+1)*l.requests], l.status) }()
	}
	for range clients {
		err = errors.Join(err, <-failures)
	}
	return latencies, time.Since(began), err
}

// A client is one keep-alive connection.
type client struct {
	conn    net.Conn
	request []byte
	buffer  []byte
}

func dial(address, path string) (*client, error) {
	conn, err := connect(address, answerTime)
	if err != nil {
		return nil, err
	}
	return &client{conn: conn, request: requestFor(address, path), buffer: make([]byte, 64<<10)}, nil
}

// connect opens a connection within a time.
func connect(address string, within time.Duration) (net.Conn, error) {
	dialer := net.Dialer{Timeout: within}
	conn, err := dialer.DialContext(context.Background(), "tcp", address)
	if err != nil {
		return nil, fmt.Errorf("connect to the server under test: %w", err)
	}
	return conn, nil
}

func requestFor(address, path string) []byte {
	return []byte("GET " + path + " HTTP/1.1\r\nHost: " + address + "\r\nUser-Agent: bench\r\nAccept: */*\r\n\r\n")
}

// ask makes as many requests as there are places for their latencies.
func (c *client) ask(latencies []time.Duration, status int) error {
	if err := c.conn.SetDeadline(time.Now().Add(answerTime + time.Duration(len(latencies))*time.Millisecond)); err != nil {
		return err
	}
	before := time.Now()
	for i := range latencies {
		got, _, err := c.exchange()
		if err != nil {
			return fmt.Errorf("request %d of %d on a connection: %w", i+1, len(latencies), err)
		}
		if got != status {
			return fmt.Errorf("request %d of %d on a connection was answered %d, expected %d", i+1, len(latencies), got, status)
		}
		after := time.Now()
		latencies[i], before = after.Sub(before), after
	}
	return nil
}

// exchange makes one request, and gives its answer's status and body. The body
// is valid until the next exchange.
func (c *client) exchange() (status int, body []byte, err error) {
	if _, err := c.conn.Write(c.request); err != nil {
		return 0, nil, err
	}
	return c.answer()
}

var (
	headEnd      = []byte("\r\n\r\n")
	lengthName   = []byte("\r\nContent-Length: ")
	chunkedLine  = []byte("\r\nTransfer-Encoding: chunked\r\n")
	chunkedEnd   = []byte("\r\n0\r\n\r\n")
	statusOffset = len("HTTP/1.1 ")
)

// answer reads one answer, whose end a length or chunks tell.
func (c *client) answer() (status int, body []byte, err error) {
	filled, bodyAt, end := 0, 0, -1
	chunked := false
	for {
		n, err := c.conn.Read(c.buffer[filled:])
		filled += n
		if err != nil {
			return 0, nil, fmt.Errorf("after %d bytes of an answer: %w", filled, err)
		}
		data := c.buffer[:filled]
		if bodyAt == 0 {
			at := bytes.Index(data, headEnd)
			if at < 0 {
				continue
			}
			bodyAt = at + len(headEnd)
			if status, end, chunked, err = readHead(data[:at+2]); err != nil {
				return 0, nil, err
			}
			end += bodyAt
		}
		if chunked && bytes.HasSuffix(data[bodyAt-2:], chunkedEnd) || !chunked && filled >= end {
			return status, data[bodyAt:], nil
		}
		if filled == len(c.buffer) {
			return 0, nil, fmt.Errorf("an answer of more than %d bytes", filled)
		}
	}
}

// readHead reads the little of an answer's head that its end depends on; the head
// ends with the CRLF of its last line.
func readHead(head []byte) (status, length int, chunked bool, err error) {
	if len(head) < statusOffset+3 {
		return 0, 0, false, fmt.Errorf("a head that is no answer's: %q", head)
	}
	if status, err = strconv.Atoi(string(head[statusOffset : statusOffset+3])); err != nil {
		return 0, 0, false, fmt.Errorf("a head that is no answer's: %q", head)
	}
	if bytes.Contains(head, chunkedLine) {
		return status, 0, true, nil
	}
	_, digits, found := bytes.Cut(head, lengthName)
	if !found {
		return status, 0, false, nil
	}
	digits, _, _ = bytes.Cut(digits, []byte("\r\n"))
	if length, err = strconv.Atoi(string(digits)); err != nil {
		return 0, 0, false, fmt.Errorf("a length that is none: %q", digits)
	}
	return status, length, false, nil
}

func (c *client) close() { _ = c.conn.Close() } // nothing depends on it any more
