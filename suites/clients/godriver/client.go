package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

// client is an http.Client with the policy that it was opened with.
type client struct {
	http *http.Client
	base *http.Transport
}

// newClient makes a client with a transport, and so connections, of its own.
func newClient(p policy, caFile string) (*client, error) {
	options, err := p.options()
	if err != nil {
		return nil, err
	}
	base := http.DefaultTransport.(*http.Transport).Clone()
	if caFile != "" {
		authorities, err := trusting(caFile)
		if err != nil {
			return nil, err
		}
		base.TLSClientConfig = &tls.Config{RootCAs: authorities, MinVersion: tls.VersionTLS12}
	}
	transport, err := resilient.New(base, options...)
	if err != nil {
		return nil, err
	}
	return &client{http: &http.Client{Transport: transport}, base: base}, nil
}

// trusting has the authorities that are in a PEM file.
func trusting(caFile string) (*x509.CertPool, error) {
	authorities := x509.NewCertPool()
	text, err := os.ReadFile(caFile)
	if err == nil && !authorities.AppendCertsFromPEM(text) {
		err = fmt.Errorf("%s has no certificate", caFile)
	}
	return authorities, err
}

func (c *client) close() { c.base.CloseIdleConnections() }

// result is the message that tells what became of a call.
type result struct {
	Type       string      `json:"type"`
	Seq        int64       `json:"seq"`
	Outcome    string      `json:"outcome"`
	Status     int         `json:"status,omitempty"`
	Headers    [][2]string `json:"headers,omitempty"`
	BodySHA256 string      `json:"body_sha256,omitempty"`
	BodyLength int64       `json:"body_length,omitempty"`
	Error      *failure    `json:"error,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Attempts   int         `json:"attempts,omitempty"`
	ElapsedMS  float64     `json:"elapsed_ms"`
}

// call makes a call as a program would that uses the client.
func (c *client) call(ctx context.Context, m message) result {
	started := time.Now()
	if m.DeadlineMS > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, milliseconds(m.DeadlineMS))
		defer cancel()
	}
	got := c.do(ctx, m)
	got.ElapsedMS = float64(time.Since(started)) / float64(time.Millisecond)
	return got
}

func (c *client) do(ctx context.Context, m message) result {
	request, err := newRequest(ctx, m)
	if err != nil {
		return result{Outcome: "unsupported", Reason: err.Error()}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return failed(err)
	}
	got := result{Outcome: "response", Status: response.StatusCode, Attempts: resilient.Info(response).Attempts}
	for name, values := range response.Header {
		for _, value := range values {
			got.Headers = append(got.Headers, [2]string{name, value})
		}
	}
	hash := sha256.New()
	got.BodyLength, err = io.Copy(hash, response.Body)
	got.BodySHA256 = hex.EncodeToString(hash.Sum(nil))
	if err := errors.Join(err, response.Body.Close()); err != nil {
		got.Outcome, got.Error = "error", explain(err)
	}
	return got
}

// newRequest makes the request. A streamed body comes from a reader that
// http.NewRequest cannot read again, and so has no GetBody.
func newRequest(ctx context.Context, m message) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, m.Method, m.URL, nil)
	if err != nil {
		return nil, err
	}
	if m.Body != nil {
		if err := setBody(request, m); err != nil {
			return nil, err
		}
	}
	for _, header := range m.Headers {
		request.Header.Add(header[0], header[1])
	}
	return request, nil
}

func setBody(request *http.Request, m message) error {
	file, err := os.Open(m.Body.File)
	if err != nil {
		return err
	}
	request.ContentLength = m.Body.Length
	if m.Body.Stream {
		request.Body = file
		return nil
	}
	content, err := io.ReadAll(file)
	if err := errors.Join(err, file.Close()); err != nil {
		return err
	}
	request.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil }
	request.Body, err = request.GetBody()
	return err
}
