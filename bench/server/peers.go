package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

// peerEntrants are the fault servers of others, from the folders where the make
// target has put them.
func peerEntrants(o options, self string) ([]entrant, error) {
	httpbin, toxiproxy := filepath.Join(o.peers, "go-httpbin"), filepath.Join(o.peers, "toxiproxy")
	mountebank := filepath.Join(o.packages, "mountebank/bin/mb")
	jars, err := filepath.Glob(filepath.Join(o.packages, "wiremock/build/wiremock-standalone-*.jar"))
	if err == nil && len(jars) != 1 {
		err = fmt.Errorf("-packages: expected one jar of WireMock in %s, got %q", o.packages, jars)
	}
	for _, program := range []string{httpbin, toxiproxy, mountebank} {
		if _, missing := os.Stat(program); missing != nil {
			err = errors.Join(err, fmt.Errorf("-peers, -packages: expected what `make bench-server` puts there: %w", missing))
		}
	}
	if err != nil {
		return nil, err
	}
	return []entrant{httpbinEntrant(httpbin), toxiproxyEntrant(toxiproxy, self), mountebankEntrant(mountebank), wiremockEntrant(jars[0])}, nil
}

func httpbinEntrant(program string) entrant {
	e := entrant{name: "go-httpbin"}
	e.fault = func(f fault) (*target, error) {
		switch f.name {
		case "503":
			return e.serve(refuseAll)
		case "stall@request-end":
			return e.serve(stallAll)
		}
		return nil, errCannot
	}
	e.serve = func(t task) (*target, error) {
		path, status := "/status/503", 503
		switch t {
		case delayAll:
			path, status = fmt.Sprintf("/delay/%g", delay.Seconds()), 200
		case stallAll:
			path, status = "/delay/3600", 200
		}
		p, err := listening(func(address string) []string {
			host, port, _ := net.SplitHostPort(address) // it was made by the system
			return []string{program, "-host", host, "-port", port, "-log-level", "OFF", "-max-duration", "1h"}
		})
		if err != nil {
			return nil, err
		}
		return &target{address: p.address, path: path, status: status, processes: []*process{p}}, nil
	}
	return e
}

// toxiproxyEntrant is a proxy: what it lets through is the bare server's, whose
// processor time counts with its own.
func toxiproxyEntrant(program, self string) entrant {
	through := func(path string, status int, toxics ...toxic) (*target, error) {
		behind, err := serveBareAs(self, path, status)
		if err != nil {
			return nil, err
		}
		t, err := proxied(program, behind, toxics...)
		if err != nil {
			behind.stop()
		}
		return t, err
	}
	return entrant{name: "toxiproxy before net/http", serve: func(t task) (*target, error) {
		switch t {
		case delayAll:
			return through("/delay/0s", 200, toxic{"latency", map[string]int{"latency": int(delay.Milliseconds())}})
		case stallAll:
			return through("/delay/0s", 200, toxic{"timeout", map[string]int{"timeout": 0}})
		}
		return through("/unavailable", 503)
	}, fault: func(f fault) (*target, error) {
		switch f.name {
		case "503":
			return through("/unavailable", 503)
		case "stall@request-end":
			return through("/unavailable", 503, toxic{"timeout", map[string]int{"timeout": 0}})
		case "reset@request-end":
			return through("/unavailable", 503, toxic{"reset_peer", map[string]int{"timeout": 0}})
		case "close@request-end":
			return through("/unavailable", 503, toxic{"limit_data", map[string]int{"bytes": 0}})
		case "truncate@500", "close@response-body@500":
			head := "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"
			return through("/whole", 200, toxic{"limit_data", map[string]int{"bytes": len(head) + cutAt}})
		}
		return nil, errCannot
	}}
}

// A toxic is what toxiproxy does to the bytes that come back.
type toxic struct {
	kind       string
	attributes map[string]int
}

// proxied puts toxiproxy before a server.
func proxied(program string, behind *target, toxics ...toxic) (*target, error) {
	p, err := listening(func(address string) []string {
		host, port, _ := net.SplitHostPort(address) // it was made by the system
		return []string{program, "-host", host, "-port", port}
	})
	if err != nil {
		return nil, err
	}
	listen, err := freeAddress()
	if err == nil {
		err = tell(p.address, "/proxies", map[string]any{"name": "bench", "listen": listen, "upstream": behind.address, "enabled": true})
	}
	for _, t := range toxics {
		err = errors.Join(err, tell(p.address, "/proxies/bench/toxics", map[string]any{"type": t.kind, "stream": "downstream", "attributes": t.attributes}))
	}
	if err != nil {
		p.stop()
		return nil, err
	}
	return &target{address: listen, path: behind.path, status: behind.status, processes: append([]*process{p}, behind.processes...)}, nil
}

