package main

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/control"
)

// hostOptions are the flags of the serve command about where clients find its
// sessions: by which addresses, and on which of several servers.
type hostOptions struct {
	name      string
	advertise string
	ports     string
	suffixes  []string

	base     *url.URL // what advertise says; nil for nothing
	ownPorts control.Ports
}

// sessionSuffixes are those that need no flag: names that no resolver takes out
// of the machine or the test (RFC 6761, sections 6.2 and 6.3).
var sessionSuffixes = []string{"localhost", "faultsrv.test"}

func (o *hostOptions) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.name, "name", "", "this server's `NAME` among several: it is in front of every session's id, and requests for another one's are answered 421")
	flags.StringVar(&o.advertise, "advertise-url", "", "clients reach the server by this base `URL`, such as http://faultsrv-0.faultsrv:8503; the control API's answers have it")
	flags.StringVar(&o.ports, "session-ports", "", "sessions with a listener of their own take only these ports, a `RANGE` such as 20000-20999 (default: any free one)")
	flags.StringArrayVar(&o.suffixes, "session-host", nil,
		"a request whose Host is ID.`SUFFIX` belongs to the session ID; may be repeated, beside "+strings.Join(sessionSuffixes, " and "))
}

// hostFlags are the names of the flags.
var hostFlags = []string{"name", "advertise-url", "session-ports", "session-host"}

// check says what is wrong with the flags of a server that speaks this scheme.
func (o *hostOptions) check(scheme string) (err error) {
	if o.name != "" {
		if err := control.CheckName(o.name); err != nil {
			return fmt.Errorf("--name: %w", err)
		}
	}
	if o.advertise != "" {
		if o.base, err = baseURL(o.advertise, scheme); err != nil {
			return fmt.Errorf("--advertise-url %q: %w", o.advertise, err)
		}
	}
	if o.ports != "" {
		if o.ownPorts, err = readPorts(o.ports); err != nil {
			return fmt.Errorf("--session-ports %q: %w", o.ports, err)
		}
	}
	for _, suffix := range o.suffixes {
		if suffix == "" || strings.HasPrefix(suffix, ".") || strings.ContainsFunc(suffix, inNoHost) {
			return fmt.Errorf("--session-host %q: expected a host name without a port, such as faults.example", suffix)
		}
	}
	return nil
}

// inNoHost tells what stands in no name of a host.
func inNoHost(c rune) bool { return c <= ' ' || c == 0x7f || strings.ContainsRune(":/*", c) }

// baseURL reads SCHEME://host[:port].
func baseURL(text, scheme string) (*url.URL, error) {
	base, err := url.Parse(text)
	if err != nil || base.Scheme != scheme || base.Hostname() == "" || strings.TrimSuffix(text, "/") != scheme+"://"+base.Host {
		return nil, fmt.Errorf("expected %s://HOST:PORT and no path, such as %s://faultsrv-0.faultsrv:8503", scheme, scheme)
	}
	if _, err := strconv.ParseUint(cmp.Or(base.Port(), "80"), 10, 16); err != nil {
		return nil, fmt.Errorf("expected a port of at most 65535, got %s", base.Port())
	}
	return base, nil
}

// readPorts reads FIRST-LAST.
func readPorts(text string) (control.Ports, error) {
	from, to, ranged := strings.Cut(text, "-")
	first, errFirst := strconv.ParseUint(from, 10, 16)
	last, errLast := strconv.ParseUint(to, 10, 16)
	if !ranged || errFirst != nil || errLast != nil || first == 0 || first > last {
		return control.Ports{}, errors.New("expected FIRST-LAST, two ports from 1 to 65535, such as 20000-20999")
	}
	return control.Ports{First: int(first), Last: int(last)}, nil
}

// dataSide are the options of the listener that sessions share.
func (o *hostOptions) dataSide() []faultserver.HostOption {
	list := []faultserver.HostOption{faultserver.ByHeaders(append(o.suffixes, sessionSuffixes...)...)}
	if o.base != nil {
		list = append(list, faultserver.Advertised(o.base.Scheme+"://"+o.base.Host))
	}
	if o.name != "" {
		list = append(list, faultserver.ForStrays(control.StrayAnswer(o.name)))
	}
	return list
}

// controlSide adds what the control API is to know.
func (o *hostOptions) controlSide(options *control.Options, address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the address that is listened on: %w", err)
	}
	options.Name, options.OwnHost, options.OwnPorts = o.name, host, o.ownPorts
	if o.base != nil {
		options.AdvertiseHost = o.base.Hostname()
	}
	return nil
}
