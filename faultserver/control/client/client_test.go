package client_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

// answering is a client of a server that answers everything alike, as one does
// that stands between, and of what it was asked.
func answering(t *testing.T, status int, body string) (api *client.Client, asked *http.Request) {
	t.Helper()
	asked = &http.Request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = *r.Clone(r.Context())
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	}))
	t.Cleanup(server.Close)
	return client.New(server.URL+"/", client.WithToken("secret")), asked
}

func TestAnErrorThatIsNoProblemIsTold(t *testing.T) {
	t.Parallel()
	api, asked := answering(t, http.StatusBadGateway, "no route\n")
	err := api.Delete(t.Context(), "a/b")
	var problem *client.Problem
	if !errors.As(err, &problem) || problem.Status != http.StatusBadGateway || problem.Detail != "no route" || problem.Title != "Bad Gateway" {
		t.Errorf("got %v; want a problem of status 502 with the answer's text", err)
	}
	if client.IsNotInTime(err) {
		t.Error("a 502 says nothing about time")
	}
	if got := asked.URL.EscapedPath(); got != "/v1/sessions/a%2Fb" {
		t.Errorf("asked for %s; want the id as one segment", got)
	}
	if got := asked.Header.Get("Authorization"); got != "Bearer secret" {
		t.Errorf("Authorization %q; want the token", got)
	}
}

func TestAnAnswerThatIsNoJSONIsAnError(t *testing.T) {
	t.Parallel()
	api, _ := answering(t, http.StatusOK, "<html>")
	if _, err := api.Sessions(t.Context()); err == nil || !strings.Contains(err.Error(), "GET /v1/sessions: the answer") {
		t.Errorf("got %v; want an error that names the request", err)
	}
}

func TestAStreamThatBreaksOffIsAnError(t *testing.T) {
	t.Parallel()
	seen := func(faultserver.Attempt) error { return nil }
	api, _ := answering(t, http.StatusOK, ": hello\n\n")
	if err := api.Watch(t.Context(), "a", seen); !errors.Is(err, client.ErrEnded) {
		t.Errorf("got %v; want ErrEnded", err)
	}
	api, _ = answering(t, http.StatusOK, "event: ended\ndata: nonsense\n\n")
	if err := api.Watch(t.Context(), "a", seen); err == nil || errors.Is(err, client.ErrEnded) {
		t.Errorf("got %v; want what is wrong with the data", err)
	}
}

func TestAnOutcomeThatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	api, asked := answering(t, http.StatusOK, "")
	if err := api.Outcome(t.Context(), "a", "b", func() {}); err == nil || asked.Method != "" {
		t.Errorf("got %v and the request %q; want an error and no request", err, asked.Method)
	}
}
