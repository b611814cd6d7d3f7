package suites_test

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/internal/vacant"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/clients/nethttp"
	"github.com/faultsrv/faultsrv/suites/doctor"
)

// sharedHost is a host whose URL is that of a path, which is given the host's
// address.
func sharedHost(t *testing.T, path func(address string) string) *faultserver.Host {
	t.Helper()
	address := vacant.Address(t)
	host, err := faultserver.Listen(address, faultserver.Advertised(path(address)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := host.Close(); err != nil {
			t.Error(err)
		}
	})
	return host
}

// closesWhatIsReset is a path that copies bytes, and ends with FIN what the server
// has reset.
func closesWhatIsReset(t *testing.T) func(address string) string {
	return func(address string) string {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		var serving sync.WaitGroup
		serving.Go(func() {
			for {
				client, err := listener.Accept()
				if err != nil {
					return
				}
				serving.Go(func() {
					defer client.Close()
					server, err := net.Dial("tcp", address)
					if err != nil {
						return
					}
					defer server.Close()
					serving.Go(func() {
						_, _ = io.Copy(server, client)
						_ = server.(*net.TCPConn).CloseWrite()
					})
					_, _ = io.Copy(client, server)
				})
			}
		})
		t.Cleanup(func() {
			_ = listener.Close()
			serving.Wait()
		})
		return "http://" + listener.Addr().String()
	}
}

func itself(address string) string { return "http://" + address }

// overPath judges contracts of which each has one word of its own, by a path.
func overPath(t *testing.T, path func(string) string, examined func(doctor.Report, error), words ...string) map[string]reports.Result {
	t.Helper()
	var list []*scenarios.Contract
	for i, word := range words {
		id := "attempts.test-" + string(rune('a'+i))
		list = append(list, contracts(t, strings.NewReplacer("attempts.test", id, "script: [succeed]\nexpect: {attempts: 1}", word).Replace(oneAttempt))...)
	}
	run, err := suites.Judge(t.Context(), nethttp.Client(), list, suites.Options{Host: sharedHost(t, path), Examined: examined})
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]reports.Result{}
	for i, result := range run.Results {
		results[words[i]] = result
	}
	return results
}

// TestContractsShareAListener judges by a path what it can be judged by, and says
// why the rest cannot.
func TestContractsShareAListener(t *testing.T) {
	t.Parallel()
	want := map[string]struct{ verdict, reason string }{
		"script: [succeed]\nexpect: {attempts: 1}":                                          {"pass", ""},
		"script: [404]\nexpect: {outcome: success}":                                         {"fail", ""},
		"connections: [{reset: accept}]\nscript: [succeed]\nexpect: {attempts: 1}":          {"unsupported", "it strikes at connections before their first request"},
		"script: [stale]\nexpect: {attempts: 1}":                                            {"unsupported", "it tells a fresh connection from a reused one"},
		"script: [{reset: request-end, when: {connection: reused}}]\nexpect: {attempts: 1}": {"unsupported", "it tells a fresh connection from a reused one"},
		"script: [succeed]\nexpect: {connections: 1}":                                       {"unsupported", "it counts the client's connections"},
		"script: [succeed]\nexpect: {attempts: 1}\nalso: {open-after: {max: 1}}":            {"unsupported", "it counts the client's connections"},
		"script: [succeed]\nexpect: {drained: {max: 1KiB}}":                                 {"unsupported", "it measures how much of an answer the client takes"},
		"server: tls\nscript: [succeed]\nexpect: {attempts: 1}":                             {"unsupported", "it needs a server that speaks tls"},
	}
	var words []string
	for word := range want {
		words = append(words, word)
	}
	var told []doctor.Report
	results := overPath(t, itself, func(report doctor.Report, err error) {
		if err != nil {
			t.Error(err)
		}
		told = append(told, report)
	}, words...)
	for word, expected := range want {
		result := results[word]
		if string(result.Verdict) != expected.verdict || !strings.Contains(result.Reason, expected.reason) {
			t.Errorf("%q: %s, %q; want %s, %q", word, result.Verdict, result.Reason, expected.verdict, expected.reason)
		}
	}
	if len(told) != 1 || told[0].Verdict != doctor.Faithful {
		t.Errorf("told %v; want one faithful path", told)
	}
}

// TestAPathThatChangesFaultsIsRefused has no verdict about the client, not even for
// contracts that cannot be judged by any path.
func TestAPathThatChangesFaultsIsRefused(t *testing.T) {
	t.Parallel()
	results := overPath(t, closesWhatIsReset(t), nil,
		"script: [succeed]\nexpect: {attempts: 1}", "connections: [{reset: accept}]\nscript: [succeed]\nexpect: {attempts: 1}")
	for word, result := range results {
		if result.Verdict != "harness-error" || !strings.Contains(result.Reason, "changes what is sent through it: reset, reset-in-body; `faultsrv doctor`") {
			t.Errorf("%q: %s, %s", word, result.Verdict, result.Reason)
		}
	}
	results = overPath(t, func(string) string { return "http://" + vacant.Address(t) }, nil, "script: [succeed]\nexpect: {attempts: 1}")
	for _, result := range results {
		if result.Verdict != "harness-error" || !strings.Contains(result.Reason, "could not be examined: the path does not lead to the fault server") {
			t.Errorf("%s, %s", result.Verdict, result.Reason)
		}
	}
}

// ownWay is a subject that chooses its addresses itself.
type ownWay struct{ client }

func (ownWay) Fit(contract *scenarios.Contract) (*scenarios.Contract, []string) { return contract, nil }

func (ownWay) Stage(context.Context, faultserver.Config) (suites.Stage, error) {
	return nil, io.ErrUnexpectedEOF
}

func TestASubjectThatGoesItsOwnWayTakesNoPath(t *testing.T) {
	t.Parallel()
	_, err := suites.Judge(t.Context(), ownWay{}, contracts(t, oneAttempt), suites.Options{Host: sharedHost(t, itself)})
	if err == nil || !strings.Contains(err.Error(), "a service asks its upstreams where its own configuration says") {
		t.Errorf("got %v", err)
	}
}
