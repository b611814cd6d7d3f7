package resilientforms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// API is the subject "resilient-api": resilient.APIClient over net/http. It has
// Get, Post and Delete, takes bodies as bytes and no headers, and returns bodies
// and named errors; a call that needs more it does not support.
func API() Form {
	form := newForm("resilient-api", "resilient.APIClient, which returns bodies, and statuses as errors",
		[]scenarios.Capability{scenarios.CanIdempotencyKey, scenarios.CanBudget, scenarios.CanHedge},
		[]scenarios.Capability{scenarios.CanHeaders, scenarios.CanStreamedBody}, apiFailures)
	form.open = func(policy scenarios.Policy, base *http.Transport) (caller, error) {
		config, err := apiConfig(policy)
		if err != nil {
			return nil, err
		}
		config.Doer = &http.Client{Transport: base}
		return (&apis{config: config}).call, nil
	}
	return form
}

func apiConfig(policy scenarios.Policy) (resilient.APIConfig, error) {
	config := resilient.APIConfig{RetryLimit: -1, DelayBase: -1, Timeout: attemptTimeout(policy)}
	if policy.Attempts != nil {
		config.RetryLimit = *policy.Attempts - 1
	}
	further, err := shared(policy)
	if err != nil {
		return config, err
	}
	backoff, err := pause(policy)
	if backoff != nil {
		further = append(further, resilient.WithBackoff(backoff))
	}
	config.Options = further
	return config, err
}

// apis has an APIClient for each base URL, since the server's is first seen in
// a call.
type apis struct {
	config resilient.APIConfig

	mu     sync.Mutex
	byBase map[string]*resilient.APIClient
}

func (a *apis) at(base string) (*resilient.APIClient, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if client, known := a.byBase[base]; known {
		return client, nil
	}
	config := a.config
	config.BaseURL = base
	client, err := resilient.NewAPIClient(config)
	if err != nil {
		return nil, fmt.Errorf("the policy does not fit resilient.APIClient: %w", err)
	}
	if a.byBase == nil {
		a.byBase = map[string]*resilient.APIClient{}
	}
	a.byBase[base] = client
	return client, nil
}

func (a *apis) call(ctx context.Context, request suites.Request) scenarios.Outcome {
	target, err := url.Parse(request.URL)
	if err != nil {
		return unsupported(err.Error())
	}
	client, err := a.at(target.Scheme + "://" + target.Host)
	if err != nil {
		return scenarios.Outcome{Kind: scenarios.ClientErrorOutcome, Note: err.Error()}
	}
	params := map[string]any{}
	for name, values := range target.Query() {
		params[name] = values[0]
	}
	var body []byte
	switch {
	case request.Method == http.MethodPost && request.Body != nil:
		body, err = client.Post(ctx, target.Path, params, "application/octet-stream", request.Body.Bytes())
	case request.Method == http.MethodPost:
		body, err = client.Post(ctx, target.Path, params, "", nil)
	case request.Method == http.MethodGet && request.Body == nil:
		body, err = client.Get(ctx, target.Path, params)
	case request.Method == http.MethodDelete && request.Body == nil:
		body, err = client.Delete(ctx, target.Path, params)
	default:
		return unsupported(fmt.Sprintf("resilient.APIClient has Get, Post and Delete, of which only Post takes a body; got %s", request.Method))
	}
	if err != nil {
		return apiFailure(err)
	}
	hash := sha256.Sum256(body)
	return scenarios.Outcome{Kind: scenarios.ResponseOutcome, BodySHA256: hex.EncodeToString(hash[:]), BodyLength: int64(len(body))}
}

// apiFailure tells what an APIClient's error exposes.
func apiFailure(err error) scenarios.Outcome {
	outcome := failed(err)
	var answer *resilient.APIError
	var call *resilient.Error
	switch {
	case errors.As(err, &answer):
		outcome.Error.LastStatus, outcome.Attempts = answer.StatusCode, answer.Attempts
	case errors.As(err, &call):
		outcome.Attempts = call.Attempts
	}
	return outcome
}
