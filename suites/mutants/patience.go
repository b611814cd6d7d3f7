package mutants

import (
	"context"
	"net"
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
)

var patienceMutants = []Mutant{
	{
		Name:   "each-byte-sets-the-clock-back",
		Defect: "bounds the silence between two bytes, and not the attempt",
		Breaks: []string{"cancellation.an-attempt-timeout-covers-a-dribbled-head"},
		policy: func(policy *scenarios.Policy) { policy.Timeouts = nil },
		wire: func(base *http.Transport) http.RoundTripper {
			base.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				conn, err := (&net.Dialer{}).DialContext(ctx, network, address)
				if err != nil {
					return nil, err
				}
				return awake{conn}, nil
			}
			return base
		},
	},
	{
		Name:   "gives-up-a-slow-answer",
		Defect: "gives an attempt a twentieth of the time that it is told",
		Breaks: []string{"cancellation.a-slow-answer-in-time-is-taken"},
		policy: func(policy *scenarios.Policy) {
			if policy.Timeouts != nil {
				policy.Timeouts.Attempt /= 20
			}
		},
	},
}

// awake is a connection that may be silent for a second.
type awake struct{ net.Conn }

func (c awake) Read(p []byte) (int, error) {
	_ = c.Conn.SetReadDeadline(time.Now().Add(time.Second)) // one that is gone shows in the read
	return c.Conn.Read(p)
}
