package kit

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// Answer is what the caller of a library gets.
type Answer struct {
	// Status is that of the answer; together with an error, that of the last answer,
	// where the caller has it or finds it in the error. 0 where there is none.
	Status int
	Header http.Header
	// Body is read to its end, and closed; nil for none.
	Body io.ReadCloser
	// Attempts are how many the library says it made; 0 where it does not say.
	Attempts int
}

// FromResponse is the answer of a library that gives net/http's response and
// error. Both may be there.
func FromResponse(response *http.Response, err error) (Answer, error) {
	if response == nil {
		return Answer{}, err
	}
	return Answer{Status: response.StatusCode, Header: response.Header, Body: response.Body}, err
}

// result is the message that tells what became of a call.
type result struct {
	Type       string      `json:"type"`
	Seq        int64       `json:"seq"`
	Outcome    string      `json:"outcome"`
	Status     int         `json:"status,omitempty"`
	Headers    [][2]string `json:"headers,omitempty"`
	BodySHA256 string      `json:"body_sha256,omitempty"`
	BodyLength int64       `json:"body_length,omitempty"`
	Error      *failure    `json:"error,omitempty"`
	Reason     string      `json:"reason,omitempty"`
	Attempts   int         `json:"attempts,omitempty"`
	ElapsedMS  float64     `json:"elapsed_ms"`
}

// make makes the call that the message asks for, and tells what came of it.
func (r run) make(ctx context.Context, client Client, kinds func(error) []string) result {
	got := result{Type: "result", Seq: r.Seq, Outcome: "response"}
	if err := prepare(client, r.URL); err != nil {
		got.Outcome, got.Error = "error", explain(err, 0, nil)
		return got
	}
	ctx, end := r.within(ctx)
	defer end()
	started := time.Now()
	answer, err := r.do(ctx, client, &got)
	got.ElapsedMS = float64(time.Since(started)) / float64(time.Millisecond)
	got.Attempts = answer.Attempts
	switch {
	case errors.Is(err, errUnsupported):
		got.Outcome, got.Reason = "unsupported", err.Error()
	case err != nil:
		got.Outcome, got.Error = "error", explain(err, answer.Status, kinds)
	default:
		got.Status, got.Headers = answer.Status, lines(answer.Header)
	}
	return got
}

// do makes the call and reads the answer, as a caller would who looks at the
// error first.
func (r run) do(ctx context.Context, client Client, got *result) (Answer, error) {
	call, end, err := r.call()
	if err != nil {
		return Answer{}, fmt.Errorf("read the body of the call: %w", err)
	}
	defer end() //nolint:errcheck // a body that was only read has nothing to lose
	answer, err := client.Do(ctx, call)
	if answer.Body == nil {
		return answer, err
	}
	if err != nil {
		return answer, errors.Join(err, answer.Body.Close())
	}
	hash := sha256.New()
	got.BodyLength, err = io.Copy(hash, answer.Body)
	got.BodySHA256 = hex.EncodeToString(hash.Sum(nil))
	return answer, errors.Join(err, answer.Body.Close())
}

// lines are the lines of a header, by name.
func lines(header http.Header) [][2]string {
	var all [][2]string
	for name, values := range header {
		for _, value := range values {
			all = append(all, [2]string{name, value})
		}
	}
	slices.SortStableFunc(all, func(a, b [2]string) int { return cmp.Compare(a[0], b[0]) })
	return all
}
