// Command go-shop is a shop with one defect: POST /checkout charges a card, and
// a charge whose connection is reset is sent again, although the card may have
// been charged already.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"syscall"
	"time"
)

const (
	attempts = 3
	pause    = 100 * time.Millisecond
)

var (
	address = env("SHOP_ADDRESS", "127.0.0.1:18080")
	// payments is where cards are charged.
	payments = env("PAYMENTS_URL", "http://127.0.0.1:18081")
)

func main() {
	http.HandleFunc("GET /healthz", func(http.ResponseWriter, *http.Request) {})
	http.HandleFunc("POST /checkout", checkout)
	server := &http.Server{Addr: address, ReadHeaderTimeout: 5 * time.Second}
	fmt.Fprintln(os.Stderr, server.ListenAndServe())
}

func checkout(w http.ResponseWriter, r *http.Request) {
	cart, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	switch err := charge(r.Context(), cart); {
	case errors.Is(err, context.DeadlineExceeded):
		http.Error(w, err.Error(), http.StatusGatewayTimeout)
	case err != nil:
		http.Error(w, err.Error(), http.StatusBadGateway)
	default:
		_, _ = io.WriteString(w, "charged\n")
	}
}

// charge charges the card for a cart. A POST is not sent again for a status; it
// is for a reset, which is the defect.
func charge(ctx context.Context, cart []byte) error {
	for attempt := 1; ; attempt++ {
		err := post(ctx, payments+"/charge", cart)
		if !errors.Is(err, syscall.ECONNRESET) || attempt == attempts {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// post sends one request, which has to be answered 200 with a whole body.
func post(ctx context.Context, url string, body []byte) error {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("payments answered %s", response.Status)
	}
	return nil
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}
