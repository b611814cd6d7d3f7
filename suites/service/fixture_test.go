package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/internal/vacant"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
	"github.com/faultsrv/faultsrv/suites/service"
)

// A shop is a service within the test: what it does for one request.
type shop func(w http.ResponseWriter, r *http.Request, upstream string)

// answers tells the caller whether a call was good.
func answers(w http.ResponseWriter, err error) {
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	_, _ = io.WriteString(w, "thank you\n")
}

// asks makes one request and takes 200 with a whole body for good.
func asks(ctx context.Context, client *http.Client, method, url, baggage string, body []byte) error {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if baggage != "" {
		request.Header.Set("Baggage", baggage)
	}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the upstream answered %s", response.Status)
	}
	return nil
}

// goodShop asks by PUT /stock and retries as it declares to.
func goodShop(t *testing.T) shop {
	t.Helper()
	transport, err := resilient.New(&http.Transport{},
		resilient.WithAttempts(3), resilient.WithBackoff(resilient.NewConstantBackoff(20*time.Millisecond, 0)), resilient.WithMethods("PUT"))
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	t.Cleanup(client.CloseIdleConnections)
	return func(w http.ResponseWriter, r *http.Request, upstream string) {
		answers(w, asks(r.Context(), client, http.MethodPut, upstream+"/stock", r.Header.Get("Baggage"), []byte(`{"tea": 2}`)))
	}
}

// A fixture is a shop and the address of its upstream.
type fixture struct {
	upstream, url string
	close         func()
}

// open starts a shop.
func open(t *testing.T, of shop) fixture {
	t.Helper()
	address := vacant.Address(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { of(w, r, "http://"+address) }))
	t.Cleanup(server.Close)
	return fixture{upstream: address, url: server.URL, close: server.Close}
}

// profileOf is a profile of lines beside the shop's addresses, read from a file.
func profileOf(t *testing.T, f fixture, lines ...string) service.Profile {
	t.Helper()
	text := fmt.Sprintf("kind: service\nname: shop\nupstreams: {stock: {listen: %q}}\ntrigger: {url: %q}\n", f.upstream, f.url)
	return parse(t, text+"match: {method: PUT, path: /stock}\npolicy: {attempts: 3, backoff: {constant: 20ms}, methods: [PUT]}\n"+strings.Join(lines, "\n"))
}

func parse(t *testing.T, text string) service.Profile {
	t.Helper()
	file := filepath.Join(t.TempDir(), "service.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := service.Load(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// start starts the service's part and ends it with the test.
func start(t *testing.T, p service.Profile, command ...string) *service.Subject {
	t.Helper()
	subject, err := service.Start(t.Context(), p, command, service.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := subject.Close(); err != nil {
			t.Error(err)
		}
	})
	return subject
}

// refused is why the service could not be started.
func refused(t *testing.T, p service.Profile, command ...string) string {
	t.Helper()
	subject, err := service.Start(t.Context(), p, command, service.Options{CallTimeout: 5 * time.Second})
	if err == nil {
		t.Fatal(errors.Join(errors.New("it was started"), subject.Close()))
	}
	return err.Error()
}

// contracts parses contracts of a test, each of an id and what it asks.
func contracts(t *testing.T, list ...[2]string) []*scenarios.Contract {
	t.Helper()
	text := "format: 1\n"
	for _, contract := range list {
		text += "---\nid: " + contract[0] + "\ntitle: A rule\nlevel: must\nbasis: safety\nwhy: A test.\n" + contract[1] + "\n"
	}
	parsed, err := scenarios.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// judge judges the service and gives the results by their ids.
func judge(t *testing.T, subject suites.Subject, list []*scenarios.Contract, options suites.Options) map[string]reports.Result {
	t.Helper()
	run, err := suites.Judge(t.Context(), subject, list, options)
	if err != nil {
		t.Fatal(err)
	}
	results := map[string]reports.Result{}
	for _, result := range run.Results {
		results[result.ID] = result
	}
	return results
}

// expect compares the verdicts.
func expect(t *testing.T, results map[string]reports.Result, want map[string]string) {
	t.Helper()
	for id, verdict := range want {
		if got := results[id]; string(got.Verdict) != verdict {
			t.Errorf("%s: want %s, got:\n%s", id, verdict, reports.Explain(got))
		}
	}
}
