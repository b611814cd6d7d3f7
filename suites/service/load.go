package service

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// loader makes a profile whole, and finds what its types cannot say.
type loader struct {
	profile  *Profile
	source   scenarios.Source
	dir      string
	problems scenarios.Problems
}

func (l *loader) report(path, format string, args ...any) {
	l.problems = append(l.problems, l.source.Problem(path, format, args...))
}

func (l *loader) check() {
	p := l.profile
	if p.Kind == "" {
		l.report("kind", "expected kind: service; got none")
	}
	if strings.TrimSpace(p.Name) == "" {
		l.report("name", "expected the service's name; got none")
	}
	l.checkUpstreams()
	l.checkTrigger()
	if p.Ready != nil {
		l.checkURL("ready.url", p.Ready.URL)
	}
	l.checkOutcome()
	if p.Policy.Attempts == nil {
		l.report("policy", "expected policy.attempts: how many requests the service makes at most, the first included; got none")
	}
	if p.Baggage && p.Trigger.Command != nil {
		l.report("baggage", "a command carries no baggage header: leave it out, or trigger the service by a url")
	}
	l.problems = append(l.problems, p.KnownFailures.Problems(l.source, "known-failures")...)
}

func (l *loader) checkUpstreams() {
	p := l.profile
	if len(p.Upstreams) == 0 {
		l.report("upstreams", "expected at least one upstream for faultsrv to play, such as {payments: {listen: \"127.0.0.1:8081\"}}; got none")
	}
	takenBy := map[string]string{}
	for _, name := range p.upstreamNames() {
		path, upstream := "upstreams."+name, p.Upstreams[name]
		host, port, err := net.SplitHostPort(upstream.Listen)
		if n, bad := strconv.Atoi(port); err != nil || bad != nil || host == "" || n < 1 || n > 65535 {
			l.report(path+".listen", "expected the host:port that the service is configured with, such as \"127.0.0.1:8081\"; got %q", upstream.Listen)
		} else if other, taken := takenBy[upstream.Listen]; taken {
			l.report(path+".listen", "%q is the address of %s already; two upstreams need two", upstream.Listen, other)
		}
		takenBy[upstream.Listen] = name
		l.checkReply(path+".succeed", upstream.Succeed)
		l.checkOtherwise(path+".otherwise", upstream.Otherwise)
	}
	l.checkOtherwise("otherwise", p.Otherwise)
	switch _, known := p.Upstreams[p.Match.Upstream]; {
	case p.Match.Upstream == "" && len(p.Upstreams) > 1:
		l.report("match", "expected match.upstream, one of %s: which of them gets the judged call; got none", strings.Join(p.upstreamNames(), ", "))
	case p.Match.Upstream != "" && !known:
		l.report("match.upstream", "%q is no upstream; expected one of %s", p.Match.Upstream, strings.Join(p.upstreamNames(), ", "))
	}
}

func (l *loader) checkReply(path string, reply *Reply) {
	if reply == nil {
		return
	}
	if reply.BodyFile != "" && reply.Body.Len() > 0 {
		l.report(path+".body-file", "a body and a file with one exclude each other; keep one")
	}
}

func (l *loader) checkOtherwise(path string, o *Otherwise) {
	if o == nil {
		return
	}
	given := 0
	for _, is := range []bool{o.Respond != nil, o.Stub != "", o.Pass != ""} {
		if is {
			given++
		}
	}
	if given != 1 {
		l.report(path, "expected exactly one of respond, stub and pass; got %d of them", given)
	}
	l.checkReply(path+".respond", o.Respond)
	if o.Pass != "" {
		if err := (faultserver.Config{Pass: o.Pass}).Validate(); err != nil {
			l.report(path+".pass", "%v", err)
		}
	}
}

