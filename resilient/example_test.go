package resilient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

// scripted is a server that answers with these statuses, one a request, the
// last one for ever. Its 200 echoes the request's body.
func scripted(statuses ...int) *httptest.Server {
	next := make(chan int, len(statuses))
	for _, status := range statuses {
		next <- status
	}
	last := statuses[len(statuses)-1]
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		status := last
		select {
		case status = <-next:
		default:
		}
		w.WriteHeader(status)
		if status == http.StatusOK {
			_, _ = io.Copy(w, r.Body)
		}
	}))
}

func Example() {
	server := scripted(503, 503, 200)
	defer server.Close()

	transport, err := resilient.New(nil, resilient.WithBackoff(resilient.NewConstantBackoff(time.Millisecond, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}
	resp, err := client.Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resp.StatusCode, "after", resilient.Info(resp).Attempts, "attempts")
	// Output: 200 after 3 attempts
}

// A response that got no further attempt is returned as it came.
func ExampleInfo() {
	server := scripted(503)
	defer server.Close()

	transport, err := resilient.New(nil, resilient.WithAttempts(2),
		resilient.WithBackoff(resilient.NewFullJitter(10*time.Millisecond, time.Second)))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	info := resilient.Info(resp)
	fmt.Println(resp.StatusCode, info.Attempts, info.Cause)
	// Output: 503 2 exhausted
}

// A POST is retried where somebody says that it may be sent twice. Here the
// caller's key does, for a server that knows what to do with it.
func ExampleNew_idempotencyKey() {
	server := scripted(503, 200)
	defer server.Close()

	transport, err := resilient.New(nil, resilient.WithBackoff(resilient.NewFullJitter(10*time.Millisecond, time.Second)))
	if err != nil {
		fmt.Println(err)
		return
	}
	req, err := http.NewRequest(http.MethodPost, server.URL, strings.NewReader("amount=12"))
	if err != nil {
		fmt.Println(err)
		return
	}
	req.Header.Set("Idempotency-Key", `"8e03978e-40d5-43dd-bc93-6894a57f9324"`)
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	// Output: amount=12 <nil>
}

func ExampleWithPolicy() {
	server := scripted(503)
	defer server.Close()

	transport, err := resilient.New(nil, resilient.WithAttempts(5))
	if err != nil {
		fmt.Println(err)
		return
	}
	// This one call makes a single attempt, whatever the Transport does else.
	ctx, err := resilient.WithPolicy(context.Background(), resilient.WithAttempts(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	fmt.Println(resilient.Info(resp).Attempts)
	// Output: 1
}

// hourly is a backoff that tells when a pause begins.
type hourly func()

func (begins hourly) Next(int) time.Duration {
	begins()
	return time.Hour
}

// What ended the call, and what had failed before, can both be matched.
func ExampleError() {
	server := scripted(503)
	defer server.Close()

	ctx, cancel := context.WithCancel(context.Background())
	transport, err := resilient.New(nil, resilient.WithBackoff(hourly(cancel)))
	if err != nil {
		fmt.Println(err)
		return
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = (&http.Client{Transport: transport}).Do(req)

	var failed *resilient.Error
	var status *resilient.StatusError
	fmt.Println(errors.Is(err, context.Canceled))
	fmt.Println(errors.As(err, &failed) && failed.Attempts == 1, errors.As(err, &status) && status.StatusCode == 503)
	// Output:
	// true
	// true true
}

func ExampleNewExponentialBackoff() {
	backoff := resilient.NewExponentialBackoff(100*time.Millisecond, time.Second, 2, 0)
	for retry := range 6 {
		fmt.Print(backoff.Next(retry), " ")
	}
	// Output: 100ms 200ms 400ms 800ms 1s 1s
}
