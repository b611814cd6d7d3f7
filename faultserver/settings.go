package faultserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// parameters are an act's parameters as the notation of one-line scripts
// knows them: those that several acts have, of which an act takes some, and its
// own.
type parameters struct {
	answer Answer
	wait   time.Duration
	after  Size
	end    EndKind
	cut    CutKind
	half   bool
	to     string

	// own are the settings of this act alone, see fields.go, and ownAnswer is
	// where its answer goes, if it has one.
	own       []setting
	ownAnswer *Answer
	// takes are the other settings that the act has, positional the one of all
	// of them whose key may be left out.
	takes      []string
	positional string
	// make makes the act once all has been read.
	make func(parameters) Act
	// cutsAfter tells that "@" is followed by the act's number of bytes.
	cutsAfter bool
}

// answerParameters are the settings of an act that has an answer.
var answerParameters = []string{"status", "body", "seed", "framing", "gzip", "challenge", "cookie", "retry-after", "retry-after-date", "retry-after-form"}

// stepSettings are the settings that every step has.
var stepSettings = []string{"commit", "delay", "forever", "optional", "probability", "when"}

// A notation is how one-line scripts say an act.
type notation struct {
	zero Act
	// start returns the parameters of an act that says nothing yet.
	start func() parameters
}

// sharing is the notation of an act whose parameters are all shared ones.
func sharing(zero Act, with func(parameters) Act) notation {
	return notation{zero, func() parameters {
		p := zero.parameters()
		p.make = with
		return p
	}}
}

// notations are the acts that one-line scripts can name. An act is listed here
// and nowhere else.
func notations() []notation {
	return []notation{
		sharing(Respond{}, func(p parameters) Act { return Respond{p.answer} }),
		sharing(Succeed{}, func(parameters) Act { return Succeed{} }),
		sharing(Reset{}, func(p parameters) Act { return Reset{p.answer} }),
		sharing(Close{}, func(p parameters) Act { return Close{p.answer, p.half} }),
		sharing(Stall{}, func(p parameters) Act { return Stall{p.wait, p.answer} }),
		sharing(Truncate{}, func(p parameters) Act { return Truncate{p.after, p.answer, p.end, p.cut} }),
		sharing(Redirect{}, func(p parameters) Act { return Redirect{p.answer.Status, p.to, p.answer.RetryAfter} }),
		owning(describeStale),
		sharing(Refuse{}, func(p parameters) Act { return Refuse{p.wait} }),
		sharing(ConnectHang{}, func(p parameters) Act { return ConnectHang{p.wait} }),
		sharing(AcceptHang{}, func(p parameters) Act { return AcceptHang{p.wait} }),
		sharing(Untouched{}, func(parameters) Act { return Untouched{} }),
		owning(describeRaw),
		owning(describeMalformed),
		owning(describeDribble),
		owning(describeBandwidth),
		owning(describeSlowRead),
		owning(describeExpectContinue),
		owning(describeThrottle),
		owning(describeCapacity),
		owning(describeOutage),
		owning(describeFlap),
		owning(describeRamp),
		owning(describeTLS),
	}
}

// notationOf is the notation of the act of a name.
func notationOf(name string) (notation, bool) {
	all := notations()
	i := slices.IndexFunc(all, func(n notation) bool { return n.zero.ActName() == name })
	if i < 0 {
		return notation{}, false
	}
	return all[i], true
}

// actNames are the names of the acts that are built, sorted.
func actNames() []string {
	var names []string
	for _, n := range notations() {
		names = append(names, n.zero.ActName())
	}
	slices.Sort(names)
	return names
}

// A draft is a step while it is read or written.
type draft struct {
	parameters
	step Step
	act  notation
}

// accepted are the settings that the step can have.
func (d *draft) accepted() []string {
	accepted := slices.Concat(d.takes, stepSettings)
	for _, own := range d.own {
		accepted = append(accepted, own.key)
	}
	slices.Sort(accepted)
	return accepted
}

// A setting is one key of the notation.
type setting struct {
	key string
	// flag tells that the key can stand alone; optional that it can also have a
	// value.
	flag, optional bool
	read           func(d *draft, value string) error
	// write returns the value, and whether the step says it at all.
	write func(d *draft) (value string, given bool)
}

// flagMark is what follows a key whose value is empty.
func (s setting) flagMark() string {
	if s.flag {
		return ""
	}
	return "="
}

// settingOf is the setting of a key: the act's own, or else the shared one.
func (d *draft) settingOf(key string) (setting, bool) {
	for _, s := range slices.Concat(d.own, settings) {
		if s.key == key {
			return s, true
		}
	}
	return setting{}, false
}

