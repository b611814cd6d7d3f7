package faultserver

import (
	"net"
	"net/http"
	"slices"
	"strings"
)

// sessionHeader is the header by which a request finds its session.
const sessionHeader = "faultsrv-session"

// ByHeaders finds sessions also by what stays the same in all of a client's
// requests, so that their paths are its own. In this order: the path /s/ID; the
// header `faultsrv-session: ID`; a member of `baggage`, faultsrv-session=ID, or
// faultsrv-call=ID.TOKEN for one call of it; and a Host ID.SUFFIX, where SUFFIX
// is one of the given ones, such as "localhost". Requests with none of them
// belong to the default session. An id that is not here is answered 404, and
// never taken for the default session's; nor are several ids that differ. Hosts are compared in lower case: an id
// with capital letters is not found by them. It does nothing beside [ByBaggage].
func ByHeaders(suffixes ...string) HostOption {
	return func(h *Host) {
		h.headers = true
		for _, suffix := range suffixes {
			h.suffixes = append(h.suffixes, "."+strings.TrimSuffix(strings.ToLower(suffix), "."))
		}
	}
}

// ForStrays has a function answer requests for a session that is not here, by
// its id; where it says false, they are answered 404. It must not block.
func ForStrays(answer func(id string) (Answer, bool)) HostOption {
	return func(h *Host) { h.strays = answer }
}

// route finds the session of a request, and takes /s/ID off its path.
func (h *Host) route(head *head) (*Session, *Answer) {
	id, named := h.named(head)
	h.mu.Lock()
	s := h.unnamed
	if named {
		s = h.sessions[id]
	}
	h.mu.Unlock()
	if s != nil {
		return s, nil
	}
	if named && h.strays != nil {
		if answer, is := h.strays(id); is {
			return nil, &answer
		}
	}
	if !named {
		return nil, plainAnswer(http.StatusNotFound, "no such session: "+clip(head.target)+" names none, and there is no default one")
	}
	return nil, plainAnswer(http.StatusNotFound, "no such session: "+clip(id))
}

// named is the id of the session that a request names, if it names one.
func (h *Host) named(head *head) (id string, named bool) {
	if h.baggage {
		head.plain = true
		return head.takeCall()
	}
	if id, rest, found := cutPrefix(head.path, "/s/"); found {
		head.path = rest
		return id, true
	}
	if !h.headers {
		return "", false
	}
	if lines := head.headers.Values(sessionHeader); len(lines) > 0 {
		return only(lines), true
	}
	if id, found := head.member(baggageSession); found {
		return id, true
	}
	if id, found := head.takeCall(); found {
		return id, true
	}
	return h.byName(head)
}

// byName is the id that stands before one of the suffixes in a request's host: the
// longest, where one ends in another. A name may have the dot of the root at its end.
func (h *Host) byName(head *head) (id string, named bool) {
	host := strings.ToLower(head.host())
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	host = strings.TrimSuffix(host, ".")
	longest := ""
	for _, suffix := range h.suffixes {
		if len(suffix) > len(longest) && len(host) > len(suffix) && strings.HasSuffix(host, suffix) {
			longest = suffix
		}
	}
	return strings.TrimSuffix(host, longest), longest != ""
}

// host is whom a request is for: an absolute target says it, whatever the Host line
// does (RFC 9112, section 3.2.2).
func (h *head) host() string {
	_, rest, absolute := strings.Cut(h.target, "://")
	if !absolute || strings.HasPrefix(h.target, "/") {
		return h.headers.Get("Host")
	}
	if end := strings.IndexAny(rest, "/?#"); end >= 0 {
		rest = rest[:end]
	}
	return rest[strings.LastIndexByte(rest, '@')+1:]
}

// only is the one value that all are. Several that differ are what one line with all
// of them would be, which names nothing: to go by one of them would have a request
// serve a session that its sender may not mean.
func only(values []string) string {
	if slices.ContainsFunc(values, func(value string) bool { return value != values[0] }) {
		return strings.Join(values, ", ")
	}
	return values[0]
}
