package suites

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// GoCapabilities are the capabilities of an http.RoundTripper that retries by
// the policy it is opened with and takes its context seriously. A subject that
// can less takes away from them; one that trusts faultserver.SharedAuthority, as
// over NewTransport, adds scenarios.CanTLS.
func GoCapabilities() []scenarios.Capability {
	return []scenarios.Capability{
		scenarios.CanRetry, scenarios.CanAttempts, scenarios.CanBackoff,
		scenarios.CanTimeout, scenarios.CanAttemptTimeout,
		scenarios.CanMethod, scenarios.CanHeaders, scenarios.CanRequestBody, scenarios.CanStreamedBody,
		scenarios.CanCancel, scenarios.CanShared, scenarios.CanParallel, scenarios.CanStatus,
		scenarios.CanErrorKind, scenarios.CanResponseBody,
	}
}

// RoundTripper is a Subject over an http.RoundTripper: each call goes through
// an http.Client that has it as its transport, and reads the answer's body to
// its end, as a caller would.
type RoundTripper struct {
	// About is the subject's profile; an empty Kind becomes "in-process".
	About Profile
	// New makes a RoundTripper that follows the policy. It is called once a
	// client. Idle connections are closed at the client's end where the
	// RoundTripper has CloseIdleConnections.
	New func(policy scenarios.Policy) (http.RoundTripper, error)
	// Explain tells the kind of an error that ClassifyError does not know; nil
	// asks ClassifyError alone.
	Explain func(err error) scenarios.OutcomeError
	// Attempts tells how many attempts the client says it made; nil, and 0,
	// where it does not tell.
	Attempts func(response *http.Response, err error) int
}

// FromRoundTripper is a subject in process with all GoCapabilities.
func FromRoundTripper(name string, open func(policy scenarios.Policy) (http.RoundTripper, error)) *RoundTripper {
	return &RoundTripper{About: Profile{Name: name, Capabilities: GoCapabilities()}, New: open}
}

// Profile implements Subject.
func (s *RoundTripper) Profile() Profile {
	profile := s.About
	if profile.Kind == "" {
		profile.Kind = "in-process"
	}
	return profile
}

// Open implements Subject.
func (s *RoundTripper) Open(policy scenarios.Policy) (Client, error) {
	transport, err := s.New(policy)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", s.About.Name, err)
	}
	if transport == nil {
		return nil, fmt.Errorf("open %s: New gave neither a RoundTripper nor an error: net/http's own would be judged in its place", s.About.Name)
	}
	return &roundTripperClient{subject: s, http: &http.Client{Transport: transport}}, nil
}

type roundTripperClient struct {
	subject *RoundTripper
	http    *http.Client
}

// Do implements Client.
func (c *roundTripperClient) Do(ctx context.Context, request Request) scenarios.Outcome {
	started := time.Now()
	outcome := c.do(ctx, request)
	outcome.Elapsed = time.Since(started)
	return outcome
}

func (c *roundTripperClient) do(ctx context.Context, request Request) scenarios.Outcome {
	if request.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, request.Timeout)
		defer cancel()
	}
	req, err := NewHTTPRequest(ctx, request)
	if err != nil {
		return scenarios.Outcome{Kind: scenarios.UnsupportedOutcome, Note: err.Error()}
	}
	response, err := c.http.Do(req)
	attempts := 0
	if c.subject.Attempts != nil {
		attempts = c.subject.Attempts(response, err)
	}
	switch {
	case isShortage(err):
		return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: "this process is short of what the client needs, which is not the client's doing: " + err.Error()}
	case err != nil:
		return scenarios.Outcome{Kind: scenarios.ErrorOutcome, Error: c.explain(err), Attempts: attempts}
	}
	outcome := ReadHTTPResponse(response, c.explain)
	outcome.Attempts = attempts
	return outcome
}

func (c *roundTripperClient) explain(err error) *scenarios.OutcomeError {
	explained := ClassifyError(err)
	if c.subject.Explain != nil {
		explained = c.subject.Explain(err)
	}
	return &explained
}

// Close implements Client.
func (c *roundTripperClient) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// NewHTTPRequest makes the *http.Request for a call: with GetBody for a body
// that can be sent again, without it for a streamed one.
func NewHTTPRequest(ctx context.Context, request Request) (*http.Request, error) {
	var body io.Reader
	if request.Body != nil {
		body = request.Body.Reader()
	}
	req, err := http.NewRequestWithContext(ctx, request.Method, request.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("make the request %s %s: %w", request.Method, request.URL, err)
	}
	if body != nil {
		source := *request.Body
		req.Body = io.NopCloser(body)
		req.ContentLength = source.Len()
		if !source.Stream {
			req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(source.Reader()), nil }
		}
	}
	for _, header := range request.Headers {
		req.Header.Add(header.Name, header.Value)
	}
	return req, nil
}

// ReadHTTPResponse reads a response to its end, closes it, and reports it as
// its caller got it: an error while reading is the call's error.
func ReadHTTPResponse(response *http.Response, explain func(error) *scenarios.OutcomeError) scenarios.Outcome {
	hash := sha256.New()
	length, err := io.Copy(hash, response.Body)
	closeErr := response.Body.Close()
	if err == nil {
		err = closeErr
	}
	outcome := scenarios.Outcome{
		Kind:       scenarios.ResponseOutcome,
		Status:     response.StatusCode,
		Headers:    responseHeaders(response),
		BodySHA256: hex.EncodeToString(hash.Sum(nil)),
		BodyLength: length,
	}
	if err != nil {
		outcome.Kind = scenarios.ErrorOutcome
		outcome.Error = explain(fmt.Errorf("read the answer's body: %w", err))
	}
	return outcome
}

func responseHeaders(response *http.Response) faultserver.Headers {
	var headers faultserver.Headers
	for name, values := range response.Header {
		for _, value := range values {
			headers = append(headers, faultserver.Header{Name: name, Value: value})
		}
	}
	slices.SortStableFunc(headers, func(a, b faultserver.Header) int { return strings.Compare(a.Name, b.Name) })
	return headers
}
