// Command azcore has azure-sdk-for-go's azcore judged: a pipeline with its retry
// policy and no other.
//
//	attempts              MaxRetries: attempts - 1, as retries do not count the first
//	statuses              StatusCodes
//	retry_after_cap_ms    MaxRetryDelay, which is also the longest pause
//	timeouts.attempt_ms   TryTimeout
//
// Its backoff is base × (2ⁿ - 1) before the n-th retry, varied by -20 to +30 %: it is
// told the base and the longest pause, and makes none of the protocol's backoffs of
// them. Methods it cannot be told: it retries every one. A body has to be one that
// can be read again.
package main

import (
	"bytes"
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/runtime"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/streaming"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "azcore",
		Module:       "github.com/Azure/azure-sdk-for-go/sdk/azcore",
		Capabilities: kit.Capabilities("retry", "attempts", "attempt-timeout"),
		Open:         open,
	})
}

// client is a pipeline, and the http.Client that it sends with.
type client struct {
	pipeline runtime.Pipeline
	base     *http.Client
}

func open(setup kit.Setup) (kit.Client, error) {
	transport, err := setup.Transport()
	if err != nil {
		return nil, err
	}
	c := client{base: &http.Client{Transport: transport}}
	c.pipeline = runtime.NewPipeline("faultsrv", "v1.0.0", runtime.PipelineOptions{}, &policy.ClientOptions{
		Retry: retryOptions(setup.Policy), Transport: c.base,
	})
	return c, nil
}

// retryOptions are the policy in azcore's settings, where 0 means the default.
func retryOptions(told kit.Policy) policy.RetryOptions {
	options := policy.RetryOptions{
		MaxRetries:    int32(min(told.Retries(), 1<<20)),
		RetryDelay:    told.Backoff.Base.Duration,
		MaxRetryDelay: told.Backoff.Max.Duration,
		StatusCodes:   told.Statuses,
		TryTimeout:    told.Timeouts.Attempt.Duration,
	}
	if options.MaxRetries == 0 {
		options.MaxRetries = -1 // none
	}
	if limit := told.RetryAfterCap.Duration; limit != 0 {
		options.MaxRetryDelay = limit
	}
	return options
}

// Do implements kit.Client.
func (c client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	request, err := runtime.NewRequest(ctx, call.Method, call.URL)
	if err != nil {
		return kit.Answer{}, err
	}
	request.Raw().Header = call.Header
	if call.Body != nil {
		body := streaming.NopCloser(bytes.NewReader(call.Body))
		if err := request.SetBody(body, call.Header.Get("Content-Type")); err != nil {
			return kit.Answer{}, err
		}
	}
	return kit.FromResponse(c.pipeline.Do(request))
}

// Close implements kit.Client.
func (c client) Close() { c.base.CloseIdleConnections() }
