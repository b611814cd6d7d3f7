package resilientforms

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// Client is the subject "resilient-client": resilient.Client over net/http.
func Client() Form {
	form := newForm("resilient-client", "resilient.Client, which retries as heimdall's httpclient does",
		[]scenarios.Capability{scenarios.CanIdempotencyKey, scenarios.CanBudget, scenarios.CanHedge}, nil, clientFailures)
	form.open = func(policy scenarios.Policy, base *http.Transport) (caller, error) {
		options, err := clientOptions(policy)
		if err != nil {
			return nil, err
		}
		client, err := resilient.NewClient(append(options, resilient.WithHTTPClient(&http.Client{Transport: base}))...)
		if err != nil {
			return nil, fmt.Errorf("the policy does not fit resilient.Client: %w", err)
		}
		return sending(client), nil
	}
	return form
}

func clientOptions(policy scenarios.Policy) ([]resilient.ClientOption, error) {
	var options []resilient.ClientOption
	if policy.Attempts != nil {
		options = append(options, resilient.WithRetryCount(*policy.Attempts-1))
	}
	backoff, err := pause(policy)
	if err != nil {
		return nil, err
	}
	if backoff != nil {
		options = append(options, resilient.WithRetrier(resilient.NewRetrier(backoff)))
	}
	options = append(options, resilient.WithRetryableStatusCodes(policy.Statuses...))
	if timeout := attemptTimeout(policy); timeout > 0 {
		options = append(options, resilient.WithHTTPTimeout(timeout))
	}
	further, err := shared(policy)
	for _, option := range further {
		options = append(options, option)
	}
	return options, err
}

// sending makes calls by Do, which every helper method ends in.
func sending(client resilient.Doer) caller {
	return func(ctx context.Context, request suites.Request) scenarios.Outcome {
		req, err := suites.NewHTTPRequest(ctx, request)
		if err != nil {
			return unsupported(err.Error())
		}
		response, err := client.Do(req)
		if err == nil {
			outcome := suites.ReadHTTPResponse(response, explain)
			outcome.Attempts = resilient.Info(response).Attempts
			return outcome
		}
		outcome := failed(err)
		if response != nil {
			// A 5xx after attempts that got no answer is returned beside their errors.
			_, _ = io.Copy(io.Discard, response.Body)
			response.Body.Close()
			outcome.Error.LastStatus = response.StatusCode
			outcome.Attempts = resilient.Info(response).Attempts
		}
		return outcome
	}
}
