package faultserver

import (
	"fmt"
	"math"
	"time"
)

// Throttle lets as many attempts succeed as a bucket of tokens has for them, and
// tells the others when to come again. An attempt that comes sooner is recorded
// as early (see Attempt.Early). It serves every further attempt unless times says
// how many.
type Throttle struct {
	// Rate is how many attempts succeed in Per.
	Rate int `yaml:"rate"`
	// Per is the time in which that many do; 0 means a second.
	Per time.Duration `yaml:"per"`
	// Burst is how many tokens the bucket holds, which is full at first; 0 means 1.
	Burst int `yaml:"burst"`
	// Status is 429 (also 0) or 503.
	Status int `yaml:"status"`
	// Says is how the refused are told when to come again; the zero value is in
	// seconds.
	Says WaitForm `yaml:"says"`
}

// WaitForm is how an answer says how long to wait.
type WaitForm string

// The forms. The first four say the time until the next token, rounded up to
// seconds.
const (
	WaitSeconds    WaitForm = "seconds"
	WaitIMFFixdate WaitForm = "imf-fixdate"
	WaitRFC850     WaitForm = "rfc850"
	WaitAsctime    WaitForm = "asctime"
	// WaitPast: a date an hour ago.
	WaitPast WaitForm = "past"
	// WaitInvalid: no number and no date.
	WaitInvalid WaitForm = "invalid"
	// WaitHuge: more seconds than 64 bits hold.
	WaitHuge WaitForm = "huge"
	// WaitNothing: no Retry-After at all.
	WaitNothing WaitForm = "nothing"
)

// ActName implements Act.
func (Throttle) ActName() string { return "throttle" }

func (Throttle) place() place { return deciderPlace() }

func (t Throttle) validate(Point) []error {
	var problems []error
	refuse := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if t.Rate < 1 || t.Rate > mostSpan {
		refuse("rate: %d; want how many attempts succeed in a time, from 1", t.Rate)
	}
	if t.Per < 0 || t.Per > 24*time.Hour {
		refuse("per: %s; want more than 0 and at most a day, or 0 for a second", FormatDuration(t.Per))
	}
	if t.Burst < 0 || t.Burst > mostSpan {
		refuse("burst: %d; want from 1, or 0 for 1", t.Burst)
	}
	if t.Status != 0 && t.Status != 429 && t.Status != 503 {
		refuse("status: %d does not say that there is too much to do; want 429 or 503", t.Status)
	}
	switch t.Says {
	case "", WaitSeconds, WaitIMFFixdate, WaitRFC850, WaitAsctime, WaitPast, WaitInvalid, WaitHuge, WaitNothing:
	default:
		refuse("says: %q; want seconds, imf-fixdate, rfc850, asctime, past, invalid, huge or nothing", string(t.Says))
	}
	return problems
}

func (Throttle) withStep(s Step) []error { return withDecider(s) }

// every is the time in which one token comes.
func (t Throttle) every() time.Duration {
	per := t.Per
	if per == 0 {
		per = time.Second
	}
	return max(1, per/time.Duration(max(1, t.Rate)))
}

func (t Throttle) decide(d decision) verdict {
	most := float64(max(1, t.Burst))
	if d.progress.attempts == 0 {
		d.level = most
	} else {
		d.level = min(most, d.level+float64(d.at-d.filled)/float64(t.every()))
	}
	d.filled = d.at
	if d.level >= 1 {
		d.level--
		return verdict{}
	}
	wait := time.Duration(math.Ceil((1 - d.level) * float64(t.every())))
	return fails(Fault{Act: t.refusal(wait)}, "no token for another "+FormatDuration(wait.Round(time.Millisecond)))
}

// refusal is the answer to an attempt that is to wait.
func (t Throttle) refusal(wait time.Duration) Respond {
	status := t.Status
	if status == 0 {
		status = 429
	}
	answer := Answer{Status: status, Body: Body{Text: "faultsrv: too many requests\n"}}
	date := func(form DateForm) *RetryAfter {
		// The date is sent at DatePhase, which is that much nearer to it.
		seconds := (wait + DatePhase + time.Second - 1).Truncate(time.Second)
		return &RetryAfter{Date: &seconds, Form: form}
	}
	switch t.Says {
	case WaitIMFFixdate:
		answer.RetryAfter = date(IMFFixdate)
	case WaitRFC850:
		answer.RetryAfter = date(RFC850)
	case WaitAsctime:
		answer.RetryAfter = date(Asctime)
	case WaitPast:
		past := -time.Hour
		answer.RetryAfter = &RetryAfter{Date: &past}
	case WaitInvalid:
		answer.RetryAfter = &RetryAfter{Value: "soon"}
	case WaitHuge:
		answer.RetryAfter = &RetryAfter{Value: "99999999999999999999"}
	case WaitNothing:
	default:
		answer.RetryAfter = &RetryAfter{Value: fmt.Sprint(int64((wait + time.Second - 1) / time.Second))}
	}
	return Respond{answer}
}

func (t Throttle) intent(x *exchange) Effect { return Succeed{}.intent(x) }

func (t Throttle) perform(x *exchange) { Succeed{}.perform(x) }

func (t Throttle) parameters() parameters { return describeThrottle(&t) }

func describeThrottle(t *Throttle) parameters {
	return described(nil, countField("rate", &t.Rate), durationField("per", &t.Per), countField("burst", &t.Burst), countField("status", &t.Status),
		wordField("says", &t.Says, WaitSeconds, WaitIMFFixdate, WaitRFC850, WaitAsctime, WaitPast, WaitInvalid, WaitHuge, WaitNothing))
}

// earlyBy is how much sooner an attempt comes than the Retry-After of the one
// before it asked for. The lock is held.
func (r *record) earlyBy(before *record) time.Duration {
	sent := before.RetryAfter
	if sent == nil || sent.Wait == nil {
		return 0
	}
	if sent.Until != nil {
		return max(0, *sent.Until-r.Arrived)
	}
	return max(0, *sent.Wait-max(0, r.Arrived-before.End.Earliest))
}
