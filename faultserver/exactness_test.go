package faultserver_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/faultserver"
)

// runs is how often a strike has to come out the same.
const runs = 1000

// TestStrikesAreExact has each end of a connection seen from the other side,
// every time: the bytes before it, and FIN or RST by errno.
func TestStrikesAreExact(t *testing.T) {
	strikes := []struct {
		script, request, end string
		body                 faultserver.Size // of the answer; -1 for no answer
		runs                 int
	}{
		{"reset@request-head", put(strings.Repeat("b", 5000)), "rst", -1, runs},
		{"reset@request-body@10", put(strings.Repeat("b", 5000)), "rst", -1, runs},
		{"reset", put("body"), "rst", -1, runs},
		{"reset@response-head", get("/"), "rst", 0, runs},
		{"reset@response-body@1", get("/"), "rst", 1, runs},
		{"reset@response-body@1000", get("/"), "rst", 1000, runs},
		{"reset@response-body@64KiB", get("/"), "rst", 64 * faultserver.KiB, runs},
		{"reset@response-body@1MiB", get("/"), "rst", faultserver.MiB, runs},
		{"close@request-head", put(strings.Repeat("b", 5000)), "fin", -1, runs},
		{"close@request-body@10", put(strings.Repeat("b", 5000)), "fin", -1, runs},
		{"close", put("body"), "fin", -1, runs},
		{"close@response-head", get("/"), "fin", 0, runs},
		{"close@response-body@1MiB", get("/"), "fin", faultserver.MiB, runs},
		{"truncate@1", get("/"), "fin", 1, runs},
		{"truncate@1MiB", get("/"), "fin", faultserver.MiB, runs},
		{"truncate@1MiB:end=rst", get("/"), "rst", faultserver.MiB, runs},
	}
	for _, busy := range []bool{false, true} {
		for _, strike := range strikes {
			name := strike.script
			if busy {
				name += " with busy cores"
			}
			t.Run(name, func(t *testing.T) {
				if busy {
					keepBusy(t)
				}
				s := open(t, faultserver.Config{Script: script(strike.script + ":forever")})
				many(t, strike.runs, 8, func(int) error {
					p, err := connect(s.URL())
					if err != nil {
						return err
					}
					defer func() { _ = p.Close() }()
					p.say(strike.request)
					return expectEnd(p, strike.body, strike.end)
				})
				expectAllMet(t, s.Journal(), strike.runs)
			})
		}
	}
}

// expectEnd hears a connection out.
func expectEnd(p *peer, body faultserver.Size, end string) error {
	if body < 0 {
		heard, how := p.hear()
		if heard != "" || how != end {
			return fmt.Errorf("heard %q, then %s; want nothing, then %s", heard, how, end)
		}
		return nil
	}
	var head strings.Builder
	for !strings.HasSuffix(head.String(), "\r\n\r\n") {
		c, err := p.reader.ReadByte()
		if err != nil {
			return fmt.Errorf("head %q, then %w", head.String(), err)
		}
		head.WriteByte(c)
	}
	n, err := io.Copy(io.Discard, p.reader)
	if n != int64(body) || ending(err) != end {
		return fmt.Errorf("%d body bytes, then %s; want %d, then %s", n, ending(err), body, end)
	}
	return nil
}

func expectAllMet(t *testing.T, journal faultserver.Journal, attempts int) {
	t.Helper()
	if len(journal.Attempts) != attempts {
		t.Errorf("%d attempts in the journal; want %d", len(journal.Attempts), attempts)
	}
	var problems []error
	for _, a := range journal.Attempts {
		if !a.Met || a.End.Earliest < a.Arrived || a.End.Latest < a.End.Earliest {
			problems = append(problems, fmt.Errorf("attempt %d: %+v", a.Index, a))
		}
	}
	if len(problems) > 0 {
		t.Errorf("%d attempts are not as they should be, the first: %v", len(problems), errors.Join(problems[0]))
	}
}
