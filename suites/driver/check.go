package driver

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// A Report is what a check of a driver found.
type Report struct {
	// Client is what the driver says of its client; the zero value where it said
	// no proper hello.
	Client suites.Profile
	// Language is the driver's, empty where it does not say.
	Language string
	// Checks are all that there are, in the order in which they are made.
	Checks []Checked
}

// Findings is how many things are wrong.
func (r Report) Findings() int {
	n := 0
	for _, check := range r.Checks {
		n += len(check.Findings)
	}
	return n
}

// Checked is one check of a driver.
type Checked struct {
	// Name is what is checked, such as "cancel"; a capability's check has its name.
	Name string
	// Findings are what is wrong; none where all is right.
	Findings []Finding
	// NotMade is why the check was not made; empty where it was.
	NotMade string
}

// A Finding is something that is wrong with a driver.
type Finding struct {
	// Expected is what the protocol, or the driver's own word, asks for; Got is
	// what came; Do is what the driver's author is to do about it.
	Expected, Got, Do string
}

// probe is one check.
type probe struct {
	name string
	// needs are the capabilities without which it is not made.
	needs []scenarios.Capability
	make  func(*prober) error
}

// probes are all checks between hello and the driver's end. A capability that
// is not among them (breaker, budget, hedge, http2) is judged by contracts
// alone.
var probes = []probe{
	{name: "a plain call", make: probePlainCall},
	{name: "unknown fields", make: probeUnknownFields},
	{name: "clients of their own", make: probeLifetimes},
	{name: "lost connections", make: probeLostConnections},
	{name: "shared", needs: []scenarios.Capability{scenarios.CanShared}, make: probeShared},
	{name: "status", needs: []scenarios.Capability{scenarios.CanStatus}, make: probeStatus},
	{name: "response-body", needs: []scenarios.Capability{scenarios.CanResponseBody}, make: probeResponseBody},
	{name: "method", needs: []scenarios.Capability{scenarios.CanMethod}, make: probeMethod},
	{name: "headers", needs: []scenarios.Capability{scenarios.CanHeaders}, make: probeHeaders},
	{name: "request-body", needs: []scenarios.Capability{scenarios.CanRequestBody, scenarios.CanMethod}, make: probeRequestBody},
	{name: "streamed-body", needs: []scenarios.Capability{scenarios.CanStreamedBody, scenarios.CanMethod}, make: probeStreamedBody},
	{name: "idempotency-key", needs: []scenarios.Capability{scenarios.CanIdempotencyKey, scenarios.CanMethod}, make: probeIdempotencyKey},
	{name: "attempts", needs: []scenarios.Capability{scenarios.CanAttempts}, make: probeAttempts},
	{name: "backoff", needs: []scenarios.Capability{scenarios.CanBackoff, scenarios.CanAttempts}, make: probeBackoff},
	{name: "timeout", needs: []scenarios.Capability{scenarios.CanTimeout}, make: probeTimeout},
	{name: "attempt-timeout", needs: []scenarios.Capability{scenarios.CanAttemptTimeout}, make: probeAttemptTimeout},
	{name: "cancel", needs: []scenarios.Capability{scenarios.CanCancel}, make: probeCancel},
	{name: "tls", needs: []scenarios.Capability{scenarios.CanTLS}, make: probeTLS},
	{name: "parallel", needs: []scenarios.Capability{scenarios.CanParallel}, make: probeParallel},
}

// plainCall is where the first probe stands among the checks: behind hello.
// Without it nothing else can work.
const plainCall = 1

// Check tells what is wrong with a driver: it talks with it as a run would,
// lets it call a server, and compares what it says and can with what came. A
// driver that breaks the protocol is not asked further, since nothing that it
// says then is worth comparing. The error is for what could not be checked: a
// program that cannot be run, a server that cannot be opened, the context's end.
func Check(ctx context.Context, args []string, options Options) (Report, error) {
	subject, err := New(ctx, args, options)
	var fault *Fault
	switch {
	case errors.As(err, &fault):
		return brokenAtHello(fault), nil
	case err != nil:
		return Report{}, err
	}
	// Whoever cuts the check short does not wait for a driver that hangs.
	defer context.AfterFunc(ctx, func() {
		subject.talking.fail(&Fault{Expected: "the end of the check", Got: fmt.Sprint(context.Cause(ctx)), Do: "check it again"}, 0)
	})()
	report := Report{
		Client: subject.profile, Language: subject.hello.Client.Language,
		Checks: []Checked{{Name: "hello"}},
	}
	for i, probe := range probes {
		checked := Checked{Name: probe.name}
		if checked.NotMade = notMade(subject, probe); checked.NotMade == "" && i > 0 && len(report.Checks[plainCall].Findings) > 0 {
			checked.NotMade = "a plain call does not work yet"
		}
		if checked.NotMade == "" {
			p := &prober{ctx: ctx, subject: subject, talking: subject.talking}
			if err := errors.Join(probe.make(p), p.failed, ctx.Err()); err != nil {
				return report, errors.Join(fmt.Errorf("check %s: %w", probe.name, err), subject.Close())
			}
			checked.Findings, checked.NotMade = p.findings, p.notMade
			if subject.talking.over() {
				checked.Findings = append(checked.Findings, subject.talking.fault.finding())
			}
		}
		report.Checks = append(report.Checks, checked)
	}
	report.Checks = append(report.Checks, checkEnd(subject))
	return report, subject.Close()
}

// brokenAtHello is the report of a driver that said no proper hello.
func brokenAtHello(fault *Fault) Report {
	report := Report{Checks: []Checked{{Name: "hello", Findings: []Finding{fault.finding()}}}}
	for _, probe := range probes {
		report.Checks = append(report.Checks, Checked{Name: probe.name, NotMade: "there is no proper hello"})
	}
	return report
}

// notMade is why a probe cannot be made; empty where it can.
func notMade(subject *Subject, probe probe) string {
	if subject.talking.over() {
		return "the driver broke before"
	}
	lacks := slices.DeleteFunc(slices.Clone(probe.needs), subject.profile.Can)
	switch {
	case len(lacks) == 0:
		return ""
	case string(lacks[0]) == probe.name:
		return "the driver does not say that it can"
	default:
		return "the driver does not say that it can " + words(lacks)
	}
}

// checkEnd ends the driver and looks at how it takes it.
func checkEnd(subject *Subject) Checked {
	checked := Checked{Name: "end"}
	if subject.talking.over() {
		checked.NotMade = "the driver broke before"
		return checked
	}
	ended := subject.talking.end()
	say := func(got, do string) {
		checked.Findings = append(checked.Findings, Finding{
			Expected: fmt.Sprintf("that it ends with status 0 within %v of the end of its standard input, and leaves no process behind", endPatience),
			Got:      got, Do: do,
		})
	}
	switch {
	case ended.ByUs != nil:
		say("it ran on and had to be ended", "end when standard input does, whatever is still open")
	case ended.Status != 0:
		say(lastWordsOf(ended), "end with status 0: the end of the input is no error")
	case ended.Left.Found != 0:
		say(ended.Left.String(), "end what was started, too")
	}
	return checked
}

// finding is a fault as a finding.
func (f *Fault) finding() Finding {
	got := f.Got
	if f.Ended != "" {
		got += "; " + f.Ended
	}
	return Finding{Expected: f.Expected, Got: got, Do: f.Do}
}
