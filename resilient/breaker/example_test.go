package breaker_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
)

func ExampleBreaker() {
	b, err := breaker.New(breaker.WithFailures(2), breaker.WithOpenFor(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	down := errors.New("no answer")
	for range 3 {
		err := b.Run(func() error { return down })
		fmt.Println(errors.Is(err, down), errors.Is(err, resilient.ErrCircuitOpen), b.State())
	}
	// Output:
	// true false closed
	// true false open
	// false true open
}

// Retries outside, a breaker for each host inside.
func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusServiceUnavailable)
	}))
	defer server.Close()

	hosts, err := breaker.NewGroup(breaker.ByHost, breaker.WithFailures(2), breaker.WithOpenFor(time.Minute))
	if err != nil {
		fmt.Println(err)
		return
	}
	guarded, err := breaker.NewTransport(nil, hosts)
	if err != nil {
		fmt.Println(err)
		return
	}
	transport, err := resilient.New(guarded, resilient.WithBackoff(resilient.NewConstantBackoff(time.Millisecond, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = (&http.Client{Transport: transport}).Get(server.URL)
	var failed *resilient.Error
	if errors.As(err, &failed) {
		fmt.Println(failed.Cause, "at attempt", failed.Attempts)
	}
	// Output: circuit-open at attempt 3
}

func ExampleClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
	}))
	defer server.Close()

	client, err := breaker.NewClient(
		breaker.WithCommandName("catalogue"),
		breaker.WithCommandTimeout(5*time.Second),
		breaker.WithRetryCount(1),
		breaker.WithRequestVolumeThreshold(4),
		breaker.WithErrorPercentThreshold(50),
		breaker.WithFallbackFunc(func(cause error) (*http.Response, error) {
			text := "from the cache"
			if errors.Is(cause, resilient.ErrCircuitOpen) {
				text += ", at once"
			}
			return &http.Response{StatusCode: http.StatusOK, Body: io.NopCloser(strings.NewReader(text))}, nil
		}),
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 3 {
		resp, err := client.Get(server.URL, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(string(body))
	}
	fmt.Println(client.Counters().Failures, "failures,", client.Breaker().State())
	// Output:
	// from the cache
	// from the cache
	// from the cache, at once
	// 4 failures, open
}
