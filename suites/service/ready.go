package service

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"
)

const (
	// defaultReady is how long a service may take to be ready.
	defaultReady = 30 * time.Second
	// readyPause is the time between two looks.
	readyPause = 50 * time.Millisecond
	// readyLook is how long one look may take.
	readyLook = 2 * time.Second
)

// A look looks whether the service can be asked, and says why not.
type look func(ctx context.Context) error

// readyLookOf is how the profile has it looked, and for how long; nil where there
// is nothing to look at.
func readyLookOf(p Profile) (look, time.Duration) {
	switch {
	case p.Ready != nil:
		return asksForReady(p.Ready.URL), cmp.Or(p.Ready.Timeout, defaultReady)
	case p.Trigger.URL != "":
		return connects(p.Trigger.URL), defaultReady
	}
	return nil, 0
}

func asksForReady(address string) look {
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
		if err != nil {
			return err
		}
		response, err := newHTTPClient().Do(request)
		if err != nil {
			return err
		}
		_ = response.Body.Close()
		if response.StatusCode < 200 || response.StatusCode > 299 {
			return fmt.Errorf("GET %s answers %d, not 2xx", address, response.StatusCode)
		}
		return nil
	}
}

// connects looks whether somebody accepts connections where a URL points.
func connects(address string) look {
	return func(ctx context.Context) error {
		parsed, err := url.Parse(address)
		if err != nil {
			return err
		}
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", hostPort(parsed))
		if err != nil {
			return err
		}
		return conn.Close()
	}
}

// hostPort is where a URL points.
func hostPort(address *url.URL) string {
	return net.JoinHostPort(address.Hostname(), cmp.Or(address.Port(), map[string]string{"http": "80", "https": "443"}[address.Scheme]))
}

// awaitReady waits until the service can be asked.
func awaitReady(ctx context.Context, p Profile, a *app) error {
	look, most := readyLookOf(p)
	if look == nil {
		return nil
	}
	deadline := time.NewTimer(most)
	defer deadline.Stop()
	pause := time.NewTicker(readyPause)
	defer pause.Stop()
	for {
		err := lookOnce(ctx, look)
		if death := a.death(); death != "" {
			return errors.New(death)
		}
		if err == nil {
			return nil
		}
		select {
		case <-pause.C:
		case <-a.over():
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-deadline.C:
			return fmt.Errorf("the service was not ready within %v: %w%s", most, err, sayings(a))
		}
	}
}

func lookOnce(ctx context.Context, look look) error {
	ctx, cancel := context.WithTimeout(ctx, readyLook)
	defer cancel()
	return look(ctx)
}

// sayings ends a service that did not come up, for what it has said.
func sayings(a *app) string {
	if a == nil {
		return "; is it running? A command after -- is started and ended by the run"
	}
	a.stop()
	<-a.ended
	return lastWords(a.ending)
}

// vacant says that somebody is at the service's address before it was started:
// that would be judged in its place.
func vacant(ctx context.Context, p Profile) error {
	address := p.Trigger.URL
	if p.Ready != nil {
		address = p.Ready.URL
	}
	if address != "" && lookOnce(ctx, connects(address)) == nil {
		return fmt.Errorf("somebody answers at %s already, before the service was started, and would be judged in its place: "+
			"end it, or leave out the command that starts the service", address)
	}
	return nil
}

// newHTTPClient makes requests to the service: each on a connection of its own,
// so that none is stale, and without following a redirect, which is an answer.
func newHTTPClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}