// mountebankEntrant answers by stubs, one for each path.
func mountebankEntrant(program string) entrant {
	stubbed := func(path string, status int, responses ...any) (*target, error) {
		p, err := listening(func(address string) []string {
			_, port, _ := net.SplitHostPort(address) // it was made by the system
			return []string{"node", program, "start", "--port", port, "--nologfile", "--localOnly", "--loglevel", "error", "--pidfile", filepath.Join(os.TempDir(), "mb-"+port+".pid")}
		})
		if err != nil {
			return nil, err
		}
		listen, err := freeAddress()
		if err == nil {
			_, port, _ := net.SplitHostPort(listen)
			number, _ := strconv.Atoi(port) // as above
			err = tell(p.address, "/imposters", map[string]any{"protocol": "http", "port": number, "stubs": []any{map[string]any{"responses": responses}}})
		}
		if err != nil {
			p.stop()
			return nil, err
		}
		return &target{address: listen, path: path, status: status, processes: []*process{p}}, nil
	}
	// It closes connections unless it is told not to.
	is := func(status int, body string) map[string]any {
		return map[string]any{"is": map[string]any{"statusCode": status, "headers": map[string]any{"Connection": "keep-alive"}, "body": body}}
	}
	late := func(by time.Duration) map[string]any {
		answer := is(200, "ok\n")
		answer["behaviors"] = []any{map[string]any{"wait": by.Milliseconds()}}
		return answer
	}
	return entrant{name: "mountebank", slow: true, serve: func(t task) (*target, error) {
		switch t {
		case delayAll:
			return stubbed("/", 200, late(delay))
		case stallAll:
			return stubbed("/", 200, late(time.Hour))
		}
		return stubbed("/", 503, is(503, ""))
	}, distinct: func(answers int) (*target, error) {
		var script []any
		for i := range answers {
			script = append(script, is(200, fmt.Sprintf("answer %d\n", i+1)))
		}
		return stubbed("/", 200, script...)
	}, fault: func(f fault) (*target, error) {
		switch f.name {
		case "503":
			return stubbed("/", 503, map[string]any{"is": map[string]any{"statusCode": 503}})
		case "stall@request-end":
			return stubbed("/", 200, late(time.Hour))
		case "reset@request-end":
			return stubbed("/", 200, map[string]any{"fault": "CONNECTION_RESET_BY_PEER"})
		}
		return nil, errCannot
	}}
}

// wiremockEntrant answers by mappings. Its journal of requests is off, which it is
// not by itself: it would only slow it down.
func wiremockEntrant(jar string) entrant {
	mapped := func(status int, mappings ...any) (*target, error) {
		p, err := listening(func(address string) []string {
			host, port, _ := net.SplitHostPort(address) // it was made by the system
			return []string{"java", "-jar", jar, "--bind-address", host, "--port", port, "--no-request-journal", "--disable-banner", "--async-response-enabled=true"}
		})
		if err != nil {
			return nil, err
		}
		if err := tell(p.address, "/__admin/mappings/import", map[string]any{"mappings": mappings}); err != nil {
			p.stop()
			return nil, err
		}
		return &target{address: p.address, path: "/", status: status, processes: []*process{p}}, nil
	}
	always := func(response map[string]any) map[string]any {
		return map[string]any{"request": map[string]any{"method": "ANY", "urlPattern": ".*"}, "response": response}
	}
	return entrant{name: "WireMock", slow: true, serve: func(t task) (*target, error) {
		switch t {
		case delayAll:
			return mapped(200, always(map[string]any{"status": 200, "body": "ok\n", "fixedDelayMilliseconds": delay.Milliseconds()}))
		case stallAll:
			return mapped(200, always(map[string]any{"status": 200, "fixedDelayMilliseconds": time.Hour.Milliseconds()}))
		}
		return mapped(503, always(map[string]any{"status": 503}))
	}, distinct: func(answers int) (*target, error) {
		var script []any
		for i := range answers {
			one := always(map[string]any{"status": 200, "body": fmt.Sprintf("answer %d\n", i+1)})
			one["scenarioName"], one["newScenarioState"] = "bench", fmt.Sprint("after ", i+1)
			one["requiredScenarioState"] = fmt.Sprint("after ", i)
			if i == 0 {
				one["requiredScenarioState"] = "Started"
			}
			script = append(script, one)
		}
		return mapped(200, script...)
	}, fault: func(f fault) (*target, error) {
		named, can := map[string]string{
			"reset@request-end": "CONNECTION_RESET_BY_PEER", "close@request-end": "EMPTY_RESPONSE", "malformed:bad-chunk-size": "MALFORMED_RESPONSE_CHUNK",
		}[f.name]
		switch {
		case can:
			return mapped(200, always(map[string]any{"fault": named}))
		case f.name == "503":
			return mapped(503, always(map[string]any{"status": 503}))
		case f.name == "stall@request-end":
			return mapped(200, always(map[string]any{"status": 200, "fixedDelayMilliseconds": time.Hour.Milliseconds()}))
		}
		return nil, errCannot
	}}
}

// tell posts JSON to a server's API.
func tell(address, path string, document any) error {
	text, err := json.Marshal(document)
	if err != nil {
		return err
	}
	client := http.Client{Timeout: answerTime}
	response, err := client.Post("http://"+address+path, "application/json", bytes.NewReader(text)) //nolint:noctx // the client has a timeout
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return err
	}
	if response.StatusCode/100 != 2 {
		return fmt.Errorf("%s answered %s: %.300s", path, response.Status, answer)
	}
	return nil
}
