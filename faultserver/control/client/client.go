// Package client drives a fault server's control API from Go.
//
//	api := client.New("http://127.0.0.1:8504")
//	session, err := api.Create(ctx, client.NewSession{Script: "503x2,200"})
//	…                                // let the client under test call session.URL
//	journal, err := api.Journal(ctx, session.ID, client.Attempts(3))
//
// Every error of the API is a [*Problem]. It imports the standard library and
// faultserver, whose journal it returns. The types of the API are here, in
// types.go, so that the server and its clients have the same ones.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A Client calls one control API. It may be used by several goroutines.
type Client struct {
	base  string
	token string
	http  *http.Client
}

// An Option changes how a Client calls.
type Option func(*Client)

// WithToken sends a bearer token; without it, none is sent.
func WithToken(token string) Option { return func(c *Client) { c.token = token } }

// WithHTTPClient calls by another http.Client; by default by one of its own
// without a timeout, since waits have theirs.
func WithHTTPClient(client *http.Client) Option { return func(c *Client) { c.http = client } }

// New is a client of the API at a base URL, such as http://127.0.0.1:8504.
func New(base string, options ...Option) *Client {
	c := &Client{base: strings.TrimRight(base, "/"), http: &http.Client{}}
	for _, option := range options {
		option(c)
	}
	return c
}

// Create creates a session.
func (c *Client) Create(ctx context.Context, asked NewSession) (Session, error) {
	var made Session
	err := c.call(ctx, http.MethodPost, "/v1/sessions", asked, &made)
	return made, err
}

// Sessions lists the sessions, by id.
func (c *Client) Sessions(ctx context.Context) ([]Session, error) {
	var list Sessions
	err := c.call(ctx, http.MethodGet, "/v1/sessions", nil, &list)
	return list.Sessions, err
}

// Session shows a session.
func (c *Client) Session(ctx context.Context, id string) (Session, error) {
	var shown Session
	err := c.call(ctx, http.MethodGet, path(id), nil, &shown)
	return shown, err
}

// Delete ends a session. It has been closed when the call returns.
func (c *Client) Delete(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodDelete, path(id), nil, nil)
}

// A Wait is what Journal waits for.
type Wait func(url.Values)

// Attempts waits until so many attempts have arrived.
func Attempts(n int) Wait {
	return func(query url.Values) { query.Add("until", "attempts:"+strconv.Itoa(n)) }
}

// Quiet waits until no attempt is in progress.
func Quiet() Wait { return func(query url.Values) { query.Add("until", "quiet") } }

// Within bounds the wait; it is 30 s otherwise, and 10 min at most.
func Within(d time.Duration) Wait {
	return func(query url.Values) { query.Set("timeout", faultserver.FormatDuration(d)) }
}

// Journal is a session's record up to now, or once what is waited for has
// happened. What does not happen in time is a Problem of status 504.
func (c *Client) Journal(ctx context.Context, id string, waits ...Wait) (faultserver.Journal, error) {
	query := url.Values{}
	for _, wait := range waits {
		wait(query)
	}
	var journal faultserver.Journal
	err := c.call(ctx, http.MethodGet, path(id, "journal")+"?"+query.Encode(), nil, &journal)
	return journal, err
}

// Script shows a session's script as it is now.
func (c *Client) Script(ctx context.Context, id string) (Script, error) {
	var script Script
	err := c.call(ctx, http.MethodGet, path(id, "steps"), nil, &script)
	return script, err
}

// AddSteps puts steps behind a session's script.
func (c *Client) AddSteps(ctx context.Context, id string, steps Steps) error {
	return c.call(ctx, http.MethodPost, path(id, "steps"), steps, nil)
}

// ReplaceSteps makes other steps a session's script, from the first on.
func (c *Client) ReplaceSteps(ctx context.Context, id string, steps Steps) error {
	return c.call(ctx, http.MethodPut, path(id, "steps"), steps, nil)
}

// Rewind lets a session's scripts begin anew.
func (c *Client) Rewind(ctx context.Context, id string) error {
	return c.call(ctx, http.MethodPost, path(id, "rewind"), nil, nil)
}

// Body is what the client under test is to send in a call.
func (c *Client) Body(ctx context.Context, id, call string) ([]byte, error) {
	response, err := c.send(ctx, http.MethodGet, path(id, "calls", call, "body"), nil)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// Started tells that a call is about to be made.
func (c *Client) Started(ctx context.Context, id, call string) error {
	return c.call(ctx, http.MethodPost, path(id, "calls", call, "started"), nil, nil)
}

// Cancelled tells that a call has just been cancelled.
func (c *Client) Cancelled(ctx context.Context, id, call string) error {
	return c.call(ctx, http.MethodPost, path(id, "calls", call, "cancelled"), nil, nil)
}

// Outcome tells how a call ended: what marshals to JSON as
// {"kind": "response", "status": 200}.
func (c *Client) Outcome(ctx context.Context, id, call string, outcome any) error {
	text, err := json.Marshal(outcome)
	if err != nil {
		return fmt.Errorf("outcome: %w", err)
	}
	return c.call(ctx, http.MethodPost, path(id, "calls", call, "outcome"), Report{Outcome: text}, nil)
}

// Verdict judges a session, and reads the verdict into a pointer.
func (c *Client) Verdict(ctx context.Context, id string, into any) error {
	return c.call(ctx, http.MethodGet, path(id, "verdict"), nil, into)
}

// path is the path of a session, or of what is below it.
func path(id string, below ...string) string {
	text := "/v1/sessions/" + url.PathEscape(id)
	for _, part := range below {
		text += "/" + url.PathEscape(part)
	}
	return text
}

// call makes a request with a JSON body, if there is one, and reads a JSON
// answer, if one is wanted.
func (c *Client) call(ctx context.Context, method, target string, body, into any) error {
	response, err := c.send(ctx, method, target, body)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if into == nil {
		_, err = io.Copy(io.Discard, response.Body)
	} else {
		err = json.NewDecoder(response.Body).Decode(into)
	}
	if err != nil {
		return fmt.Errorf("%s %s: the answer: %w", method, target, err)
	}
	return nil
}

// send makes a request; an answer that is an error is returned as one.
func (c *Client) send(ctx context.Context, method, target string, body any) (*http.Response, error) {
	content := io.Reader(http.NoBody)
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, target, err)
		}
		content = bytes.NewReader(text)
	}
	request, err := http.NewRequestWithContext(ctx, method, c.base+target, content)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	if c.token != "" {
		request.Header.Set("Authorization", "Bearer "+c.token)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode < http.StatusBadRequest {
		return response, nil
	}
	defer response.Body.Close()
	return nil, fmt.Errorf("%s %s: %w", method, target, readProblem(response))
}

// problemSize bounds what is read of an error.
const problemSize = 64 << 10

func readProblem(response *http.Response) *Problem {
	problem := &Problem{Status: response.StatusCode, Title: http.StatusText(response.StatusCode)}
	text, err := io.ReadAll(io.LimitReader(response.Body, problemSize))
	if err == nil && json.Unmarshal(text, problem) != nil {
		problem.Detail = strings.TrimSpace(string(text))
	}
	return problem
}

// IsNotInTime tells whether an error says that what was waited for did not
// happen in time.
func IsNotInTime(err error) bool {
	var problem *Problem
	return errors.As(err, &problem) && problem.Status == http.StatusGatewayTimeout
}
