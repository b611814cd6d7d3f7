// Package quick is the fault server for exploring by hand: fixed routes, each of
// which does what its path says, to whoever asks and as often. No script, no
// session, no order.
//
// It imports the standard library and faultserver. A new route is a line in
// routes, and a function that makes its step.
package quick

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

const (
	// longestDelay is what /delay may ask for: longer than the timeouts that one
	// tries out by hand.
	longestDelay = time.Minute
	// largestCut is what /truncate may ask for.
	largestCut = 64 * faultserver.MiB
	// mostAttempts and mostBytes bound the journal, which nobody reads here.
	mostAttempts = 1_000
	mostBytes    = 16 << 20
)

// A route is a fixed path and what stands behind it.
type route struct {
	// path has what is fixed, example all that one can type.
	path, example, does string
	// step makes the step; rest is what follows path, and the error says what is
	// wrong with it.
	step func(r *routes, rest string, query url.Values) (faultserver.Step, error)
}

// all are the routes, in the order in which / lists them.
var all = []route{
	{"/status/", "/status/503", "an answer with this status; ?retry-after=1 adds the header", status},
	{"/reset", "/reset", "RST once the request has been read, and no answer", reset},
	{"/delay/", "/delay/2s", "a 200 after this time, a minute at most", delay},
	{"/truncate/", "/truncate/500", "an answer of twice as many bytes, cut after so many", truncate},
	{"/flaky", "/flaky?fail=2", "503 so many times, then 200, and again; ?key=NAME counts apart", flaky},
	{"/echo", "/echo", "the request as it came, as JSON", echo},
}

// routes are the state behind the routes.
type routes struct {
	// flaky counts failures, by the hash of the key: a client may send large ones.
	flaky map[[sha256.Size]byte]int
}

// Config is a session that serves the routes. Each call counts /flaky anew.
func Config() faultserver.Config {
	r := &routes{flaky: map[[sha256.Size]byte]int{}}
	var held atomic.Int64
	return faultserver.Config{
		Choose: r.choose, KeepBodies: true, MaxAttempts: mostAttempts,
		Admit: func(bytes int64) bool { return held.Add(bytes) <= mostBytes },
	}
}

// List says which routes there are, a line each.
func List() string {
	var text strings.Builder
	for _, one := range all {
		fmt.Fprintf(&text, "  %-15s  %s\n", one.example, one.does)
	}
	return text.String()
}

// choose is the step of the route that a request names.
func (r *routes) choose(request faultserver.Request) faultserver.Step {
	parsed, err := url.ParseRequestURI(request.Target)
	if err != nil {
		return says(http.StatusBadRequest, fmt.Sprintf("the target is no path: %v\n", err))
	}
	if parsed.Path == "/" {
		return says(http.StatusOK, "faultsrv plays no script here; try\n\n"+List())
	}
	for _, one := range all {
		rest, found := strings.CutPrefix(parsed.Path, one.path)
		if !found || rest != "" && !strings.HasSuffix(one.path, "/") {
			continue
		}
		step, err := one.step(r, rest, parsed.Query())
		if err == nil {
			err = faultserver.ValidateScript([]faultserver.Step{step})
		}
		if err != nil {
			return says(http.StatusBadRequest, fmt.Sprintf("%v; such as %s\n", err, one.example))
		}
		return step
	}
	return says(http.StatusNotFound, "there is no such route; there are\n\n"+List())
}

// says is an answer with a text for a reader.
func says(status int, text string) faultserver.Step {
	return faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{
		Status:  status,
		Headers: faultserver.Headers{{Name: "Content-Type", Value: "text/plain; charset=utf-8"}, {Name: "X-Content-Type-Options", Value: "nosniff"}},
		Body:    faultserver.Body{Text: text},
	}}}
}

func status(_ *routes, rest string, query url.Values) (faultserver.Step, error) {
	code, err := strconv.Atoi(rest)
	if err != nil || code < 200 || code > 999 {
		return faultserver.Step{}, fmt.Errorf("status %q: expected three digits from 200 to 999", rest)
	}
	step := says(code, fmt.Sprintf("%d %s\n", code, http.StatusText(code)))
	if respond, is := step.Act.(faultserver.Respond); is && query.Has("retry-after") {
		respond.RetryAfter = &faultserver.RetryAfter{Value: query.Get("retry-after")}
		step.Act = respond
	}
	return step, nil
}

func reset(*routes, string, url.Values) (faultserver.Step, error) {
	return faultserver.Step{Act: faultserver.Reset{}}, nil
}

func delay(_ *routes, rest string, _ url.Values) (faultserver.Step, error) {
	wait, err := faultserver.ParseDuration(rest)
	if err != nil || wait < 0 || wait > longestDelay {
		return faultserver.Step{}, fmt.Errorf("delay %q: expected a duration up to %v", rest, longestDelay)
	}
	step := says(http.StatusOK, fmt.Sprintf("after %s\n", faultserver.FormatDuration(wait)))
	step.Delay.Fixed = wait
	return step, nil
}

func truncate(_ *routes, rest string, _ url.Values) (faultserver.Step, error) {
	after, err := faultserver.ParseSize(rest)
	if err != nil || after < 0 || after > largestCut {
		return faultserver.Step{}, fmt.Errorf("truncate %q: expected a number of bytes up to %s", rest, largestCut)
	}
	return faultserver.Step{Act: faultserver.Truncate{After: after}}, nil
}

// mostKeys is how many counters of /flaky there are at the same time; with one
// more, all begin anew.
const mostKeys = 1_000

func flaky(r *routes, _ string, query url.Values) (faultserver.Step, error) {
	fail := 1
	if text := query.Get("fail"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return faultserver.Step{}, fmt.Errorf("fail=%q: expected a number of attempts", text)
		}
		fail = n
	}
	key := sha256.Sum256(fmt.Append(nil, fail, " ", query.Get("key")))
	if _, known := r.flaky[key]; !known && len(r.flaky) >= mostKeys {
		clear(r.flaky)
	}
	if r.flaky[key] < fail {
		r.flaky[key]++
		return says(http.StatusServiceUnavailable, fmt.Sprintf("failure %d of %d\n", r.flaky[key], fail)), nil
	}
	delete(r.flaky, key)
	return says(http.StatusOK, fmt.Sprintf("after %d failures\n", fail)), nil
}

func echo(*routes, string, url.Values) (faultserver.Step, error) {
	return faultserver.Step{Act: faultserver.Echo{}}, nil
}
