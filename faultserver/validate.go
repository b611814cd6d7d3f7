package faultserver

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ValidateScript says why a script cannot be performed: all reasons at once,
// each with its step. It is nil for one that can. Errors for acts that are not
// built match ErrUnbuilt, those for what the platform cannot do ErrPlatform.
func ValidateScript(script []Step) error {
	return errors.Join(scriptProblems("script", script, attemptScript)...)
}

// Validate says why a session cannot be opened with the config: all reasons at
// once. See ValidateScript.
func (c Config) Validate() error {
	problems := slices.Concat(
		scriptProblems("script", c.Script, attemptScript),
		scriptProblems("connections", c.Connections, connectionScript),
		within("success", c.Success.problems()),
		within("otherwise", c.Otherwise.problems()),
		c.tlsProblems(),
	)
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if c.ID != "" && !isName(c.ID) {
		refuse("id %q; want %s", c.ID, nameRule)
	}
	seen := map[string]bool{}
	for i, call := range c.Calls {
		if !isName(call.Token) {
			refuse("call %d: token %q; want %s", i+1, call.Token, nameRule)
		}
		if seen[call.Token] {
			refuse("call %d: token %q is taken by another call; each repeat needs its own", i+1, call.Token)
		}
		seen[call.Token] = true
		problems = append(problems, scriptProblems("call "+call.Token, call.Script, attemptScript)...)
	}
	switch c.AfterScript {
	case "", FailAfterScript:
	case RepeatAfterScript, LoopAfterScript:
		if len(c.Script) == 0 && !slices.ContainsFunc(c.Calls, func(call CallConfig) bool { return len(call.Script) > 0 }) {
			refuse("after-script: there is no step to %s", c.AfterScript)
		}
	default:
		refuse("after-script: %q; want fail, repeat or loop", string(c.AfterScript))
	}
	for i, stub := range c.Stubs {
		problems = append(problems, within(fmt.Sprintf("stub %d", i+1), stub.Answer.problems())...)
	}
	if _, err := passAddress(c.Pass); c.Pass != "" && err != nil {
		problems = append(problems, err)
	}
	if c.MaxAttempts < 0 {
		refuse("max attempts %d; want 0 (for %d) or more", c.MaxAttempts, DefaultMaxAttempts)
	}
	if c.MaxConnections < 0 {
		refuse("max connections %d; want 0 (for no bound) or more", c.MaxConnections)
	}
	if err := c.choosing(); err != nil {
		problems = append(problems, err)
	}
	for _, moment := range c.moments() {
		problems = append(problems, within("delay: until", []error{c.knows(moment)})...)
	}
	return errors.Join(problems...)
}

// moments are those that the scripts wait for.
func (c Config) moments() []Moment {
	scripts := [][]Step{c.Script, c.Connections}
	for _, call := range c.Calls {
		scripts = append(scripts, call.Script)
	}
	var moments []Moment
	for _, step := range slices.Concat(scripts...) {
		if step.Delay.Until != nil {
			moments = append(moments, *step.Delay.Until)
		}
	}
	return moments
}

// knows says whether a moment's call is one of the session's.
func (c Config) knows(m Moment) error {
	if m.Call == "" || slices.ContainsFunc(c.Calls, func(call CallConfig) bool { return call.name() == m.Call || call.Token == m.Call }) {
		return nil
	}
	return fmt.Errorf("no call is named %q", m.Call)
}

func scriptProblems(name string, script []Step, kind scriptKind) []error {
	var problems []error
	for i, step := range script {
		label := fmt.Sprintf("%s: step %d", name, i+1)
		if step.Act == nil {
			problems = append(problems, fmt.Errorf("%s: has no act; want one such as Succeed{}", label))
			continue
		}
		if reflect.TypeOf(step.Act).Kind() == reflect.Pointer {
			problems = append(problems, fmt.Errorf("%s: its act is a pointer, %T; give the value", label, step.Act))
			continue
		}
		problems = append(problems, within(label+", "+step.Act.ActName(), step.problems(kind))...)
		if step.Serves() == Forever && step.When == (When{}) && i < len(script)-1 {
			problems = append(problems, fmt.Errorf("%s: serves every further attempt; no attempt would reach step %d", label, i+2))
		}
	}
	return problems
}

