// Command heimdall-httpclient has gojek/heimdall's httpclient judged.
//
//	attempts              WithRetryCount: attempts - 1, as retries do not count the first
//	backoff               WithRetrier: its constant and exponential backoffs, with the jitter that
//	                      they have; NewRetrierFunc for a linear one
//	timeouts.attempt_ms   Timeout of the http.Client given by WithHTTPClient
//
// Methods and statuses it cannot be told: it retries every method, and from 500 on.
// A body is read into memory before the first attempt. Retry-After it does not read.
package main

import (
	"net/http"

	library "github.com/gojek/heimdall/v7"
	"github.com/gojek/heimdall/v7/httpclient"

	"github.com/faultsrv/faultsrv/suites/clients/go/heimdall"
	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "heimdall-httpclient",
		Module:       heimdall.Module,
		Capabilities: heimdall.Capabilities,
		Open:         open,
	})
}

func open(setup kit.Setup) (kit.Client, error) {
	return heimdall.Open(setup, func(base *http.Client, retrier library.Retriable, retries int) library.Client {
		return httpclient.NewClient(
			httpclient.WithHTTPClient(base),
			httpclient.WithRetrier(retrier),
			httpclient.WithRetryCount(retries),
		)
	})
}
