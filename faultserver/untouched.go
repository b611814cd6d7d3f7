package faultserver

import (
	"errors"
	"net/http"
	"slices"
)

// Untouched is the step "pass": an attempt is handed to the real server of
// Config.Pass as it comes, byte for byte, and its answer back as that comes,
// trailers, 1xx answers and an upgraded connection included. In a connection
// script, the connection is served like any other.
type Untouched struct{}

// ActName implements Act.
func (Untouched) ActName() string { return "pass" }

// Nothing of the request is read before it is handed on, so that what the client
// waits for, such as 100 Continue, is the real server's to say.
func (Untouched) place() place { return place{phases: []Phase{RequestHead}, connection: true} }

func (Untouched) validate(Point) []error { return nil }

// intent says what is handed on; what the real server answers is entered when it
// has.
func (Untouched) intent(x *exchange) Effect { return Effect{Kind: "pass", At: x.at.String()} }

func (u Untouched) perform(x *exchange) {
	p, err := x.passage()
	if err != nil {
		x.session.event(x.conn, "pass-failed", err.Error())
		x.miss("pass: " + err.Error())
		x.at = Point{Phase: RequestEnd}
		if x.readAll() {
			x.answer(Answer{Status: http.StatusBadGateway, Body: Body{Text: "faultsrv: pass: " + err.Error() + "\n"}})
		}
		return
	}
	p.run()
}

func (Untouched) parameters() parameters { return parameters{} }

// Playable says why a session cannot be opened with the config: what Validate
// says, and that what it passes on has nowhere to go; nil if it can be.
func (c Config) Playable() error {
	scripts := [][]Step{c.Script}
	for _, call := range c.Calls {
		scripts = append(scripts, call.Script)
	}
	passes := func(step Step) bool {
		_, is := step.Act.(Untouched)
		return is
	}
	err := c.Validate()
	if c.Pass == "" && slices.ContainsFunc(slices.Concat(scripts...), passes) {
		err = errors.Join(err, errors.New("pass: there is no real server to hand attempts to; name one, such as http://127.0.0.1:9000"))
	}
	return err
}
