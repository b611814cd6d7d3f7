package resilient_test

import (
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/resilient/breaker"
	. "github.com/onsi/gomega"
)

// The programs of COMING-FROM.md, in its order, as they are there.

func fromHeimdall(url string) (*http.Response, error) {
	backoff := resilient.NewExponentialBackoff(100*time.Millisecond, time.Second, 2, 50*time.Millisecond)
	client, err := resilient.NewClient(
		resilient.WithHTTPTimeout(time.Second),
		resilient.WithRetryCount(2),
		resilient.WithRetrier(resilient.NewRetrier(backoff)),
	)
	if err != nil {
		return nil, err
	}
	return client.Get(url, nil)
}

func fromHystrix(url string) (*http.Response, error) {
	client, err := breaker.NewClient(
		breaker.WithCommandName("catalogue"),
		breaker.WithCommandTimeout(5*time.Second),
		breaker.WithMaxConcurrentRequests(50),
		breaker.WithErrorPercentThreshold(50),
		breaker.WithSleepWindow(500*time.Millisecond),
		breaker.WithRetryCount(2),
		breaker.WithFallbackFunc(func(cause error) (*http.Response, error) { return nil, cause }),
	)
	if err != nil {
		return nil, err
	}
	return client.Get(url, nil)
}

func fromRetryableHTTP(url string) (*http.Response, error) {
	transport, err := resilient.New(nil,
		resilient.WithAttempts(3),
		resilient.WithBackoff(resilient.NewExponentialBackoff(100*time.Millisecond, time.Second, 2, 0)),
		resilient.WithMethods("GET", "PUT"),
		resilient.WithBodyBuffer(1<<20),
	)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequest(http.MethodPut, url, strings.NewReader("body"))
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: transport}
	return client.Do(req)
}

func fromResty(url string) ([]byte, error) {
	transport, err := resilient.New(nil,
		resilient.WithAttempts(3),
		resilient.WithBackoff(resilient.NewFullJitter(100*time.Millisecond, time.Second)),
		resilient.WithStatuses(503),
	)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: transport}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

func TestComingFrom(t *testing.T) {
	page, err := os.ReadFile("COMING-FROM.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("migration_test.go")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("its programs are the ones that are tested here", func(t *testing.T) {
		g := NewWithT(t)
		_, rest, _ := strings.Cut(string(page), "\n")
		blocks := strings.Split(rest, "```go resilient\n")[1:]
		g.Expect(blocks).To(HaveLen(4))
		for _, block := range blocks {
			program, _, ended := strings.Cut(block, "```")
			g.Expect(ended).To(BeTrue())
			g.Expect(string(source)).To(ContainSubstring(program))
		}
	})
	rule(t, "they do what they say", func(t *testing.T, g Gomega) {
		original := http.DefaultTransport
		defer func() { http.DefaultTransport = original }()
		for _, program := range []func(string) (*http.Response, error){fromHeimdall, fromHystrix, fromRetryableHTTP} {
			http.DefaultTransport = plays(answers(503), answers(200))
			resp, err := program(upstream)
			g.Expect(err).NotTo(HaveOccurred())
			resp.Body.Close()
			g.Expect(resilient.Info(resp).Attempts).To(Equal(2))
		}
		http.DefaultTransport = plays(answers(503), answers(200))
		body, err := fromResty(upstream)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(body)).To(Equal("body of 200"))
	})
}
