package resilient

import (
	"context"
	"errors"
	"io"
	"net/http"
)

// attemptError marks an error that an attempt's own timeout brought about,
// while the caller's context lives.
func attemptError(caller, attempt context.Context, err error) error {
	var timeout *attemptTimeoutError
	if caller.Err() != nil || errors.As(err, &timeout) || !errors.As(context.Cause(attempt), &timeout) {
		return err
	}
	return &attemptTimeoutError{after: timeout.after, err: err}
}

// cancelOnClose ties an attempt's context to the body of its response: the
// body can be read until it is closed, and then nothing is left behind.
func cancelOnClose(body io.ReadCloser, cancel context.CancelFunc) io.ReadCloser {
	if body == http.NoBody {
		cancel()
		return body
	}
	if stream, ok := body.(io.ReadWriteCloser); ok {
		return &attemptStream{ReadWriteCloser: stream, cancel: cancel}
	}
	return &attemptBody{ReadCloser: body, cancel: cancel}
}

type attemptBody struct {
	io.ReadCloser
	cancel context.CancelFunc
}

func (b *attemptBody) Close() error {
	defer b.cancel()
	return b.ReadCloser.Close()
}

// attemptStream keeps the connection of a 101 response writable.
type attemptStream struct {
	io.ReadWriteCloser
	cancel context.CancelFunc
}

func (s *attemptStream) Close() error {
	defer s.cancel()
	return s.ReadWriteCloser.Close()
}
