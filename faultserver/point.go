package faultserver

// A Point is a place in an exchange at which a step strikes. The zero value is
// the act's own default.
//
// Its text form is the phase, and for the two body phases "@" and a size:
// "request-head", "request-body@64KiB", "request-end", "response-head",
// "response-body@500"; in a connection script "accept" and "tls-handshake".
type Point struct {
	Phase Phase
	// N is the number of body bytes before the strike, for RequestBody and
	// ResponseBody; 0 elsewhere.
	N Size
}

// Phase is the part of an exchange a point lies in.
type Phase string

// The phases, in the order of an exchange. RequestEnd is reached when the
// request has been read and nothing was sent; ResponseHead when the answer's
// head has been sent and no body byte.
const (
	DefaultPhase Phase = ""
	Accept       Phase = "accept"
	TLSHandshake Phase = "tls-handshake"
	RequestHead  Phase = "request-head"
	RequestBody  Phase = "request-body"
	RequestEnd   Phase = "request-end"
	ResponseHead Phase = "response-head"
	ResponseBody Phase = "response-body"
)
