package proxies

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
)

// Client is a kit.Client whose calls go through proxies.
type Client struct {
	program Program
	setup   kit.Setup

	mu      sync.Mutex
	started map[string]*running // by host:port
	closed  bool
}

// Open makes a client; its proxies are started for its calls.
func (p Program) Open(setup kit.Setup) (kit.Client, error) {
	// What cannot be told is found with any server.
	if _, err := p.Config(Site{Setup: setup, Socket: socketName, Server: "localhost:80"}); err != nil {
		return nil, err
	}
	return &Client{program: p, setup: setup, started: map[string]*running{}}, nil
}

// LostError is an answer of the proxy itself, which says that it got none.
type LostError struct{ Status int }

// Error implements error.
func (e *LostError) Error() string {
	return fmt.Sprintf("the proxy answers %d %s by itself", e.Status, http.StatusText(e.Status))
}

// Prepare implements kit.Preparer: a proxy starts before the caller's time begins.
func (c *Client) Prepare(url string) error {
	_, err := c.proxy(url)
	return err
}

// Do implements kit.Client. The proxy's caller makes each request on a connection of
// its own, so that none of them is a request that it repeats by itself.
func (c *Client) Do(ctx context.Context, call kit.Call) (kit.Answer, error) {
	through, err := c.proxy(call.URL)
	if err != nil {
		return kit.Answer{}, err
	}
	request, err := call.Request(ctx)
	if err != nil {
		return kit.Answer{}, err
	}
	response, err := through.http.RoundTrip(request)
	if err != nil {
		return kit.Answer{}, err
	}
	if response.Header.Get(c.program.LostHeader) != "" {
		return kit.Answer{}, errors.Join(&LostError{response.StatusCode}, response.Body.Close())
	}
	return kit.FromResponse(response, nil)
}

// proxy is the running proxy before the server of a URL. It is started under the
// lock: calls that are made side by side wait for the one.
func (c *Client) proxy(address string) (*running, error) {
	target, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.New("the client is closed")
	}
	if c.started[target.Host] == nil {
		started, err := c.program.start(Site{Setup: c.setup, Socket: socketName, Server: target.Host})
		if err != nil {
			return nil, err
		}
		c.started[target.Host] = started
	}
	return c.started[target.Host], nil
}

// Close implements kit.Client.
func (c *Client) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for _, each := range c.started {
		each.close()
	}
}
