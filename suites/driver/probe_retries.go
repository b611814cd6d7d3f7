package driver

import (
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// unavailable is a server that is down.
var unavailable = faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503}}, Times: faultserver.Forever}

// lost is a server that resets every connection when it has read the request.
var lost = faultserver.Step{Act: faultserver.Reset{}, Times: faultserver.Forever}

// probeAttempts looks whether the number of attempts is the policy's. A library
// that retries no answer may retry lost connections, as many as it is told.
func probeAttempts(p *prober) error {
	for _, told := range []int{1, 2, 4} {
		outcome, journal, ok, err := p.once(plainPolicy(told), suites.Request{Method: "GET"}, unavailable)
		if err == nil && ok && told > 1 && len(journal.Attempts) == 1 {
			outcome, journal, ok, err = p.once(plainPolicy(told), suites.Request{Method: "GET"}, lost)
		}
		if err != nil || !ok {
			return err
		}
		p.compareAttempts(outcome, journal)
		got := len(journal.Attempts)
		if got == told {
			continue
		}
		do := "give the library the policy's attempts at open, or take attempts out of hello"
		if got == told+1 {
			do = "attempts count the first request: a library that counts retries is told attempts - 1"
		}
		p.find(fmt.Sprintf("%s for a policy of so many, all answered 503 or, where that is not retried, all reset", plural(told, "attempt")), plural(got, "attempt"), do)
		return nil // it will be the same with the others
	}
	return nil
}

// probeBackoff looks whether the pause is the policy's. The upper bound is far
// above what a busy machine adds (427 ms at worst, at 200 calls side by side).
func probeBackoff(p *prober) error {
	for _, bounds := range []struct{ pause, most time.Duration }{
		{500 * time.Millisecond, time.Minute},
		{20 * time.Millisecond, 2 * time.Second},
	} {
		policy := plainPolicy(2)
		policy.Backoff = &scenarios.Backoff{Constant: &bounds.pause}
		_, journal, ok, err := p.once(policy, suites.Request{Method: "GET"},
			faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 503}}})
		if err != nil || !ok {
			return err
		}
		if len(journal.Attempts) < 2 {
			p.find("a second attempt after 503, with a policy of 2", "none", "see the check of attempts")
			return nil
		}
		gap := journal.Attempts[1].Arrived - journal.Attempts[0].End.Earliest
		if !isPause(gap, bounds.pause, bounds.most) {
			p.find(fmt.Sprintf("a pause of %v before the second attempt, as the policy says", bounds.pause), gap.Round(time.Millisecond).String(),
				"give the library the policy's backoff, in its own unit, or take backoff out of hello")
			return nil
		}
	}
	return nil
}

// isPause tells whether a gap can be the pause that was told: as contracts have it,
// a timer of whole milliseconds may end it a little early.
func isPause(gap, told, most time.Duration) bool {
	return gap >= told-assertions.TimerGrain && gap <= most
}
