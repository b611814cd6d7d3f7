package suites_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// opening is a subject that is opened by a function.
type opening func(scenarios.Policy) (suites.Client, error)

func (opening) Profile() suites.Profile                               { return suites.Profile{Name: "test", Kind: "in-process"} }
func (o opening) Open(policy scenarios.Policy) (suites.Client, error) { return o(policy) }

// closing is a client whose end is a function.
type closing struct {
	client

	end func() error
}

func (c closing) Close() error { return c.end() }

// Whatever a client's author gets wrong is a verdict on one contract, and no end
// of the test process, in which nobody would see what the others came to.
func TestAClientCannotEndTheRun(t *testing.T) {
	t.Parallel()
	good := client{do: get}
	for name, test := range map[string]struct {
		open opening
		want string
	}{
		"open panics": {func(scenarios.Policy) (suites.Client, error) { panic("no config") }, "open the client: it panicked: no config"},
		"no client":   {func(scenarios.Policy) (suites.Client, error) { return nil, nil }, "open the client: Open gave neither a client nor an error"},
		"no transport": {suites.FromRoundTripper("none", func(scenarios.Policy) (http.RoundTripper, error) { return nil, nil }).Open,
			"open none: New gave neither a RoundTripper nor an error"},
		"open hangs": {func(scenarios.Policy) (suites.Client, error) { select {} }, "open the client: it took longer than 3.1s"},
		"close panics": {func(scenarios.Policy) (suites.Client, error) {
			return closing{good, func() error { panic("closed twice") }}, nil
		}, "close the client: it panicked: closed twice"},
		"close hangs": {func(scenarios.Policy) (suites.Client, error) { return closing{good, func() error { select {} }}, nil }, "close the client: it took longer than"},
		"do panics": {func(scenarios.Policy) (suites.Client, error) {
			return client{do: func(context.Context, suites.Request) scenarios.Outcome { panic("nil map") }}, nil
		}, "the client panicked: nil map"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := suites.DefaultCallTimeout
			if strings.HasSuffix(name, "hangs") {
				timeout = 100 * time.Millisecond
			}
			run, err := suites.Judge(t.Context(), test.open, contracts(t, oneAttempt), suites.Options{CallTimeout: timeout})
			if err != nil {
				t.Fatal(err)
			}
			if got := run.Results[0]; got.Verdict != assertions.ClientError || !strings.Contains(got.Reason, test.want) {
				t.Errorf("%s: %s; expected client-error, with %q", got.Verdict, got.Reason, test.want)
			}
		})
	}
}

func TestNoSubjectIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := suites.Judge(t.Context(), nil, contracts(t, oneAttempt), suites.Options{}); err == nil || !strings.Contains(err.Error(), "no client to judge") {
		t.Errorf("%v; expected that there is no client", err)
	}
	if _, err := suites.NewPlan(nil); err == nil || !strings.Contains(err.Error(), "no client to judge") {
		t.Errorf("%v; expected that there is no client", err)
	}
}
