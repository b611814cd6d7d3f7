package breaker_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/faultsrv/faultsrv/resilient/breaker"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"
)

// model is the breaker as the norms tell it, without locks and numbers.
type model struct {
	failures, probes int
	state            breaker.State
	row, passed, era int
	openedAt         time.Time
	calls            []modelCall // under way
}

type modelCall struct {
	permit breaker.Permit
	era    int
}

func (m *model) become(next breaker.State) {
	m.state, m.row, m.passed, m.era = next, 0, 0, m.era+1
	if next == breaker.Open {
		m.openedAt = time.Now()
	}
}

func (m *model) allows() bool {
	if m.state == breaker.Open && time.Since(m.openedAt) >= time.Second {
		m.become(breaker.HalfOpen)
	}
	under := 0
	for _, c := range m.calls {
		if c.era == m.era {
			under++
		}
	}
	return m.state == breaker.Closed || m.state == breaker.HalfOpen && under+m.passed < m.probes
}

func (m *model) ended(c modelCall, result string) {
	switch {
	case c.era != m.era || result == "cancel":
	case m.state == breaker.Closed && result == "success":
		m.row = 0
	case m.state == breaker.Closed:
		if m.row++; m.row == m.failures {
			m.become(breaker.Open)
		}
	case result == "failure":
		m.become(breaker.Open)
	default:
		if m.passed++; m.passed == m.probes {
			m.become(breaker.Closed)
		}
	}
}

// TestModel compares the breaker with the model, for any order of events.
func TestModel(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		// Without the method Deadline, which a bubble does not allow.
		rapid.Check(struct{ testing.TB }{t}, func(t *rapid.T) {
			m := model{failures: rapid.IntRange(1, 4).Draw(t, "failures"), probes: rapid.IntRange(1, 3).Draw(t, "probes")}
			b := made(NewWithT(t), breaker.WithFailures(m.failures), breaker.WithProbes(m.probes), breaker.WithOpenFor(time.Second),
				breaker.WithProbeTimeout(time.Hour))
			for range rapid.IntRange(1, 100).Draw(t, "events") {
				switch rapid.SampledFrom([]string{"call", "call", "end", "end", "wait"}).Draw(t, "event") {
				case "call":
					permit, err := b.Allow()
					if want := m.allows(); (err == nil) != want {
						t.Fatalf("in state %v: passes: %v, expected %v", m.state, err == nil, want)
					}
					if err == nil {
						m.calls = append(m.calls, modelCall{permit, m.era})
					}
				case "wait":
					time.Sleep(time.Duration(rapid.IntRange(1, 1100).Draw(t, "ms")) * time.Millisecond)
				case "end":
					if len(m.calls) == 0 {
						continue
					}
					n := rapid.IntRange(0, len(m.calls)-1).Draw(t, "which")
					ended := m.calls[n]
					m.calls = append(m.calls[:n:n], m.calls[n+1:]...)
					result := rapid.SampledFrom([]string{"success", "failure", "cancel"}).Draw(t, "result")
					map[string]func(){
						"success": ended.permit.Success, "failure": ended.permit.Failure, "cancel": ended.permit.Cancel,
					}[result]()
					m.ended(ended, result)
				}
				if b.State() != m.state {
					t.Fatalf("state %v, expected %v", b.State(), m.state)
				}
			}
		})
	})
}
