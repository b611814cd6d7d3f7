package faultserver

import (
	"errors"
	"fmt"
	"slices"
)

// TLS is a fault of the layer below HTTP. It needs a TLS listener. (A handshake
// that stalls or is cut is stall, reset or close at tls-handshake.)
//
// All but no-close-notify are entries of a connection script, and strike when the
// client's hello has come. A client that does not mind goes on, and its request
// is an attempt of its own.
type TLS struct {
	// What goes wrong.
	What TLSFault `yaml:"what"`
	// Alert is the code of the alert that is sent; 0 means 40, handshake_failure.
	Alert int `yaml:"alert"`
	// Answer is the answer of no-close-notify; the zero value is the session's
	// success answer. Its end is told by the connection's unless it says otherwise.
	Answer Answer `yaml:"answer"`
}

// TLSFault is what goes wrong in TLS.
type TLSFault string

// The faults.
const (
	// TLSExpired: the certificate expired yesterday.
	TLSExpired TLSFault = "expired"
	// TLSWrongHost: the certificate is of another host.
	TLSWrongHost TLSFault = "wrong-host"
	// TLSUntrusted: the certificate is of an authority that nobody knows.
	TLSUntrusted TLSFault = "untrusted"
	// TLSAlert: a fatal alert in place of the server's hello, and FIN.
	TLSAlert TLSFault = "alert"
	// TLSNoCloseNotify: an answer, and FIN without the close_notify before it that
	// tells the client that nothing was cut off.
	TLSNoCloseNotify TLSFault = "no-close-notify"
)

var tlsFaults = []TLSFault{TLSExpired, TLSWrongHost, TLSUntrusted, TLSAlert, TLSNoCloseNotify}

// usualAlert is handshake_failure (RFC 8446, section 6).
const usualAlert = 40

// ActName implements Act.
func (TLS) ActName() string { return "tls" }

func (t TLS) place() place {
	if t.What == TLSNoCloseNotify {
		return place{fixed: &Point{Phase: RequestEnd}}
	}
	return place{connection: true}
}

func (t TLS) validate(Point) []error {
	var problems []error
	if !slices.Contains(tlsFaults, t.What) {
		problems = append(problems, fmt.Errorf("what: %q; want one of %v", string(t.What), tlsFaults))
	}
	if t.Alert != 0 && t.What != TLSAlert {
		problems = append(problems, errors.New("alert: only what: alert sends one of your choice; leave it out"))
	}
	if t.Alert < 0 || t.Alert > 255 {
		problems = append(problems, fmt.Errorf("alert: %d; want a code from 0 to 255", t.Alert))
	}
	if t.What != TLSNoCloseNotify {
		if !t.Answer.isZero() {
			problems = append(problems, fmt.Errorf("answer: %s answers nothing; leave it out", t.What))
		}
		return problems
	}
	return append(problems, t.Answer.problems()...)
}

// withStep implements stepJudge.
func (t TLS) withStep(s Step) []error {
	if s.At.Phase == Accept {
		return []error{errors.New("at accept: the client has not said hello yet; leave at out")}
	}
	if _, shows := t.shows(); shows && s.Delay != (Delay{}) {
		return []error{errors.New("delay: the certificate comes with the server's hello; stall at tls-handshake for a time, or leave it out")}
	}
	return nil
}

// shows is the certificate fault that is shown in the handshake.
func (t TLS) shows() (TLSFault, bool) {
	return t.What, t.What == TLSExpired || t.What == TLSWrongHost || t.What == TLSUntrusted
}

func (t TLS) answer(x *exchange) Answer {
	a := x.session.orSuccess(t.Answer)
	if a.Framing == "" {
		a.Framing = FramingClose
	}
	return a.last()
}

func (t TLS) intent(x *exchange) Effect {
	switch t.What {
	case TLSNoCloseNotify:
		effect := x.answerIntent("tls", t.answer(x))
		effect.End = string(EndFIN)
		return effect
	case TLSAlert:
		return Effect{Kind: "tls", At: x.at.String(), End: string(EndFIN)}
	}
	return Effect{Kind: "tls", At: x.at.String()}
}