// problems are what is wrong with a step in a script of a kind.
func (s Step) problems(kind scriptKind) []error {
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if unbuilt, is := s.Act.(Unbuilt); is {
		return unbuilt.validate(s.At)
	}
	where := s.Act.place()
	switch {
	case kind == connectionScript && !where.connection:
		refuse("strikes at no connection; it belongs in the script")
		return problems
	case kind == attemptScript && where.phases == nil && where.fixed == nil:
		refuse("strikes at connections; it belongs in connections, which a contract has beside its script")
		return problems
	case kind == connectionScript && s.At != Point{} && s.At != Point{Phase: Accept} && s.At != Point{Phase: TLSHandshake}:
		refuse("at %s: a connection script strikes at accept or tls-handshake", s.At)
	case kind == attemptScript && where.fixed != nil && s.At != Point{}:
		refuse("at %s: it has a point of its own; leave at out", s.At)
	case kind == attemptScript && s.At != Point{} && !slices.Contains(where.phases, s.At.Phase):
		refuse("at %s: it cannot strike there; want %s", s.At, joinPhases(where.phases))
	case !s.At.counts() && s.At.N != 0 || s.At.N < 0:
		refuse("at %s with N %d: only request-body and response-body have a number of bytes, 0 or more", s.At.Phase, int64(s.At.N))
	}
	problems = append(problems, s.Act.validate(s.point(kind))...)
	if judge, is := s.Act.(stepJudge); is {
		problems = append(problems, judge.withStep(s)...)
	}
	problems = append(problems, s.Delay.problems()...)
	if s.Times < Forever {
		refuse("times %d; want a number of attempts or Forever", s.Times)
	}
	if p := s.Probability; p != nil && !(*p >= 0 && *p <= 1) {
		refuse("probability %v; want a number from 0 to 1", *p)
	}
	switch s.When.Connection {
	case AnyConnection, FreshConnection, ReusedConnection:
	default:
		refuse("when: connection %q; want fresh or reused", string(s.When.Connection))
	}
	switch s.Commit {
	case NoCommit, CommitAlways, CommitByKey:
	default:
		refuse("commit %q; want true or by-key", string(s.Commit))
	}
	problems = append(problems, s.commitProblems(kind)...)
	if kind == connectionScript {
		if s.When != (When{}) {
			refuse("when: every connection is fresh when it is accepted; leave it out")
		}
		if s.Commit != NoCommit {
			refuse("commit: no request has come when it strikes; leave it out")
		}
		if _, is := s.Act.(window); is && (s.Probability != nil || s.Delay != Delay{}) {
			refuse("a window has neither probability nor delay; leave them out")
		}
	}
	return problems
}

// problems are what is wrong with an answer.
func (a Answer) problems() []error {
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	switch {
	case a.Status == 101:
		refuse("status 101: switching protocols is not possible here")
	case a.Status >= 100 && a.Status < 200:
		refuse("status %d is not final; put it under informational", a.Status)
	case a.Status != 0 && (a.Status < 200 || a.Status > 999):
		refuse("status %d; want three digits from 200 to 999", a.Status)
	}
	problems = append(problems, a.Headers.problems("headers")...)
	problems = append(problems, a.Trailers.problems("trailers")...)
	problems = append(problems, within("", []error{a.Body.Validate()})...)
	problems = append(problems, a.encodingProblems()...)
	if a.Body.Stream {
		refuse("body: stream has a meaning for requests only; leave it out")
	}
	for _, value := range a.Headers.Values("Content-Length") {
		if value != strconv.FormatInt(a.Body.Len(), 10) {
			refuse("Content-Length %q with a body of %d bytes: an answer that lies about its length is a truncate, or malformed", value, a.Body.Len())
		}
	}
	if len(a.Headers.Values("Content-Length")) > 1 {
		refuse("more than one Content-Length: say malformed: two-lengths")
	}
	if a.Headers.Values("Content-Length") != nil && a.Framing == FramingChunked {
		refuse("Content-Length with framing: chunked: say malformed: length-and-chunked")
	}
	if a.Headers.Values("Transfer-Encoding") != nil {
		refuse("Transfer-Encoding is the engine's to add; say framing: chunked")
	}
	switch a.Framing {
	case "", FramingLength, FramingChunked, FramingClose:
	default:
		refuse("framing %q; want length, chunked or close", string(a.Framing))
	}
	if len(a.Trailers) > 0 && a.Framing != FramingChunked {
		refuse("trailers need framing: chunked")
	}
	for _, info := range a.Informational {
		if info.Status < 100 || info.Status > 199 || info.Status == 101 {
			refuse("informational status %d; want one from 100 to 199, and not 101", info.Status)
		}
		problems = append(problems, info.Headers.problems("informational headers")...)
	}
	if a.RetryAfter != nil {
		problems = append(problems, a.RetryAfter.problems()...)
	}
	return problems
}

