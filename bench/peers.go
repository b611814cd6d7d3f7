package main

import (
	"net/http"

	"github.com/failsafe-go/failsafe-go/failsafehttp"
	restyv2 "github.com/go-resty/resty/v2"
	"github.com/gojek/heimdall/v7"
	"github.com/gojek/heimdall/v7/httpclient"
	"github.com/gojek/heimdall/v7/hystrix"
	"github.com/hashicorp/go-retryablehttp"
	restyv3 "resty.dev/v3"
)

// peers are the clients of others, each told the same: three attempts, no
// pauses, the 5xx.
func peers() []contender {
	return []contender{
		{name: "failsafe-go", layer: overRoundTripper, prepare: failsafeGo},
		{name: "heimdall httpclient", layer: overRoundTripper, prepare: heimdallClient},
		{name: "heimdall hystrix", layer: behindBreaker, prepare: heimdallHystrix},
		{name: "go-retryablehttp", layer: overHTTPClient, prepare: retryableHTTP},
		{name: "resty v2", layer: overHTTPClient, prepare: resty2},
		{name: "resty v3", layer: overHTTPClient, prepare: resty3},
	}
}

func failsafeGo(base http.RoundTripper, to target) (call, error) {
	policy := failsafehttp.NewRetryPolicyBuilder().WithMaxRetries(attempts - 1).ReturnLastFailure().Build()
	return sending(failsafehttp.NewRoundTripper(base, policy).RoundTrip, to)
}

func heimdallClient(base http.RoundTripper, to target) (call, error) {
	client := httpclient.NewClient(httpclient.WithHTTPClient(doer{base}),
		httpclient.WithRetryCount(attempts-1), httpclient.WithRetrier(heimdall.NewNoRetrier()))
	return sending(client.Do, to)
}

func heimdallHystrix(base http.RoundTripper, to target) (call, error) {
	client := hystrix.NewClient(hystrix.WithCommandName("bench"), hystrix.WithHTTPClient(doer{base}),
		hystrix.WithRetryCount(attempts-1), hystrix.WithRetrier(heimdall.NewNoRetrier()),
		// Its places are given back after the call has returned: calls one after another were rejected at the default of 100.
		hystrix.WithMaxConcurrentRequests(100_000))
	return sending(client.Do, to)
}

func retryableHTTP(base http.RoundTripper, to target) (call, error) {
	client := retryablehttp.NewClient()
	client.HTTPClient = &http.Client{Transport: base}
	client.Logger = nil
	client.RetryMax = attempts - 1
	client.RetryWaitMin, client.RetryWaitMax = 0, 0
	client.ErrorHandler = retryablehttp.PassthroughErrorHandler
	return func() (int, error) {
		var body any
		if to.body != nil {
			body = to.body
		}
		req, err := retryablehttp.NewRequest(to.method, to.url, body)
		if err != nil {
			return 0, err
		}
		return finish(client.Do(req))
	}, nil
}

func resty2(base http.RoundTripper, to target) (call, error) {
	client := restyv2.NewWithClient(&http.Client{Transport: base}).
		SetRetryCount(attempts - 1).SetRetryWaitTime(0).SetRetryMaxWaitTime(0).
		AddRetryCondition(func(r *restyv2.Response, _ error) bool { return r.StatusCode() >= 500 })
	return func() (int, error) {
		req := client.R()
		if to.body != nil {
			req.SetBody(to.body)
		}
		resp, err := req.Execute(to.method, to.url)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode(), nil
	}, nil
}

func resty3(base http.RoundTripper, to target) (call, error) {
	client := restyv3.New().SetTransport(base).
		SetRetryCount(attempts - 1).SetRetryWaitTime(0).SetRetryMaxWaitTime(0).
		AddRetryConditions(restyv3.RetryConditionStatus5XX)
	return func() (int, error) {
		req := client.R()
		if to.body != nil {
			req.SetBody(to.body)
		}
		resp, err := req.Execute(to.method, to.url)
		if err != nil {
			return 0, err
		}
		return resp.StatusCode(), resp.Body.Close()
	}, nil
}