func (t TLS) perform(x *exchange) {
	switch t.What {
	case TLSNoCloseNotify:
		x.conn.unnotified = true
		x.answerAs("tls", t.answer(x))
	case TLSAlert:
		t.alert(x)
	default:
		x.shown(t.intent(x))
	}
}

// alert sends a fatal alert (RFC 8446, section 5.1 and 6).
func (t TLS) alert(x *exchange) {
	code := t.Alert
	if code == 0 {
		code = usualAlert
	}
	x.stampEarliest(nil)
	if err := x.conn.write([]byte{21, 3, 3, 0, 2, 2, byte(code)}); err != nil {
		x.failed(err)
		return
	}
	x.shutdown()
	x.struck(t.intent(x))
}

// shown enters how the client took the certificate that it was shown.
func (x *exchange) shown(effect Effect) {
	x.session.update(x.record, func(r *record) { r.End.Latest = x.session.Elapsed() })
	if err := x.conn.handshake; err != nil {
		x.detail("the client ended the handshake: " + err.Error())
		x.conn.linger = lingerTime
	} else {
		x.detail("the client completed the handshake")
		x.keep = true
	}
	x.struck(effect)
}

func (t TLS) parameters() parameters { return describeTLS(&t) }

func describeTLS(t *TLS) parameters {
	return described(&t.Answer, wordField("what", &t.What, tlsFaults...), countField("alert", &t.Alert))
}

// tlsProblems are what is wrong with TLS in the config.
func (c Config) tlsProblems() []error {
	problems := slices.Concat(c.tlsProblemsOf("script", c.Script), c.tlsProblemsOf("connections", c.Connections))
	for _, call := range c.Calls {
		problems = append(problems, c.tlsProblemsOf("call "+call.Token, call.Script)...)
	}
	return problems
}

func (c Config) tlsProblemsOf(name string, script []Step) []error {
	var problems []error
	handshake := 0
	for i, step := range script {
		if step.Act == nil {
			continue
		}
		_, is := step.Act.(TLS)
		if !c.TLS && (is || step.At.Phase == TLSHandshake) {
			problems = append(problems, fmt.Errorf("%s: step %d, %s: a TLS fault on a plain listener; let the server speak tls, or strike elsewhere", name, i+1, step.Act.ActName()))
		}
		if _, window := step.Act.(window); window && handshake > 0 && c.TLS {
			problems = append(problems, fmt.Errorf("%s: step %d, %s: entry %d is taken when a client says hello, too late to open a window; put the window first",
				name, i+1, step.Act.ActName(), handshake))
		}
		if c.TLS && name == "connections" && inHandshake(step) {
			handshake = i + 1
		}
	}
	return problems
}

// inHandshake tells whether an entry of a TLS session's connection script is taken
// when the client's hello has come, and not at the accept. Clients open
// connections that they never use: those are to take nothing.
func inHandshake(entry Step) bool {
	switch entry.Act.(type) {
	case AcceptHang, window:
		return false
	}
	return entry.At.Phase != Accept
}

// authority is the one that certifies a session, nil for a plain one.
func (c Config) authority() (*Authority, error) {
	if !c.TLS {
		return nil, nil //nolint:nilnil // a plain session needs none
	}
	authority, err := SharedAuthority()
	if err != nil {
		return nil, fmt.Errorf("tls: %w", err)
	}
	return authority, nil
}

// atHandshake is a TLS session's connection script with the points said at which
// its entries strike.
func atHandshake(script []Step) []Step {
	script = slices.Clone(script)
	for i, entry := range script {
		if entry.At == (Point{}) && inHandshake(entry) && slices.Contains(entry.Act.place().phases, ResponseHead) {
			script[i].At = Point{Phase: TLSHandshake}
		}
	}
	return script
}
