package faultserver

import (
	"errors"
	"slices"
)

// An Act is what a step does on the wire. The acts are the types of this
// package that implement it; each is in a file of its own, with its
// parameters, its rules and how it is performed. They are used as values:
// Reset{}, never &Reset{}.
type Act interface {
	// ActName is the act's name in scripts and reports, such as "reset".
	ActName() string

	// place says where the act may strike.
	place() place
	// validate returns what is wrong with the parameters, for a strike at a
	// point that place allows.
	validate(at Point) []error
	// intent is the effect that the act is to have on this exchange.
	intent(x *exchange) Effect
	// perform has the effect. For a request point it is called when the point
	// has been reached and the step's delay has passed; an act at a response
	// point gets there itself.
	perform(x *exchange)
	// parameters are the act's parameters in the notation of one-line scripts.
	parameters() parameters
}

// A stepJudge is an act that does not go with everything that a step can have.
type stepJudge interface {
	// withStep returns what is wrong with the act in this step.
	withStep(s Step) []error
}

// place is where an act may strike.
type place struct {
	// phases are those of an exchange, the default first; none for an act that
	// only connections know.
	phases []Phase
	// connection tells that it may stand in a connection script.
	connection bool
	// fixed is the point of an act that has no other.
	fixed *Point
	// readsOn tells that the act takes over before the request has been read,
	// and reads the rest of it itself.
	readsOn bool
}

// point is where the act of a step strikes: its At or else the act's default.
func (s Step) point(script scriptKind) Point {
	where := s.Act.place()
	switch {
	case s.At != Point{}:
		return s.At
	case script == connectionScript:
		return Point{Phase: Accept}
	case where.fixed != nil:
		return *where.fixed
	case len(where.phases) > 0:
		return Point{Phase: where.phases[0]}
	}
	return Point{}
}

// scriptKind tells the two cursors of a session apart.
type scriptKind bool

const (
	attemptScript    scriptKind = false
	connectionScript scriptKind = true
)

// EndKind is how a connection is ended, if it is.
type EndKind string

// The ways to end a connection.
const (
	EndFIN   EndKind = "fin"
	EndRST   EndKind = "rst"
	EndStall EndKind = "stall"
	// EndKeep leaves the connection open for the next request.
	EndKeep EndKind = "keep"
)

// An Unbuilt is an act of the vocabulary that this version can parse and not
// perform. A script with one is refused when it is opened, by name, with an
// error that matches ErrUnbuilt.
type Unbuilt struct {
	Name string
}

// ErrUnbuilt is matched by the error for a script with an act that this
// version knows by name only.
var ErrUnbuilt = errors.New("not built yet")

// ErrPlatform is matched by the error for a script with a fault that this
// platform cannot do.
var ErrPlatform = errors.New("not possible on this platform")

// UnbuiltActs are the names of the vocabulary that parse and are not built yet.
var UnbuiltActs = []string{
	"h2-data", "h2-goaway", "h2-ping", "h2-reset", "h2-settings", "h2-window",
}

// ActName implements Act.
func (u Unbuilt) ActName() string { return u.Name }

func (u Unbuilt) place() place            { return place{phases: exchangePhases, connection: true} }
func (u Unbuilt) intent(*exchange) Effect { return Effect{Kind: u.Name} }
func (u Unbuilt) perform(*exchange)       {}
func (u Unbuilt) parameters() parameters  { return parameters{} }

func (u Unbuilt) validate(Point) []error {
	if !slices.Contains(UnbuiltActs, u.Name) {
		return []error{errors.New("is no act of the vocabulary")}
	}
	return []error{ErrUnbuilt}
}
