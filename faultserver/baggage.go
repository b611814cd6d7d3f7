package faultserver

import "strings"

// These are the members of the W3C Baggage header by which a request finds its
// session, alone or together with its call.
const (
	baggageSession = "faultsrv-session"
	baggageCall    = "faultsrv-call"
)

// ByBaggage finds a request's session and call by a member of its `baggage`
// header (W3C Baggage), which a service that is asked with one passes on to
// those that it asks: see [Baggage]. Paths are then the client's own: no /s/…
// and no /c/… is read from them. Requests without the member belong to the
// default session, and there to the current sequential call.
func ByBaggage() HostOption { return func(h *Host) { h.baggage = true } }

// Baggage is the member of a `baggage` header by which the requests of a call
// find it. Neither the session's id nor the token needs to be encoded. The token must
// have no dot: the last one ends the id.
func Baggage(session, token string) string { return baggageCall + "=" + session + "." + token }

// member is the value of a head's baggage with a key. Several that differ are
// none of them.
func (h *head) member(key string) (value string, found bool) {
	var values []string
	for _, line := range h.headers.Values("baggage") {
		for member := range strings.SplitSeq(line, ",") {
			member, _, _ = strings.Cut(member, ";")
			name, value, _ := strings.Cut(member, "=")
			if strings.TrimSpace(name) == key {
				values = append(values, strings.TrimSpace(value))
			}
		}
	}
	if len(values) == 0 {
		return "", false
	}
	return only(values), true
}

// takeCall reads the session and the call that a head's baggage names. Its path
// is the client's own then.
func (h *head) takeCall() (id string, found bool) {
	value, found := h.member(baggageCall)
	if !found {
		return "", false
	}
	// An id may have dots, the token of Baggage has none.
	dot := max(strings.LastIndexByte(value, '.'), 0)
	h.plain, h.named, h.token = true, true, strings.TrimPrefix(value[dot:], ".")
	return value[:dot], true
}
