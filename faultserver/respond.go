package faultserver

// Respond answers with a status, headers and a body. At request-head or
// request-body@N the answer is an early one: it is sent before the request has
// been read, and the connection is then closed with care, so that a client
// that is still sending can read it.
type Respond struct {
	Answer `yaml:",inline"`
}

// Succeed gives the answer that the client under test takes as success: the
// session's Config.Success.
type Succeed struct{}

// answerPhases are where a whole answer can be given.
var answerPhases = []Phase{RequestEnd, RequestHead, RequestBody}

// ActName implements Act.
func (Respond) ActName() string { return "respond" }

func (Respond) place() place { return place{phases: answerPhases} }

func (r Respond) validate(Point) []error { return r.Answer.problems() }

func (r Respond) intent(x *exchange) Effect { return x.answerIntent("answer", r.Answer) }

func (r Respond) perform(x *exchange) { x.answer(r.Answer) }

func (r Respond) parameters() parameters {
	return parameters{answer: r.Answer, takes: answerParameters, positional: "status"}
}

// ActName implements Act.
func (Succeed) ActName() string { return "succeed" }

func (Succeed) place() place { return place{phases: answerPhases} }

func (Succeed) validate(Point) []error { return nil }

func (Succeed) intent(x *exchange) Effect { return x.answerIntent("answer", x.session.success()) }

func (Succeed) perform(x *exchange) { x.answer(x.session.success()) }

func (Succeed) parameters() parameters { return parameters{} }