func (l *loader) checkTrigger() {
	t := l.profile.Trigger
	command := t.Command != nil
	switch {
	case command == (t.URL != ""):
		l.report("trigger", "expected a url or a command, one of the two, that makes the service do one call")
	case !command:
		l.checkURL("trigger.url", t.URL)
	case len(t.Command) == 0 || t.Command[0] == "":
		l.report("trigger.command", "expected a program and its arguments; got none")
	}
	for _, part := range []struct {
		key   string
		given bool
	}{{"method", t.Method != ""}, {"headers", t.Headers != nil}, {"body", t.Body != nil}, {"body-file", t.BodyFile != ""}} {
		if command && part.given {
			l.report("trigger."+part.key, "a command has no %s: leave it out, or trigger the service by a url", part.key)
		}
	}
	if t.Body != nil && t.BodyFile != "" {
		l.report("trigger.body-file", "a body and a file with one exclude each other; keep one")
	}
	if _, err := http.NewRequest(cmp.Or(t.Method, http.MethodPost), "http://x/", nil); err != nil { //nolint:noctx // it is never sent
		l.report("trigger.method", "expected a method, such as POST; got %q", t.Method)
	}
}

func (l *loader) checkURL(path, text string) {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Hostname() == "" {
		l.report(path, "expected a URL of the service, such as http://127.0.0.1:8080/checkout; got %q", text)
	}
}

func (l *loader) checkOutcome() {
	o := l.profile.Outcome
	for _, code := range slices.Sorted(maps.Keys(o.Error)) {
		path := fmt.Sprintf("outcome.error.%d", code)
		if slices.Contains(o.Success, code) {
			l.report(path, "%d stands for success already", code)
		}
		if o.Error[code] == scenarios.AnyError {
			l.report(path, "expected one kind of error: `any` is for what contracts ask; `other` says no more than that it is one")
		}
	}
}

// readFiles puts the contents of files in the place of their names.
func (l *loader) readFiles() {
	p := l.profile
	for _, name := range p.upstreamNames() {
		path, upstream := "upstreams."+name, p.Upstreams[name]
		l.readReply(path+".succeed", upstream.Succeed)
		l.readOtherwise(path+".otherwise", upstream.Otherwise)
	}
	l.readOtherwise("otherwise", p.Otherwise)
	if p.Trigger.BodyFile != "" {
		p.Trigger.Body = &faultserver.Body{Text: l.read("trigger.body-file", p.Trigger.BodyFile)}
	}
}

func (l *loader) readReply(path string, reply *Reply) {
	if reply != nil && reply.BodyFile != "" {
		reply.Body = faultserver.Body{Text: l.read(path+".body-file", reply.BodyFile)}
	}
}

func (l *loader) readOtherwise(path string, o *Otherwise) {
	if o == nil {
		return
	}
	l.readReply(path+".respond", o.Respond)
	if o.Stub == "" {
		return
	}
	stubs, err := readStubs(l.inDir(o.Stub))
	var problems scenarios.Problems
	switch {
	case errors.As(err, &problems):
		l.problems = append(l.problems, problems...)
	case err != nil:
		l.report(path+".stub", "%v", err)
	}
	o.stubs = stubs
}

// read is what a file holds. One that may have no end is not opened.
func (l *loader) read(path, file string) string {
	name := l.inDir(file)
	info, err := os.Stat(name)
	var data []byte
	switch {
	case err != nil:
	case !info.Mode().IsRegular():
		l.report(path, "expected a file; %s is a %s", file, info.Mode().Type())
		return ""
	case info.Size() > scenarios.MaxBody:
		l.report(path, "a body has at most %d bytes; %s has %d", scenarios.MaxBody, file, info.Size())
		return ""
	default:
		data, err = os.ReadFile(name)
	}
	var failed *fs.PathError
	if errors.As(err, &failed) {
		l.report(path, "cannot read %s: %v; the name is looked for from the profile's folder", file, failed.Err)
	}
	return string(data)
}

func (l *loader) inDir(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(l.dir, name)
}

// fill fills in what has a fixed default.
func (l *loader) fill() {
	p := l.profile
	if p.Match.Upstream == "" {
		p.Match.Upstream = p.upstreamNames()[0]
	}
	p.Trigger.Method = cmp.Or(p.Trigger.Method, http.MethodPost)
	p.Trigger.dir, p.dir = l.dir, l.dir
}

// upstreamNames are the names of the upstreams, sorted.
func (p Profile) upstreamNames() []string { return slices.Sorted(maps.Keys(p.Upstreams)) }
