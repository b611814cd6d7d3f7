package kit

import (
	"bytes"
	"context"
	"fmt"
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
	// way back to its beginning, and does not tell its length.
	Stream io.ReadCloser
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

// context is the caller's: it ends with its patience, and when it cancels.
func (r run) context() (context.Context, context.CancelFunc) {
	if r.Deadline.Duration == 0 {
		return context.WithCancel(context.Background())
	}
	return context.WithTimeout(context.Background(), r.Deadline.Duration)
}

// call is the call that the message asks for. The file of a stream may be a pipe,
// and opening it waits for its writer.
func (r run) call() (Call, error) {
	call := Call{Method: r.Method, URL: r.URL, Header: http.Header{}}
	for _, line := range r.Headers {
		call.Header.Add(line[0], line[1])
	}
	if r.Body == nil {
		return call, nil
	}
	var err error
	if r.Body.Stream {
		call.Stream, err = openOnce(r.Body.File)
	} else {
		call.Body, err = os.ReadFile(r.Body.File)
	}
	if err != nil {
		return call, fmt.Errorf("read the body of the call: %w", err)
	}
	return call, nil
}

// openOnce opens a file as a stream. The wrapping hides that a file can be
// rewound, which some libraries look for.
func openOnce(path string) (io.ReadCloser, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	return struct{ io.ReadCloser }{file}, nil
}
