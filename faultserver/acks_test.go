package faultserver_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A client that has nothing to send holds its acknowledgement back for 40 ms; a
// journal that is read before it says that nobody had the answer.
func TestAcknowledgementsAreAwaited(t *testing.T) {
	for range 20 {
		s := open(t, faultserver.Config{Script: script("200:body=100:forever")})
		p := dial(t, s.URL())
		for range 5 { // a new connection's first answers are acknowledged at once
			p.say(get("/"))
			response, err := http.ReadResponse(p.reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		defer cancel()
		if err := s.AwaitAcks(ctx); err != nil {
			t.Fatal(err)
		}
		for _, attempt := range s.Journal().Attempts {
			if attempt.Acked >= 0 && attempt.Acked < 100 {
				t.Fatalf("attempt %d: %d bytes acknowledged; expected the head and 100", attempt.Index, attempt.Acked)
			}
		}
	}
}

// One that does not read is waited for as long as the caller likes.
func TestAcknowledgementsMayNotCome(t *testing.T) {
	s := open(t, faultserver.Config{Script: script("200:body=64MiB:forever")})
	p := dial(t, s.URL())
	p.say(get("/"))
	eventually(t, s, "an answer that has begun", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Answered > 0 })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if s.AwaitAcks(ctx) == nil && s.Journal().Attempts[0].Acked >= 0 {
		t.Error("64 MiB that nobody reads are acknowledged")
	}
}
