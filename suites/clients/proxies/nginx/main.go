// Command nginx has nginx judged as a client of the server that it stands before: a
// request that failed is passed to the next server of the upstream, and the next is
// the same one.
//
//	attempts              proxy_next_upstream_tries, of as many servers
//	methods               non_idempotent, where they name POST, LOCK or PATCH: nginx
//	                      retries the others in any case
//	statuses              http_429 and so on: it knows seven
//	timeouts.attempt_ms   proxy_connect_timeout, proxy_send_timeout, proxy_read_timeout
//
// It knows no pause. Its caller waits as long as it likes, and cancels by closing its
// connection. Connections are kept, as the manual says under keepalive.
//
// https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_next_upstream
package main

import (
	"fmt"
	"slices"
	"strings"
	"text/template"

	"github.com/faultsrv/faultsrv/suites/clients/go/kit"
	"github.com/faultsrv/faultsrv/suites/clients/proxies"
)

func main() {
	program := proxies.Program{
		Command:    []string{"nginx", "-p", ".", "-c", "nginx.conf", "-e", "stderr"},
		ConfigFile: "nginx.conf", Config: config, LostHeader: "Proxy-Lost",
	}
	kit.Main(kit.Library{
		Name:         "nginx",
		Version:      func() (string, error) { return proxies.Version(`nginx/(\S+)`, "nginx", "-v") },
		Capabilities: proxies.Capabilities("retry", "attempts", "attempt-timeout"),
		Open:         program.Open,
	})
}

// nonIdempotent are the methods that nginx repeats only if it is told to.
var nonIdempotent = []string{"POST", "LOCK", "PATCH"}

// known are the statuses that nginx can be told to retry.
var known = []int{403, 404, 429, 500, 502, 503, 504}

// conditions are the parameters of proxy_next_upstream.
func conditions(policy kit.Policy) (string, error) {
	if policy.Retries() == 0 {
		return "off", nil
	}
	words := []string{"error", "timeout"}
	for _, status := range policy.Statuses {
		if !slices.Contains(known, status) {
			return "", kit.Unsupported("a retry of status %d", status)
		}
		words = append(words, fmt.Sprintf("http_%d", status))
	}
	if slices.ContainsFunc(policy.Methods, func(method string) bool { return slices.Contains(nonIdempotent, method) }) {
		words = append(words, "non_idempotent")
	}
	return strings.Join(words, " "), nil
}

func config(site proxies.Site) (string, error) {
	conditions, err := conditions(site.Policy)
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = configuration.Execute(&text, struct {
		proxies.Site

		Conditions string
		Attempts   []struct{}
	}{site, conditions, make([]struct{}, site.Policy.Retries()+1)})
	return text.String(), err
}

var configuration = template.Must(template.New("nginx.conf").Parse(`
daemon off;
master_process off;
error_log stderr crit;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  client_body_temp_path client-body;
  proxy_temp_path       proxy;
  fastcgi_temp_path     fastcgi;
  uwsgi_temp_path       uwsgi;
  scgi_temp_path        scgi;
  upstream server {
    {{- range .Attempts}}
    server {{$.Server}} max_fails=0;{{end}}
    keepalive 16;
  }
  server {
    listen unix:{{.Socket}};
    client_max_body_size 0;
    location / {
      proxy_pass http://server;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      proxy_connect_timeout {{.AttemptTimeout.Milliseconds}}ms;
      proxy_send_timeout    {{.AttemptTimeout.Milliseconds}}ms;
      proxy_read_timeout    {{.AttemptTimeout.Milliseconds}}ms;
      proxy_next_upstream       {{.Conditions}};
      proxy_next_upstream_tries {{len .Attempts}};
      error_page 502 @lost;  # the errors of its own: the server's are handed on
      error_page 504 @late;
    }
    location @lost { add_header Proxy-Lost 502 always; return 502; }
    location @late { add_header Proxy-Lost 504 always; return 504; }
  }
}
`))
