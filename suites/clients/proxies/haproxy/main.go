// Command haproxy has HAProxy judged as a client of the server that it stands before.
//
//	attempts              retries: attempts - 1, as retries do not count the first
//	methods               http-request disable-l7-retry, for what they do not name
//	statuses              retry-on: it knows ten, and 429 is none of them
//	timeouts.attempt_ms   timeout connect, timeout server
//
// It knows no pause but that of a second at most before a connection that was refused
// is tried again. A body that is longer than its buffer is not sent again: tune.bufsize,
// 16 KiB where it is not told, is told 16 MiB. Its caller waits as long as it likes, and cancels by closing its connection. Connections
// are shared by callers, which http-reuse has to be told.
//
// https://docs.haproxy.org/2.6/configuration.html#4.2-retry-on
package main

import (
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
	"github.com/faultsrv/faultsrv/suites/clients/proxies"
)

func main() {
	program := proxies.Program{
		Command:    []string{"haproxy", "-db", "-f", "haproxy.cfg"},
		ConfigFile: "haproxy.cfg", Config: config, LostHeader: "proxy-lost",
	}
	kit.Main(kit.Library{
		Name:         "haproxy",
		Version:      func() (string, error) { return proxies.Version(`version (\S+)`, "haproxy", "-v") },
		Capabilities: proxies.Capabilities("retry", "attempts", "attempt-timeout"),
		Open:         program.Open,
	})
}

// known are the statuses that HAProxy can be told to retry.
var known = []int{401, 403, 404, 408, 425, 500, 501, 502, 503, 504}

// conditions are the parameters of retry-on.
func conditions(policy kit.Policy) string {
	words := []string{"conn-failure", "empty-response", "junk-response", "response-timeout"}
	for _, status := range policy.Statuses {
		if slices.Contains(known, status) {
			words = append(words, strconv.Itoa(status))
		}
	}
	return strings.Join(words, " ")
}

func config(site proxies.Site) (string, error) {
	var text strings.Builder
	err := configuration.Execute(&text, struct {
		proxies.Site

		Conditions string
	}{site, conditions(site.Policy)})
	return text.String(), err
}

var configuration = template.Must(template.New("haproxy.cfg").Parse(`
global
  maxconn 512
  nbthread 1
  tune.bufsize 16777216  # what is longer is not sent again
defaults
  mode http
  timeout client  1m
  timeout connect {{.AttemptTimeout.Milliseconds}}ms
  timeout server  {{.AttemptTimeout.Milliseconds}}ms
  option http-buffer-request  # what has not come whole is not sent again
  retries {{.Policy.Retries}}
  retry-on {{.Conditions}}
  # The errors of its own: the server's are handed on.
  http-error status 502 content-type text/plain string lost hdr proxy-lost 502
  http-error status 503 content-type text/plain string lost hdr proxy-lost 503
  http-error status 504 content-type text/plain string late hdr proxy-lost 504
frontend callers
  bind unix@{{.Socket}}
  http-request disable-l7-retry unless { method{{range .Policy.Methods}} {{.}}{{end}} }
  default_backend server
backend server
  http-reuse always
  server origin {{.Server}}
`))
