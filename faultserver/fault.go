package faultserver

import (
	"errors"
	"fmt"
	"strings"
)

// A Fault is what the failing attempts of an act get that decides which attempts
// fail. Its text form is one step in the notation of one-line scripts with
// nothing but an act and its point, such as "reset", "503:retry-after=1" or
// "close@response-head". The zero value is a 503.
type Fault struct {
	Act Act
	At  Point
}

// step is the fault as a step.
func (f Fault) step() Step {
	if f.Act == nil {
		return Step{Act: Respond{Answer{Status: 503}}}
	}
	return Step{Act: f.Act, At: f.At}
}

// String is the text form.
func (f Fault) String() string { return f.step().String() }

// MarshalText implements encoding.TextMarshaler; see String.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (f *Fault) UnmarshalText(text []byte) error {
	if strings.Contains(string(text), ",") {
		return fmt.Errorf("%q is more than one step; want one, such as reset or 503", text)
	}
	step, err := parseStep(string(text))
	if err != nil {
		return err
	}
	f.Act, f.At = step.Act, step.At
	step.Act, step.At = nil, Point{}
	if step != (Step{}) {
		return fmt.Errorf("%q; a fault is an act and its point alone: leave out x, delay, when, commit, probability, optional and forever", text)
	}
	return nil
}

// problems are what is wrong with the fault.
func (f Fault) problems() []error {
	step := f.step()
	if _, decides := step.Act.(decider); decides {
		return []error{fmt.Errorf("with: %s decides itself which attempts fail; want an act such as reset or 503", step.Act.ActName())}
	}
	if _, passes := step.Act.(Untouched); passes {
		return []error{errors.New("with: pass is no fault; want an act such as reset or 503")}
	}
	return within("with: "+step.Act.ActName(), step.problems(attemptScript))
}
