package driver

import (
	"fmt"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites"
)

// probeMethod looks whether the method is the one that was asked for.
func probeMethod(p *prober) error {
	_, journal, ok, err := p.once(plainPolicy(1), suites.Request{Method: "DELETE"})
	if err != nil || !ok {
		return err
	}
	if got := journal.Attempts[0].Method; got != "DELETE" {
		p.find("the method DELETE, as asked for", got, "send the method of the run, or take method out of hello")
	}
	return nil
}

// probeHeaders looks whether the headers arrive.
func probeHeaders(p *prober) error {
	const name, value = "X-Faultsrv-Check", "one, two; three=\"4\""
	_, journal, ok, err := p.once(plainPolicy(1), suites.Request{
		Method: "GET", Headers: faultserver.Headers{{Name: name, Value: value}},
	})
	if err != nil || !ok {
		return err
	}
	if got := journal.Attempts[0].Headers.Values(name); len(got) != 1 || got[0] != value {
		p.find(fmt.Sprintf("the header %s: %s", name, value), fmt.Sprintf("%q", got), "send the headers of the run as they are, or take headers out of hello")
	}
	return nil
}

// probeRequestBody looks whether the body arrives.
func probeRequestBody(p *prober) error {
	body := faultserver.Body{Size: 64 << 10, Seed: 2}
	_, journal, ok, err := p.once(plainPolicy(1, "PUT"), suites.Request{Method: "PUT", Body: &body})
	if err != nil || !ok {
		return err
	}
	p.compareBody(body, journal)
	return nil
}

// compareBody compares the body of the first attempt with what it should be.
func (p *prober) compareBody(want faultserver.Body, journal faultserver.Journal) {
	if got := journal.Attempts[0].Body; got.SHA256 != want.SHA256() {
		p.find(fmt.Sprintf("the %d bytes of body.file", want.Len()), fmt.Sprintf("%d bytes with another hash", got.Received),
			"send the bytes of the file as they are: not a text made of them")
	}
}

// probeIdempotencyKey looks whether the client makes a key of its own.
func probeIdempotencyKey(p *prober) error {
	const name = "Idempotency-Key"
	_, journal, ok, err := p.once(plainPolicy(1, "POST"), suites.Request{Method: "POST"})
	if err != nil || !ok {
		return err
	}
	if journal.Attempts[0].Headers.Get(name) == "" {
		p.find("an "+name+" on a POST that has none", "none", "switch the client's keys on, or take idempotency-key out of hello")
	}
	return nil
}