// settings are all the keys, in the order in which a step's text has them.
var settings = []setting{
	{key: "status", read: readStatus, write: func(d *draft) (string, bool) {
		return strconv.Itoa(d.answer.Status), d.answer.Status != 0
	}},
	wait("for"),
	wait("after"),
	word("to", func(d *draft) *string { return &d.to }),
	word("end", func(d *draft) *EndKind { return &d.end }, EndFIN, EndRST, EndStall),
	word("cut", func(d *draft) *CutKind { return &d.cut }, CutInsideChunk, CutBetweenChunks, CutBeforeLastCRLF),
	flag("half", func(d *draft) *bool { return &d.half }),
	{key: "body", read: func(d *draft, value string) (err error) {
		d.answer.Body.Size, err = ParseSize(value)
		return err
	}, write: func(d *draft) (string, bool) { return d.answer.Body.Size.String(), d.answer.Body.Size != 0 }},
	{key: "seed", read: func(d *draft, value string) (err error) {
		d.answer.Body.Seed, err = strconv.ParseUint(value, 10, 64)
		return err
	}, write: func(d *draft) (string, bool) {
		return strconv.FormatUint(d.answer.Body.Seed, 10), d.answer.Body.Seed != 0
	}},
	word("framing", func(d *draft) *Framing { return &d.answer.Framing }, FramingLength, FramingChunked, FramingClose),
	word("challenge", func(d *draft) *Challenge { return &d.answer.Challenge }, BasicChallenge, BearerChallenge, DigestChallenge),
	word("cookie", func(d *draft) *string { return &d.answer.Cookie }),
	flag("gzip", func(d *draft) *bool { return &d.answer.Gzip }),
	{key: "retry-after", read: func(d *draft, value string) error {
		d.retryAfter().Value = value
		return nil
	}, write: func(d *draft) (string, bool) {
		r := d.answer.RetryAfter
		if r == nil {
			return "", false
		}
		return r.Value, r.Date == nil || r.Value != ""
	}},
	{key: "retry-after-date", read: func(d *draft, value string) error {
		date, err := ParseOffset(value)
		d.retryAfter().Date = &date
		return err
	}, write: func(d *draft) (string, bool) {
		if d.answer.RetryAfter == nil || d.answer.RetryAfter.Date == nil {
			return "", false
		}
		return FormatDuration(*d.answer.RetryAfter.Date), true
	}},
	{key: "retry-after-form", read: func(d *draft, value string) error {
		return readWord(&d.retryAfter().Form, value, IMFFixdate, RFC850, Asctime)
	}, write: func(d *draft) (string, bool) {
		if d.answer.RetryAfter == nil {
			return "", false
		}
		return string(d.answer.RetryAfter.Form), d.answer.RetryAfter.Form != ""
	}},
	word("when", func(d *draft) *ConnectionKind { return &d.step.When.Connection }, FreshConnection, ReusedConnection),
	{key: "delay", read: func(d *draft, value string) (err error) {
		d.step.Delay.Fixed, err = ParseDuration(value)
		return err
	}, write: func(d *draft) (string, bool) {
		return FormatDuration(d.step.Delay.Fixed), d.step.Delay.Fixed != 0
	}},
	{key: "commit", flag: true, optional: true, read: func(d *draft, value string) error {
		d.step.Commit = CommitAlways
		if value == "" {
			return nil
		}
		return readWord(&d.step.Commit, value, CommitByKey)
	}, write: func(d *draft) (string, bool) {
		if d.step.Commit == CommitAlways {
			return "", true
		}
		return string(d.step.Commit), d.step.Commit != NoCommit
	}},
	{key: "probability", read: func(d *draft, value string) error {
		p, err := strconv.ParseFloat(value, 64)
		d.step.Probability = &p
		if err != nil || !(p >= 0 && p <= 1) {
			return fmt.Errorf("%q; want a number from 0 to 1", value)
		}
		return nil
	}, write: func(d *draft) (string, bool) {
		if d.step.Probability == nil {
			return "", false
		}
		return strconv.FormatFloat(*d.step.Probability, 'f', -1, 64), true
	}},
	{key: "forever", flag: true, read: func(d *draft, _ string) error {
		if d.step.Times != 0 {
			return fmt.Errorf("the step already serves %d attempts", d.step.Times)
		}
		d.step.Times = Forever
		return nil
	}, write: func(d *draft) (string, bool) { return "", d.step.Times == Forever }},
	flag("optional", func(d *draft) *bool { return &d.step.Optional }),
}

// retryAfter is the answer's Retry-After, which begins to exist.
func (d *draft) retryAfter() *RetryAfter {
	if d.answer.RetryAfter == nil {
		d.answer.RetryAfter = &RetryAfter{}
	}
	return d.answer.RetryAfter
}

func readStatus(d *draft, value string) error {
	status, err := strconv.Atoi(value)
	if err != nil || !isDigits(value) || status < 200 || status > 999 {
		return fmt.Errorf("%q; want three digits from 200 to 999", value)
	}
	d.answer.Status = status
	return nil
}

// wait is a setting for an act's duration.
func wait(key string) setting {
	return setting{key: key, read: func(d *draft, value string) (err error) {
		d.wait, err = ParseDuration(value)
		return err
	}, write: func(d *draft) (string, bool) {
		return FormatDuration(d.wait), d.wait != 0 && slices.Contains(d.takes, key)
	}}
}

// word is a setting whose value is one of some words; any, if none are named.
func word[T ~string](key string, field func(*draft) *T, words ...T) setting {
	return setting{key: key, read: func(d *draft, value string) error {
		return readWord(field(d), value, words...)
	}, write: func(d *draft) (string, bool) {
		return string(*field(d)), *field(d) != ""
	}}
}

func readWord[T ~string](to *T, value string, words ...T) error {
	if len(words) > 0 && !slices.Contains(words, T(value)) || value == "" {
		var names []string
		for _, w := range words {
			names = append(names, string(w))
		}
		return fmt.Errorf("%q; want %s", value, strings.Join(names, " or "))
	}
	*to = T(value)
	return nil
}

// flag is a setting without a value.
func flag(key string, field func(*draft) *bool) setting {
	return setting{key: key, flag: true, read: func(d *draft, _ string) error {
		*field(d) = true
		return nil
	}, write: func(d *draft) (string, bool) { return "", *field(d) }}
}
