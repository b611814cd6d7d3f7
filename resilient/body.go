package resilient

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// hasBody reports whether a request carries bytes that a retry must repeat.
func hasBody(req *http.Request) bool {
	return req.Body != nil && req.Body != http.NoBody
}

// closeBody closes a body that was not handed to the base, which would.
func closeBody(req *http.Request) {
	if req.Body != nil {
		req.Body.Close()
	}
}

// buffered returns the request with a body that can be had again, where it
// fits into limit bytes, and otherwise with a body that yields the same bytes
// once. The given request is not modified. Its Content-Length stays as it is,
// declared or not, so that every attempt is framed in the same way.
//
// The bytes are held once: each attempt reads them through a reader of its own.
func buffered(req *http.Request, limit int64) (*http.Request, error) {
	if limit <= 0 || req.Body == nil || req.GetBody != nil || req.ContentLength > limit {
		return req, nil
	}
	if req.Body == http.NoBody {
		req = req.WithContext(req.Context())
		req.GetBody = func() (io.ReadCloser, error) { return http.NoBody, nil }
		return req, nil
	}
	ctx, original := req.Context(), &onceCloser{ReadCloser: req.Body}
	// Closing is the one way to end a read that waits for a slow source.
	unwatch := context.AfterFunc(ctx, func() { original.Close() })
	prefix, err := io.ReadAll(io.LimitReader(original, limit+1))
	unwatch()
	if ctx.Err() != nil {
		original.Close()
		_, err = contextCause(ctx)
		return nil, err
	}
	if err != nil {
		original.Close()
		return nil, fmt.Errorf("the request body could not be read: %w", err)
	}
	req = req.WithContext(ctx)
	if int64(len(prefix)) > limit {
		req.Body = &joinedBody{Reader: io.MultiReader(bytes.NewReader(prefix), original), Closer: original}
		return req, nil
	}
	original.Close()
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(prefix)), nil }
	req.Body, _ = req.GetBody()
	return req, nil
}

// freshBody returns the body of the next attempt.
func freshBody(getBody func() (io.ReadCloser, error)) (io.ReadCloser, error) {
	body, err := getBody()
	if err != nil {
		return nil, fmt.Errorf("GetBody failed: %w", err)
	}
	if body == nil {
		return nil, errors.New("GetBody returned neither a body nor an error")
	}
	return body, nil
}

type joinedBody struct {
	io.Reader
	io.Closer
}

// onceCloser closes once, though the context and the reader may both close.
type onceCloser struct {
	io.ReadCloser
	once sync.Once
	err  error
}

func (c *onceCloser) Close() error {
	c.once.Do(func() { c.err = c.ReadCloser.Close() })
	return c.err
}
