package kit

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
)

// Call is what a client is asked to make.
type Call struct {
	Method, URL string
	Header      http.Header
	// Body are the bytes to send; nil for none.
	Body []byte
	// Stream is, in place of Body, a source that can be read only once: it has no
	// way back to its beginning, and does not tell its length. The kit closes it.
	Stream io.Reader
}

// Request is the call as a request of net/http. As [http.NewRequestWithContext]
// has it, Body can be read again by GetBody, and a Stream cannot.
func (c Call) Request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, c.Method, c.URL, c.Reader())
	if err != nil {
		return nil, err
	}
	request.Header = c.Header.Clone()
	return request, nil
}

// Reader is the body as a program hands it to a library that takes a reader; nil
// where there is none.
func (c Call) Reader() io.Reader {
	switch {
	case c.Stream != nil:
		return c.Stream
	case c.Body != nil:
		return bytes.NewReader(c.Body)
	}
	return nil
}

// run is the message that asks for a call.
type run struct {
	Seq     int64       `json:"seq"`
	URL     string      `json:"url"`
	Method  string      `json:"method"`
	Headers [][2]string `json:"headers"`
	Body    *struct {
		File   string `json:"file"`
		Stream bool   `json:"stream"`
	} `json:"body"`
	Deadline Duration `json:"deadline_ms"`
}

// within is the caller's context, whose patience begins now.
func (r run) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if r.Deadline.Duration == 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, r.Deadline.Duration)
}

// call is the call that the message asks for, and what ends it. The file of a
// stream may be a pipe, and opening it waits for its writer.
func (r run) call() (Call, func() error, error) {
	call := Call{Method: r.Method, URL: r.URL, Header: http.Header{}}
	for _, line := range r.Headers {
		call.Header.Add(line[0], line[1])
	}
	end := func() error { return nil }
	if r.Body == nil {
		return call, end, nil
	}
	if !r.Body.Stream {
		body, err := os.ReadFile(r.Body.File)
		call.Body = body
		return call, end, err
	}
	file, err := os.Open(r.Body.File)
	if err != nil {
		return call, end, err
	}
	// A file can be rewound, which some libraries look for: the wrapping hides it.
	call.Stream = struct{ io.Reader }{file}
	return call, file.Close, nil
}
