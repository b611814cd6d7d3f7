package service

import (
	"net"
	"net/netip"
	"net/url"
	"slices"
)

// Shared is an address that two services need at the same time, such as that of an
// upstream; empty where there is none.
func Shared(a, b Profile) string {
	for _, one := range a.addresses() {
		if slices.ContainsFunc(b.addresses(), func(other string) bool { return sameAddress(one, other) }) {
			return one
		}
	}
	return ""
}

// addresses are where faultsrv listens in the place of the upstreams, and where the
// service does, each as host:port.
func (p Profile) addresses() []string {
	var list []string
	for _, name := range p.upstreamNames() {
		list = append(list, p.Upstreams[name].Listen)
	}
	asked := []string{p.Trigger.URL}
	if p.Ready != nil {
		asked = append(asked, p.Ready.URL)
	}
	for _, address := range asked {
		if parsed, err := url.Parse(address); err == nil && parsed.Host != "" {
			list = append(list, hostPort(parsed))
		}
	}
	return list
}

// sameAddress tells whether two addresses cannot be listened on at the same time:
// they have one port, and one host or one that stands for all.
func sameAddress(a, b string) bool {
	hostA, portA, errA := net.SplitHostPort(a)
	hostB, portB, errB := net.SplitHostPort(b)
	if errA != nil || errB != nil || portA != portB {
		return false
	}
	return everyHost(hostA) || everyHost(hostB) || loopback(hostA) && loopback(hostB) || hostA == hostB
}

func everyHost(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "" || err == nil && ip.IsUnspecified()
}

// loopback tells whether a host is one of those that localhost may mean.
func loopback(host string) bool {
	return host == "localhost" || host == "127.0.0.1" || host == "::1"
}
