package main

import (
	"fmt"
	"io"
	"net/http"

	"github.com/faultsrv/faultsrv/faultserver"
)

// inMemory answers without a connection, by the statuses in turn and then from
// the first again, and reads each request's body as a connection would: by
// pieces, through a buffer of its own. It is for one call at a time.
type inMemory struct {
	statuses []int
	next     int
	buffer   [32 << 10]byte

	attempts int
	bytes    int64 // of request bodies
}

// noHeader is the header of every answer; nobody writes to it.
var noHeader = http.Header{}

// RoundTrip implements http.RoundTripper.
func (m *inMemory) RoundTrip(req *http.Request) (*http.Response, error) {
	m.attempts++
	if req.Body != nil {
		for {
			n, err := req.Body.Read(m.buffer[:])
			m.bytes += int64(n)
			if err == io.EOF {
				break
			}
			if err != nil {
				return nil, fmt.Errorf("read the request's body: %w", err)
			}
		}
		req.Body.Close()
	}
	status := m.statuses[m.next]
	m.next = (m.next + 1) % len(m.statuses)
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: noHeader, Body: http.NoBody, Request: req,
	}, nil
}

// overLoopback is a server behind real sockets that gives the answers of a
// script, and then from its first again.
func overLoopback(script string) (*faultserver.Session, error) {
	steps, err := faultserver.ParseScript(script)
	if err != nil {
		return nil, err
	}
	return faultserver.Open(faultserver.Config{
		Script: steps, AfterScript: faultserver.LoopAfterScript,
		MaxAttempts: 1, // the record of millions of calls is of no use here
	})
}
