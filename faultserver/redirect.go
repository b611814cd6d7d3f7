package faultserver

import (
	"fmt"
	"strings"
)

// Redirect answers with a Location that keeps the session's prefix and the
// call's token. The Location is an absolute URL under the session's own.
type Redirect struct {
	// Status is 301, 302, 303, 307 or 308; 0 means 302.
	Status int `yaml:"status"`
	// To is the path of the target, with a query if need be; empty is the
	// request's own target.
	To string `yaml:"to"`
	// RetryAfter is sent with it where set.
	RetryAfter *RetryAfter `yaml:"retry-after"`
}

// ActName implements Act.
func (Redirect) ActName() string { return "redirect" }

func (Redirect) place() place { return place{phases: answerPhases} }

func (r Redirect) validate(Point) []error {
	problems := Answer{Status: 302, RetryAfter: r.RetryAfter}.problems()
	switch r.Status {
	case 0, 301, 302, 303, 307, 308:
	default:
		problems = append(problems, fmt.Errorf("status: %d is no redirect that a client follows; want 301, 302, 303, 307 or 308", r.Status))
	}
	if r.To != "" && (!strings.HasPrefix(r.To, "/") || strings.ContainsFunc(r.To, notInTarget)) {
		problems = append(problems, fmt.Errorf("to: %q is no path; want one that begins with / and has no spaces or control characters", r.To))
	}
	return problems
}

// notInTarget tells whether a character cannot stand in a request target.
func notInTarget(c rune) bool { return c <= ' ' || c >= 0x7f }

func (r Redirect) answer(x *exchange) Answer {
	status, target := r.Status, r.To
	if status == 0 {
		status = 302
	}
	if target == "" {
		target = x.head.path
	}
	if !strings.HasPrefix(target, "/") {
		target = "/" // the request named no path: OPTIONS *, or CONNECT
	}
	location := x.root() + x.head.callPrefix + target
	return Answer{Status: status, Headers: Headers{{"Location", location}}, RetryAfter: r.RetryAfter}
}

// root is the base URL by which the client of the exchange finds its session: where
// nothing is read from paths, that of the Host.
func (x *exchange) root() string {
	if host, shared := x.conn.router.(*Host); shared && x.head.plain {
		return host.URL()
	}
	return x.session.URL()
}

func (r Redirect) intent(x *exchange) Effect { return x.answerIntent("answer", r.answer(x)) }

func (r Redirect) perform(x *exchange) { x.answer(r.answer(x)) }

func (r Redirect) parameters() parameters {
	return parameters{
		answer: Answer{Status: r.Status, RetryAfter: r.RetryAfter}, to: r.To, positional: "status",
		takes: []string{"status", "to", "retry-after", "retry-after-date", "retry-after-form"},
	}
}
