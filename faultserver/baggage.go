package faultserver

import "strings"

// baggageKey is the member of the W3C Baggage header by which a request finds
// its session and call.
const baggageKey = "faultsrv-call"

// ByBaggage finds a request's session and call by a member of its `baggage`
// header (W3C Baggage), which a service that is asked with one passes on to
// those that it asks: see [Baggage]. Paths are then the client's own: no /s/…
// and no /c/… is read from them. Requests without the member belong to the
// default session, and there to the current sequential call.
func ByBaggage() HostOption { return func(h *Host) { h.baggage = true } }

// Baggage is the member of a `baggage` header by which the requests of a call
// find it. Neither the session's id nor the token needs to be encoded.
func Baggage(session, token string) string { return baggageKey + "=" + session + "." + token }

// byBaggage finds the session that a request's baggage names. The lock is held.
func (h *Host) byBaggage(head *head) *Session {
	head.plain = true
	for _, line := range head.headers.Values("baggage") {
		for member := range strings.SplitSeq(line, ",") {
			member, _, _ = strings.Cut(member, ";")
			key, value, _ := strings.Cut(member, "=")
			if strings.TrimSpace(key) != baggageKey {
				continue
			}
			// A token has no dot, an id may have some.
			value = strings.TrimSpace(value)
			dot := max(strings.LastIndexByte(value, '.'), 0)
			head.token, head.named = strings.TrimPrefix(value[dot:], "."), true
			return h.sessions[value[:dot]]
		}
	}
	return h.unnamed
}
