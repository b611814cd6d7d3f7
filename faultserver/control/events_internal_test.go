package control

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// What arrives between the beginning of the watch and the journal's copy comes by
// both ways.
func TestAnAttemptIsToldOnceHoweverOftenItComes(t *testing.T) {
	t.Parallel()
	answer := httptest.NewRecorder()
	out := &stream{
		writer: answer, control: http.NewResponseController(answer), told: map[int]bool{},
		redact: func(a faultserver.Attempt) faultserver.Attempt { return a },
	}
	for _, a := range []faultserver.Attempt{{Index: 1, Open: true}, {Index: 2}} { // the journal's copy
		out.before(a)
	}
	for _, a := range []faultserver.Attempt{{Index: 1, Open: true}, {Index: 1}, {Index: 2, Open: true}, {Index: 1}, {Index: 2}, {Index: 3, Open: true}, {Index: 3}} {
		out.attempt(a)
	}
	var told []string
	for line := range strings.Lines(answer.Body.String()) {
		if id, is := strings.CutPrefix(line, "id: "); is {
			told = append(told, strings.TrimSpace(id))
		}
		if event, is := strings.CutPrefix(line, "event: "); is {
			told = append(told, strings.TrimSpace(event))
		}
	}
	if got, want := strings.Join(told, " "), "1 arrived 2 ended 1 ended 3 arrived 3 ended"; got != want {
		t.Errorf("told %q; want %q", got, want)
	}
	if len(out.told) != 2 {
		t.Errorf("it remembers %d attempts; want only the journal's two, however many come", len(out.told))
	}
}

func TestAWatcherThatDoesNotKeepUpIsCutOff(t *testing.T) {
	t.Parallel()
	feed := NewFeed()
	slow, stop := feed.watch()
	defer stop()
	for range feedAhead + 1 {
		feed.Observe(faultserver.Attempt{})
	}
	for range feedAhead {
		if _, going := <-slow; !going {
			t.Fatal("what it was told before is lost")
		}
	}
	if _, going := <-slow; going {
		t.Error("it goes on, with a gap")
	}
}
