package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"github.com/spf13/cobra"
)

// readyPause lies between two questions: short beside the tens of milliseconds
// that a server takes to start.
const readyPause = 20 * time.Millisecond

func newReady() *cobra.Command {
	within := 5 * time.Second
	cmd := &cobra.Command{
		Use:   "ready [URL]",
		Short: "Wait until a server with a control API is ready",
		Long: `Asks the control API of a 'faultsrv serve' whether it is ready, until it is or the
time is over. URL is the API's, http://127.0.0.1:8504 where none is given; no
token is needed. It is made for health checks of containers, which have no shell,
and for scripts that start a server in the background.

Exit status: 0 it is ready; 2 wrong usage; 3 it was not in time.`,
		Example: `  faultsrv ready
  faultsrv ready http://127.0.0.1:9504 --within 30s`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("expected one URL at most, got %q", args)
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			base := "http://127.0.0.1:8504"
			if len(args) > 0 {
				base = args[0]
			}
			asked, err := url.Parse(base)
			if err != nil || asked.Scheme != "http" || asked.Host == "" || within <= 0 {
				return fmt.Errorf("ready %q --within %v: expected a URL such as http://127.0.0.1:8504, and a time above 0", base, within)
			}
			return untilReady(cmd.Context(), asked.JoinPath("readyz").String(), within)
		},
	}
	cmd.Flags().DurationVar(&within, "within", within, "wait for this `TIME` at most")
	return cmd
}

// untilReady asks until the answer is 200, or the time is over.
func untilReady(ctx context.Context, asked string, within time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, within)
	defer cancel()
	// Straight to the server, whatever proxy the environment names, and what answers is to be that server.
	transport := &http.Transport{DisableKeepAlives: true}
	last := errors.New("no answer")
	for {
		err := askReady(ctx, transport, asked)
		if err == nil {
			return nil
		}
		if ctx.Err() == nil { // else the time was over, which is no answer
			last = err
		}
		select {
		case <-time.After(readyPause):
		case <-ctx.Done():
			return couldNotRun(fmt.Errorf("%s: expected status 200 within %v, got in the end: %w; is a server started by faultsrv serve --control there?", asked, within, last))
		}
	}
}

func askReady(ctx context.Context, transport http.RoundTripper, asked string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, asked, nil)
	if err != nil {
		return err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", response.StatusCode)
	}
	return nil
}
