package matchers

import (
	"fmt"

	"github.com/onsi/gomega/types"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// HaveSourceBodies matches where every attempt carried the source's bytes; of
// a body that was cut, a prefix of them.
//
// The sources are given as string, []byte or faultserver.Body: one for all
// calls, or one a call in the order in which the calls first arrived. Without
// any, those of the evidence count; and of a journal alone, what the first
// whole request of each call carried: it then matches where every later one
// carried the same.
func HaveSourceBodies(sources ...any) types.GomegaMatcher {
	w := expect(written("HaveSourceBodies", lengths(sources)...), scenarios.Expectation{Body: scenarios.BodySource})
	bodies, err := bodiesOf(sources)
	w.wrong = err
	if len(sources) > 0 {
		w.evidence = func(matcher string, actual any) (assertions.Evidence, error) {
			e, err := evidenceOf(matcher, actual)
			if err != nil {
				return e, err
			}
			return withSources(e, bodies)
		}
		return w
	}
	judge := w.checks
	w.checks = func(e assertions.Evidence) []assertions.Check {
		if e.Contract == nil {
			return []assertions.Check{assertions.ReplayedBody(e)}
		}
		return judge(e)
	}
	return w
}

// withSources gives each call its source.
func withSources(e assertions.Evidence, bodies []faultserver.Body) (assertions.Evidence, error) {
	if len(bodies) != 1 && len(bodies) != len(e.Calls) {
		return e, fmt.Errorf("HaveSourceBodies: got %d sources for %d calls; give one for all, or one a call", len(bodies), len(e.Calls))
	}
	calls := make([]assertions.CallRecord, len(e.Calls))
	for i, call := range e.Calls {
		call.Body = bodies[min(i, len(bodies)-1)]
		calls[i] = call
	}
	e.Calls = calls
	return e, nil
}

func bodiesOf(sources []any) ([]faultserver.Body, error) {
	bodies := make([]faultserver.Body, len(sources))
	for i, source := range sources {
		switch value := source.(type) {
		case string:
			bodies[i] = faultserver.Body{Text: value}
		case []byte:
			bodies[i] = faultserver.Body{Text: string(value)}
		case faultserver.Body:
			bodies[i] = value
		default:
			return nil, fmt.Errorf("source %d is a %T; it must be a string, a []byte or a faultserver.Body", i+1, source)
		}
	}
	return bodies, nil
}

// lengths are sources for a message: how long they are.
func lengths(sources []any) []string {
	bodies, err := bodiesOf(sources)
	if err != nil {
		return []string{"…"}
	}
	texts := make([]string, len(bodies))
	for i, body := range bodies {
		texts[i] = fmt.Sprintf("%d bytes", body.Len())
	}
	return texts
}
