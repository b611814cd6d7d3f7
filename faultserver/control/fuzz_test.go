package control

import (
	"bytes"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// FuzzRequest sends whatever comes to the API, as a request to one of its paths.
// None may crash it, none may be the server's fault, and none may leave a session
// that cannot be shown and deleted.
func FuzzRequest(f *testing.F) {
	for _, body := range []string{
		`{"script":"503x2,reset,200"}`, `{"id":"a","contract":"x"}`, `{"scenario":{"id":"x"}}`, `{"scenario":"id: x"}`,
		`{"steps":[{"respond":503}]}`, `{"outcome":{"kind":"response"}}`, `{"script":"200","ttl":"1s","seed":18446744073709551615}`,
		`{"script":"200","upstream":"http://127.0.0.1:9"}`, `[]`, `null`, `"`, "\x00",
	} {
		for i := range routes {
			f.Add(uint8(i), "fuzzed", "first", "until=attempts:1&timeout=1ms", body, "application/json")
		}
	}
	f.Add(uint8(5), "a/../b", "%2f", "until=quiet", "id: x", "application/yaml; charset=x")
	host, err := faultserver.Listen("127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = host.Close() })
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { _ = listener.Close() })
	server := newServer(Options{
		Host: host,
		Resolve: func(id string) (Scenario, error) {
			return Scenario{ID: id, Config: faultserver.Config{Calls: []faultserver.CallConfig{{Token: "first"}}}, Calls: []Call{{Token: "first"}}}, nil
		},
		Parse: func([]byte) (Scenario, error) { return Scenario{}, nil },
		Steps: func(document []byte) (steps []faultserver.Step, err error) {
			return faultserver.ParseScript(string(document))
		},
		Limits: Limits{Sessions: 10, Steps: 100},
	}, listener)
	f.Cleanup(func() { _ = server.store.close() })
	handler := server.Handler()
	f.Fuzz(func(t *testing.T, index uint8, id, call, query, body, mediaType string) {
		one := routes[int(index)%len(routes)]
		if one.path == "/v1/sessions/{id}/events" || strings.Contains(query, "timeout=") && !strings.Contains(query, "timeout=1ms") {
			return // it would be waited for
		}
		request := httptest.NewRequest(one.method, "http://127.0.0.1/", bytes.NewReader([]byte(body)))
		request.URL.Path = strings.NewReplacer("{id}", id, "{call}", call).Replace(one.path)
		request.URL.RawQuery = query
		request.Header.Set("Content-Type", mediaType)
		if strings.Contains(query, "until") && !strings.Contains(query, "timeout=1ms") {
			return
		}
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if answer.Code >= 500 && answer.Code != http.StatusGatewayTimeout {
			t.Fatalf("%s %q: status %d: %s", one.method, request.URL.Path, answer.Code, answer.Body)
		}
		if answer.Code >= 400 && answer.Header().Get("Content-Type") != "application/problem+json" {
			t.Fatalf("status %d is no problem, but %s", answer.Code, answer.Header().Get("Content-Type"))
		}
		if answer.Code == http.StatusCreated && one.path == "/v1/sessions" {
			removeCreated(t, handler, answer.Body.Bytes())
		}
	})
}

// removeCreated shows and deletes a session that was just created.
func removeCreated(t *testing.T, handler http.Handler, made []byte) {
	var session struct{ Links map[string]string }
	if err := json.Unmarshal(made, &session); err != nil {
		t.Fatal(err)
	}
	for method, want := range map[string]int{http.MethodGet: http.StatusOK} {
		for _, link := range session.Links {
			if strings.HasSuffix(link, "/events") || strings.HasSuffix(link, "/verdict") {
				continue
			}
			answer := httptest.NewRecorder()
			handler.ServeHTTP(answer, httptest.NewRequest(method, "http://127.0.0.1"+link, nil))
			if answer.Code != want {
				t.Fatalf("%s %s: status %d: %s", method, link, answer.Code, answer.Body)
			}
		}
	}
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, httptest.NewRequest(http.MethodDelete, "http://127.0.0.1"+session.Links["self"], nil))
	if answer.Code != http.StatusNoContent {
		t.Fatalf("delete %s: status %d: %s", session.Links["self"], answer.Code, answer.Body)
	}
}
