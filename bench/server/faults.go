package main

import (
	"bytes"
	"compress/gzip"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A fault is one of the fidelity table.
type fault struct {
	// name is the step in the notation of one-line scripts; with connection, an entry
	// of a connection script.
	name       string
	connection bool
	// tls tells that its listener speaks TLS.
	tls bool
	// pass tells that it needs a server to hand attempts on to.
	pass bool
	// spared is how many exchanges come before it, such as those that a bucket lets
	// succeed.
	spared int
	// clients are how many make exchanges at the same time; 0 means fidelityClients.
	clients int
	raw     raw
	// want is nil where an exchange is what the fault is to look like.
	want func(seen) error
}

// title is what the fault is called in the table.
func (f fault) title() string {
	switch {
	case f.connection && f.tls:
		return "`" + f.name + "`, of a TLS connection"
	case f.connection:
		return "`" + f.name + "`, of a connection"
	case f.tls:
		return "`" + f.name + "`, over TLS"
	}
	return "`" + f.name + "`"
}

const (
	// patience is how long a silence has to last to be one: an answer that is not
	// held back comes within 10 ms on a busy machine, mostly within 1.
	patience = 40 * time.Millisecond
	// shortWait is how long what takes time is made to take.
	shortWait = 20 * time.Millisecond
	// uploaded is the body of a request that is answered or ended early.
	uploaded = 64 << 10
	// slowlyUploaded is more than a kernel takes for a server that does not read.
	slowlyUploaded = 256 << 10
)

var (
	get1      = raw{method: "GET"}
	keepAlive = raw{method: "GET", keepAlive: true}
	upload    = raw{method: "PUT", body: uploaded}
	impatient = raw{method: "GET", keepAlive: true, patience: patience}
)

// cutContent is the body of an answer that is cut, where a step says nothing else.
var cutContent = faultserver.Body{Size: cutBody}.Bytes()

const okBody = faultserver.DefaultSuccessBody

// faults are every fault of the server's vocabulary.
func faults() []fault {
	var all []fault
	add := func(name string, r raw, want func(seen) error) {
		all = append(all, fault{name: name, raw: r, want: want})
	}
	add("503", get1, answers(503))
	add("413@request-head", upload, whole(413, "", fin))
	add("200:body=1000:framing=chunked", get1, is("200 OK", fin, "3e8\r\n"+string(cutContent)+"\r\n0\r\n\r\n"))
	for _, act := range []struct {
		name string
		end  ending
	}{{"reset", rst}, {"close", fin}, {"stall", silence}} {
		patient := func(r raw) raw {
			if act.end == silence {
				r.patience, r.keepAlive = patience, true
			}
			return r
		}
		add(act.name+"@request-head", patient(upload), nothing(act.end))
		add(act.name+"@request-body@1000", patient(upload), nothing(act.end))
		add(act.name+"@request-end", patient(get1), nothing(act.end))
		add(act.name+"@response-head", patient(get1), cut(0, act.end))
		add(act.name+"@response-body@500", patient(get1), cut(cutAt, act.end))
	}
	add("truncate@500", get1, cut(cutAt, fin))
	add("truncate@500:end=rst", get1, cut(cutAt, rst))
	add("truncate@500:end=stall", impatient, cut(cutAt, silence))
	add("truncate@500:framing=chunked", get1, is("200 OK", fin, "3e8\r\n"+string(cutContent[:cutAt])))
	add("truncate@500:cut=between-chunks:framing=chunked", get1, is("200 OK", fin, "1f4\r\n"+string(cutContent[:cutAt])+"\r\n"))
	add("truncate:body=1000:cut=before-last-crlf:framing=chunked", get1, is("200 OK", fin, "3e8\r\n"+string(cutContent)+"\r\n0\r\n"))
	add("dribble:2ms:bytes=10", get1, both(whole(200, okBody, fin), lasts(shortWait/2)))
	add("bandwidth:4KiB", get1, both(whole(200, okBody, fin), lasts(shortWait/2)))
	add("bandwidth:4MiB:way=up", raw{method: "PUT", body: slowlyUploaded}, both(whole(200, okBody, fin), lasts(shortWait)))
	add("slow-read:after=20ms:buffer=64KiB:bytes=64KiB:every=1ms", raw{method: "PUT", body: slowlyUploaded}, both(whole(200, okBody, fin), lasts(shortWait)))
	all = append(all, malformedFaults()...)
	add("raw:SFRUUA.IGJ5IGhhbmQ", get1, exactly("HTTP by hand", fin))
	add("raw:SFRUUA.IGJ5IGhhbmQ:end=rst", get1, exactly("HTTP by hand", rst))
	add("stale:20ms", keepAlive, both(whole(200, okBody, fin), pauses(shortWait)))
	add("stale:20ms:end=rst", keepAlive, both(whole(200, okBody, rst), pauses(shortWait)))
	add("stale:20ms:unsolicited=408", keepAlive, unsolicited)
	expecting := raw{method: "PUT", body: uploaded, expect: true}
	add("expect-continue:sent", expecting, continued(0))
	add("expect-continue:late:after=20ms", expecting, continued(shortWait))
	add("expect-continue:never", raw{method: "PUT", body: uploaded, expect: true, patience: patience}, nothing(silence))
	add("417@request-head", expecting, whole(417, "", fin))
	add("redirect:308:to=/elsewhere", get1, both(is("308 Permanent Redirect", fin, ""), line("Location: http://", "/elsewhere")))
	all = append(all,
		fault{name: "throttle:1:per=1h", spared: 1, raw: get1, want: both(answers(429), line("Retry-After: ", ""))},
		// It is held until the phase at which dates are sent, up to a second.
		fault{name: "throttle:1:per=1h:says=asctime:status=503", spared: 1, clients: 4 * fidelityClients, raw: get1, want: both(answers(503), line("Retry-After: ", " 20"))},
		fault{name: "capacity:1", spared: 1, raw: get1, want: either(whole(200, okBody, fin), answers(503))},
		fault{name: "outage", raw: get1, want: answers(503)},
		fault{name: "flap:down=100000:up=1", spared: 1, raw: get1, want: answers(503)},
		fault{name: "ramp:1:from=1:to=1", raw: get1, want: answers(503)},
		fault{name: "pass", pass: true, raw: get1, want: whole(503, "", fin)},
	)
	return append(append(all, connectionFaults()...), tlsFaults()...)
}

func malformedFaults() []fault {
	whole1000 := string(cutContent)
	var all []fault
	add := func(what string, want ...func(seen) error) {
		all = append(all, fault{name: "malformed:" + what, raw: get1, want: both(append(want, ends(fin))...)})
	}
	add("bad-chunk-size", lacks(`^[0-9a-fA-F]+\r\n`))
	add("bad-crlf", lacks(`(?s)^3e8\r\n.{1000}\r\n`))
	add("two-lengths", twice("Content-Length: "), is("200 OK", fin, whole1000))
	add("two-lengths-first", twice("Content-Length: "), is("200 OK", fin, whole1000))
	add("length-and-chunked", line("Content-Length: ", ""), line("Transfer-Encoding: chunked", ""))
	add("oversized-head:head=64KiB", longHead)
	add("bad-status-line", badStatus)
	add("wrong-digest", line("Content-Digest: ", ""), whole(200, whole1000, fin))
	add("broken-gzip", brokenGzip)
	return all
}

func connectionFaults() []fault {
	var all []fault
	add := func(name string, r raw, want func(seen) error) {
		all = append(all, fault{name: name, connection: true, raw: r, want: want})
	}
	add("reset@accept", get1, nothing(rst))
	add("close@accept", get1, nothing(fin))
	add("stall@accept", impatient, nothing(silence))
	add("accept-hang", impatient, nothing(silence))
	add("refuse", get1, nothing(refused))
	add("connect-hang", raw{method: "GET", connects: patience}, nothing(hanging))
	return all
}

func tlsFaults() []fault {
	// TLS 1.2 shows whether the last record is close_notify.
	trusting := &tls.Config{MinVersion: tls.VersionTLS12, MaxVersion: tls.VersionTLS12, ServerName: "127.0.0.1", RootCAs: ourPool()} //nolint:gosec // as said
	secured := raw{method: "GET", tls: trusting}
	hasty := raw{method: "GET", tls: trusting, patience: patience}
	rejected := func(is func(error) bool) func(seen) error {
		return func(s seen) error {
			if !is(s.err) {
				return fmt.Errorf("the client says %w", s.err)
			}
			return nil
		}
	}
	invalid := func(reason x509.InvalidReason) func(error) bool {
		return func(err error) bool {
			var bad x509.CertificateInvalidError
			return errors.As(err, &bad) && bad.Reason == reason
		}
	}
	all := []fault{
		{name: "reset@tls-handshake", raw: secured, want: nothing(rst)},
		{name: "close@tls-handshake", raw: secured, want: nothing(fin)},
		{name: "stall@tls-handshake", raw: hasty, want: nothing(silence)},
		{name: "tls:expired", raw: secured, want: rejected(invalid(x509.Expired))},
		{name: "tls:wrong-host", raw: secured, want: rejected(func(err error) bool { return errors.As(err, new(x509.HostnameError)) })},
		{name: "tls:untrusted", raw: secured, want: rejected(func(err error) bool { return errors.As(err, new(x509.UnknownAuthorityError)) })},
		{name: "tls:alert", raw: secured, want: rejected(func(err error) bool {
			return errors.As(err, new(tls.AlertError)) || strings.Contains(err.Error(), "handshake failure")
		})},
	}
	for i := range all {
		all[i].connection, all[i].tls = true, true
	}
	// The first shows that the raw client can tell the second from it.
	return append(all,
		fault{name: "204", tls: true, raw: secured, want: is("204 No Content", fin, "")},
		fault{name: "tls:no-close-notify", tls: true, raw: secured, want: is("200 OK", unclosed, okBody)},
	)
}

// ourPool trusts the authority of our TLS listeners.
func ourPool() *x509.CertPool {
	authority, err := faultserver.SharedAuthority()
	if err != nil {
		return nil // opening the session says why
	}
	return authority.Pool()
}

// brokenGzip wants a gzip body whose checksum alone is wrong.
func brokenGzip(s seen) error {
	_, body := s.parts()
	r, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is no gzip: %w", err)
	}
	content, err := io.ReadAll(r)
	if !errors.Is(err, gzip.ErrChecksum) || !bytes.Equal(content, cutContent) {
		return fmt.Errorf("%d bytes and the error %w; expected 1000 and a wrong checksum", len(content), err)
	}
	return nil
}
