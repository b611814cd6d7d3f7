// Command heimdall-hystrix has gojek/heimdall's hystrix client judged, with a
// command of its own for each client and the command's settings as they come.
//
//	attempts              WithRetryCount: attempts - 1, as retries do not count the first
//	backoff               WithRetrier: its constant and exponential backoffs, with the jitter that
//	                      they have; NewRetrierFunc for a linear one
//	timeouts.attempt_ms   Timeout of the http.Client given by WithHTTPClient
//
// Methods and statuses it cannot be told: it retries every method, and from 500 on.
// Its breaker goes by a percentage of failures within ten seconds, which is not the
// protocol's. A body is read into memory before the first attempt. Retry-After it
// does not read.
package main

import (
	"net/http"
	"strconv"

	library "github.com/gojek/heimdall/v7"
	"github.com/gojek/heimdall/v7/hystrix"

	"github.com/faultsrv/faultsrv/suites/clients/go/heimdall"
	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

func main() {
	kit.Main(kit.Library{
		Name:         "heimdall-hystrix",
		Module:       heimdall.Module,
		Capabilities: heimdall.Capabilities,
		Open:         open,
	})
}

// commands counts the clients. A command's breaker belongs to its name, over all
// clients of the program.
var commands int

func open(setup kit.Setup) (kit.Client, error) {
	commands++
	return heimdall.Open(setup, func(base *http.Client, retrier library.Retriable, retries int) library.Client {
		return hystrix.NewClient(
			hystrix.WithCommandName("command-"+strconv.Itoa(commands)),
			hystrix.WithHTTPClient(base),
			hystrix.WithRetrier(retrier),
			hystrix.WithRetryCount(retries),
		)
	})
}
