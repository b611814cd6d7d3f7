package suites_test

import (
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A process without a descriptor left says nothing about the client in it.
func TestAShortageIsNoVerdictOnTheClient(t *testing.T) {
	t.Parallel()
	starved := suites.FromRoundTripper("starved", func(scenarios.Policy) (http.RoundTripper, error) {
		return roundTripper(func(*http.Request) (*http.Response, error) {
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}
		}), nil
	})
	run, err := suites.Judge(t.Context(), starved, contracts(t, oneAttempt), suites.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if got := run.Results[0]; got.Verdict != assertions.ClientError || !strings.Contains(got.Reason, "not the client's doing") {
		t.Errorf("%s: %s; expected client-error, and that it is not the client's doing", got.Verdict, got.Reason)
	}
}
