// Command aws-sdk-go-v2 has the retries of aws-sdk-go-v2 judged: its standard
// retryer in its attempt middleware, over its own HTTP client, without a service.
//
//	attempts              MaxAttempts
//	statuses              RetryableHTTPStatusCode beside the retryables that it has
//	backoff               a BackoffDelayer; for full jitter its own, by BaseDelay and MaxBackoff
//	timeouts.attempt_ms   WithTimeout of its HTTP client
//
// Methods it cannot be told: it retries every one. Of a service's headers it reads
// X-Amz-Retry-After, not Retry-After. As in a service's client, an answer that is
// not a 2xx is an error.
package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/ratelimit"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go/middleware"
	smithyhttp "github.com/aws/smithy-go/transport/http"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "aws-sdk-go-v2",
		Module:       "github.com/aws/aws-sdk-go-v2",
		Capabilities: kit.Capabilities("retry", "attempts", "backoff", "attempt-timeout", "streamed-body"),
		Open:         open,
		Kinds:        kinds,
	})
}

// client is the attempt middleware over what sends a request.
type client struct {
	attempts *retry.Attempt
	send     smithyhttp.ClientHandler
	base     *awshttp.BuildableClient
}

func open(setup kit.Setup) (kit.Client, error) {
	if setup.Policy.RetryAfterCap.Duration != 0 {
		return nil, kit.Unsupported("Retry-After")
	}
	backoff, err := backoff(setup.Policy.Backoff)
	if err != nil {
		return nil, err
	}
	base := awshttp.NewBuildableClient().WithTimeout(setup.Policy.Timeouts.Attempt.Duration).
		WithTransportOptions(func(transport *http.Transport) { err = setup.Trust(transport) })
	if err != nil {
		return nil, err
	}
	retryer := retry.NewStandard(backoff, func(options *retry.StandardOptions) {
		options.MaxAttempts = setup.Policy.Attempts
		options.Retryables = append(options.Retryables, statuses(setup.Policy.Statuses))
	})
	return client{
		attempts: retry.NewAttemptMiddleware(retryer, smithyhttp.RequestCloner),
		send:     smithyhttp.NewClientHandlerWithOptions(base),
		base:     base,
	}, nil
}

func statuses(codes []int) retry.RetryableHTTPStatusCode {
	set := map[int]struct{}{}
	for _, code := range codes {
		set[code] = struct{}{}
	}
	return retry.RetryableHTTPStatusCode{Codes: set}
}

// backoff is the option for the pauses.
func backoff(told kit.Backoff) (func(*retry.StandardOptions), error) {
	switch {
	case told.Jitter == "none":
		return func(options *retry.StandardOptions) {
			options.Backoff = retry.BackoffDelayerFunc(func(attempt int, _ error) (time.Duration, error) {
				return told.Pause(attempt), nil
			})
		}, nil
	case told.Jitter == "full" && told.Kind == "constant":
		return func(options *retry.StandardOptions) {
			options.BaseDelay, options.MaxBackoff = told.Base.Duration, told.Base.Duration
		}, nil
	case told.Jitter == "full" && told.Factor == 2:
		return func(options *retry.StandardOptions) {
			options.BaseDelay, options.MaxBackoff = told.Base.Duration, told.Longest()
		}, nil
	}
	return nil, told.Unsupported()
}

// kinds are those of the SDK's own errors.
func kinds(err error) []string {
	exhausted, quota := (*retry.MaxAttemptsError)(nil), ratelimit.QuotaExceededError{}
	switch {
	case errors.As(err, &exhausted):
		return []string{"exhausted"}
	case errors.As(err, &quota):
		return []string{"budget"}
	}
	return nil
}

// Do implements kit.Client. The last status is found in the error.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	request, err := newRequest(ctx, call)
	if err != nil {
		return kit.Answer{}, err
	}
	out, metadata, err := c.attempts.HandleFinalize(ctx, middleware.FinalizeInput{Request: request}, middleware.FinalizeHandlerFunc(c.attempt))
	answer := kit.Answer{}
	if results, ok := retry.GetAttemptResults(metadata); ok {
		answer.Attempts = len(results.Results)
	}
	if failed := (*smithyhttp.ResponseError)(nil); errors.As(err, &failed) {
		answer.Status = failed.HTTPStatusCode()
	}
	response, ok := out.Result.(*smithyhttp.Response)
	if err != nil || !ok {
		return answer, err
	}
	answer.Status, answer.Header, answer.Body = response.StatusCode, response.Header, response.Body
	return answer, nil
}

// newRequest is what the serializer of a service's client makes.
func newRequest(ctx context.Context, call kit.Call) (*smithyhttp.Request, error) {
	head, err := http.NewRequestWithContext(ctx, call.Method, call.URL, nil)
	if err != nil {
		return nil, err
	}
	head.Header = call.Header.Clone()
	head.ContentLength = -1 // not known until the body is
	request := &smithyhttp.Request{Request: head}
	if body := call.Reader(); body != nil {
		return request.SetStream(body)
	}
	return request, nil
}

// attempt sends a request and does what the deserializer of a service's client
// does: an answer that is no success is an error, and its body is discarded.
func (c client) attempt(ctx context.Context, in middleware.FinalizeInput) (middleware.FinalizeOutput, middleware.Metadata, error) {
	result, metadata, err := c.send.Handle(ctx, in.Request)
	response, ok := result.(*smithyhttp.Response)
	if !ok {
		return middleware.FinalizeOutput{}, metadata, err
	}
	if err == nil && (response.StatusCode < 200 || response.StatusCode >= 300) {
		err = &smithyhttp.ResponseError{Response: response, Err: errors.New(response.Status)}
	}
	smithyhttp.CloseResponseBody(ctx, response, true, err)
	return middleware.FinalizeOutput{Result: response}, metadata, err
}

// Close implements kit.Client. The SDK's HTTP client cannot be closed: what is idle
// ends after 90 s, or with the program.
func (c client) Close() {}
