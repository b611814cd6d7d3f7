package driver

import (
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// probeStatus looks whether the status that is told is the one that came.
func probeStatus(p *prober) error {
	for _, status := range []int{200, 404} {
		outcome, _, ok, err := p.once(plainPolicy(1), suites.Request{Method: "GET"},
			faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: status}}})
		if err != nil || !ok {
			return err
		}
		told := outcome.Status
		if outcome.Kind == scenarios.ErrorOutcome && told == 0 {
			told = outcome.Error.LastStatus
		}
		if told != status {
			p.find(fmt.Sprintf("status %d for a call that was answered so (or, of an error, last_status)", status), fmt.Sprintf("%d", told),
				"report the status of the answer, or take status out of hello")
		}
	}
	return nil
}

// probeResponseBody looks whether the hash is the body's.
func probeResponseBody(p *prober) error {
	body := faultserver.Body{Size: 64 << 10, Seed: 1}
	outcome, _, ok, err := p.once(plainPolicy(1), suites.Request{Method: "GET"},
		faultserver.Step{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 200, Body: body}}})
	if err != nil || !ok {
		return err
	}
	switch {
	case outcome.BodySHA256 == "":
		p.find("body_sha256 and body_length of the answer", "none", "hash the body as the caller reads it, or take response-body out of hello")
	case outcome.BodySHA256 != body.SHA256() || outcome.BodyLength != body.Len():
		p.find(fmt.Sprintf("body_length %d and body_sha256 %s", body.Len(), body.SHA256()),
			fmt.Sprintf("%d and %s", outcome.BodyLength, outcome.BodySHA256),
			"hash the bytes of the body, all of them, as they are: not a text made of them")
	}
	return nil
}