// partProblems are what is wrong with the answer of an act that sends a part
// of it, or nothing, before it strikes at a point.
func (a Answer) partProblems(at Point) []error {
	problems := a.problems()
	if !at.inResponse() {
		if !a.isZero() {
			problems = append(problems, fmt.Errorf("an answer is not begun at %s; leave it out, or strike at response-head or response-body@SIZE", at))
		}
		return problems
	}
	if bodyless(a.statusOr(200)) && at.Phase == ResponseBody {
		problems = append(problems, fmt.Errorf("status %d has no body to strike in", a.Status))
	}
	if at.N < 0 {
		return append(problems, fmt.Errorf("%d body bytes; want 0 or more", int64(at.N)))
	}
	if at.N > math.MaxInt64/2 {
		return append(problems, fmt.Errorf("%s of body; want at most %s", at.N, Size(math.MaxInt64/2)))
	}
	if length := a.Encoded().withPartBody(at.N).Body.Len(); int64(at.N) > length {
		problems = append(problems, fmt.Errorf("%s lies beyond the body's %d bytes", at, length))
	}
	return problems
}

func (r RetryAfter) problems() []error {
	var problems []error
	refuse := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf("retry-after: "+format, args...))
	}
	if strings.ContainsFunc(r.Value, isControl) {
		refuse("%q has control characters", r.Value)
	}
	switch r.Form {
	case "", IMFFixdate, RFC850, Asctime:
	default:
		refuse("form %q; want imf-fixdate, rfc850 or asctime", string(r.Form))
	}
	if r.Date == nil {
		if r.Form != "" {
			refuse("a form without a date; want date, such as +2s")
		}
		return problems
	}
	if r.Value != "" {
		refuse("a value and a date; keep one")
	}
	if *r.Date%time.Second != 0 {
		refuse("date %s; want whole seconds, an HTTP date has no parts of one", FormatDuration(*r.Date))
	}
	// A two-digit year more than 50 years ahead is read as one in the past
	// (RFC 9110, section 5.6.7).
	const halfCentury = 50 * 365 * 24 * time.Hour
	if r.Form == RFC850 && r.Date.Abs() > halfCentury {
		refuse("date %s; two digits say no year more than 50 years away", FormatDuration(*r.Date))
	}
	return problems
}

func (h Headers) problems(what string) []error {
	var problems []error
	for _, line := range h {
		if !isToken(line.Name) {
			problems = append(problems, fmt.Errorf("%s: %q is no header name", what, line.Name))
		}
		if strings.ContainsFunc(line.Value, isControl) {
			problems = append(problems, fmt.Errorf("%s: the value of %s has control characters, %q; say them with raw", what, line.Name, line.Value))
		}
	}
	return problems
}

// within puts a label before each problem, and drops nil ones.
func within(label string, problems []error) []error {
	var labelled []error
	for _, problem := range problems {
		switch {
		case problem == nil:
		case label == "":
			labelled = append(labelled, problem)
		default:
			labelled = append(labelled, fmt.Errorf("%s: %w", label, problem))
		}
	}
	return labelled
}

func joinPhases(phases []Phase) string {
	var names []string
	for _, phase := range phases {
		names = append(names, string(phase))
	}
	return strings.Join(names, ", ")
}

// nameRule is what isName asks for.
const nameRule = "letters, digits and any of - . _, and neither . nor .. alone"

// isName tells whether text can be a session's id or a call's token. It is a part of
// a path, of which clients take out those that are only dots (RFC 3986, section 5.2.4).
func isName(text string) bool {
	for _, c := range []byte(text) {
		if !(isTokenByte(c) && strings.IndexByte("!#$%&'*+^`|~", c) < 0) {
			return false
		}
	}
	return text != "" && text != "." && text != ".."
}
