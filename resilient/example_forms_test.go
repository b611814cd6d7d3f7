package resilient_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
)

func ExampleClient() {
	server := scripted(500, 503, 200)
	defer server.Close()

	backoff := resilient.NewExponentialBackoff(2*time.Millisecond, 9*time.Millisecond, 2, 2*time.Millisecond)
	client, err := resilient.NewClient(
		resilient.WithHTTPTimeout(time.Second),
		resilient.WithRetryCount(3), // 4 attempts
		resilient.WithRetrier(resilient.NewRetrier(backoff)),
		resilient.WithMethods("GET", "PUT"), // without it, POST would be retried too
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := client.Put(server.URL, strings.NewReader("the same bytes each time"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	// Output: the same bytes each time <nil>
}

func ExampleAPIClient() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/orders" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, "page ", r.URL.Query().Get("page"))
	}))
	defer server.Close()

	client, err := resilient.NewAPIClient(resilient.APIConfig{
		BaseURL: server.URL + "/v1", Timeout: -1, RetryLimit: -1, DelayBase: -1, // the defaults
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := client.Get(context.Background(), "/orders", map[string]any{"page": 2})
	fmt.Println(string(body), err)

	_, err = client.Get(context.Background(), "/nothing", nil)
	fmt.Println(errors.Is(err, resilient.ErrNotFound), err)
	// Output:
	// page 2 <nil>
	// true the API answered 404 Not Found after 1 attempt
}

// Ten calls that all fail may have one retry among them, and two more.
func ExampleNewRateBudget() {
	server := scripted(503)
	defer server.Close()

	budget, err := resilient.NewRateBudget(0.1, 2, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	transport, err := resilient.New(nil, resilient.WithBudget(budget),
		resilient.WithBackoff(resilient.NewConstantBackoff(time.Millisecond, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	client, attempts := &http.Client{Transport: transport}, 0
	for range 10 {
		resp, err := client.Get(server.URL)
		if err != nil {
			fmt.Println(err)
			return
		}
		resp.Body.Close()
		attempts += resilient.Info(resp).Attempts
	}
	fmt.Println(attempts, "requests for 10 calls")
	// Output: 13 requests for 10 calls
}

func ExampleWithHedge() {
	first := make(chan struct{}, 1)
	first <- struct{}{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-first: // the first request gets no answer
			<-r.Context().Done()
		default:
		}
	}))
	defer server.Close()

	transport, err := resilient.New(nil, resilient.WithHedge(10*time.Millisecond), resilient.WithAttempts(2))
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
	fmt.Println(info.Attempts, "attempts,", info.Hedges, "of them a hedge")
	// Output: 2 attempts, 1 of them a hedge
}

func ExampleNewLogObserver() {
	server := scripted(503, 200)
	defer server.Close()

	logger := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey || a.Key == "url" { // they change from run to run
				return slog.Attr{}
			}
			return a
		},
	}))
	transport, err := resilient.New(nil, resilient.WithObserver(resilient.NewLogObserver(logger)),
		resilient.WithBudget(nil), resilient.WithBackoff(resilient.NewConstantBackoff(time.Millisecond, 0)))
	if err != nil {
		fmt.Println(err)
		return
	}
	resp, err := (&http.Client{Transport: transport}).Get(server.URL)
	if err != nil {
		fmt.Println(err)
		return
	}
	resp.Body.Close()
	// Output: level=WARN msg="http retry follows" attempt=1 method=GET reason="the server answered 503 Service Unavailable" delay=1ms
}
