package control_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

func TestControl(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(10 * time.Second)
	SetDefaultEventuallyPollingInterval(5 * time.Millisecond)
	RunSpecs(t, "control")
}

// A service is an API, the host it opens sessions at, and a client that holds
// every answer to the description of the API.
type service struct {
	*client.Client

	host   *faultserver.Host
	server *control.Server
	http   *http.Client
}

// start starts a service that the spec's end closes.
func start(options control.Options) *service {
	GinkgoHelper()
	host, err := faultserver.Listen("127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(host.Close)
	options.Host = host
	if options.Resolve == nil {
		options.Resolve = resolve
	}
	server, err := control.Listen("127.0.0.1:0", options)
	Expect(err).NotTo(HaveOccurred())
	described := &http.Client{Transport: holding(&http.Transport{DisableCompression: true})}
	DeferCleanup(func() {
		described.CloseIdleConnections()
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		Expect(server.Close(ctx)).To(Succeed())
	})
	return &service{
		Client: client.New(server.URL(), client.WithHTTPClient(described), client.WithToken(options.Token)),
		host:   host, server: server, http: described,
	}
}

// create creates a session.
func (s *service) create(asked client.NewSession) client.Session {
	GinkgoHelper()
	session, err := s.Create(context.Background(), asked)
	Expect(err).NotTo(HaveOccurred())
	return session
}

// say makes a request to the API as it is given, and returns the answer.
func (s *service) say(method, path, body string, headers ...string) (status int, answer string) {
	GinkgoHelper()
	request, err := http.NewRequest(method, s.server.URL()+path, strings.NewReader(body))
	Expect(err).NotTo(HaveOccurred())
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
		if headers[i] == "Host" {
			request.Host = headers[i+1]
		}
	}
	response, err := s.http.Do(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, string(text)
}

// ask makes a request as a client under test, on a connection of its own, and
// returns the status; 0 for none.
func ask(url string) int {
	fresh := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := fresh.Get(url)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, response.Body)
	return response.StatusCode
}

// resolve knows one contract, "known.rule": two calls, of which the second has a
// body; it is kept where every call has succeeded.
func resolve(id string) (control.Scenario, error) {
	if id != "known.rule" {
		return control.Scenario{}, errors.New("no such contract; the nearest: known.rule")
	}
	return control.Scenario{
		ID: id, Title: "A rule that is known",
		Config: faultserver.Config{
			Script: script("503,200"),
			Calls:  []faultserver.CallConfig{{Token: "first"}, {Token: "second", Script: script("201")}},
		},
		Calls: []control.Call{
			{Token: "first", Name: "first", Method: "GET", Path: "/a"},
			{Token: "second", Name: "second", Method: "PUT", Path: "/b", Body: faultserver.Body{Size: 100 << 10, Seed: 3}, Headers: faultserver.Headers{{Name: "X-Given", Value: "1"}}},
		},
		Policy: map[string]int{"attempts": 3},
		Judge:  judge,
	}, nil
}

func judge(_ context.Context, c control.Case) (any, error) {
	verdict := "pass"
	for _, report := range c.Reports {
		if !strings.Contains(string(report.Outcome), `"response"`) {
			verdict = "fail"
		}
	}
	return map[string]any{"id": "known.rule", "verdict": verdict, "reason": "", "checks": []any{}, "reports": c.Reports}, nil
}

func script(line string) []faultserver.Step {
	steps, err := faultserver.ParseScript(line)
	if err != nil {
		panic(err)
	}
	return steps
}

// outcome is what a client reports.
func outcome(kind string) map[string]any { return map[string]any{"kind": kind, "status": 200} }

// haveStatus matches an error of the API with a status, whose detail contains a
// text.
func haveStatus(status int, detail string) OmegaMatcher {
	return WithTransform(func(err error) client.Problem {
		var problem *client.Problem
		if !errors.As(err, &problem) {
			return client.Problem{}
		}
		return *problem
	}, And(HaveField("Status", status), HaveField("Detail", ContainSubstring(detail))))
}

// asJSON is a value as JSON.
func asJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}
