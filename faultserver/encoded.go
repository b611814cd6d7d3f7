package faultserver

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
)

// mostGzip bounds a body that is compressed, which is done in memory.
const mostGzip = 16 << 20

// Challenge is a scheme by which a server asks for credentials.
type Challenge string

// The challenges.
const (
	BasicChallenge  Challenge = "basic"
	BearerChallenge Challenge = "bearer"
	DigestChallenge Challenge = "digest"
)

// header is the value of WWW-Authenticate (RFC 7617, RFC 6750 and RFC 7616, section
// 3 of each).
func (c Challenge) header() string {
	scheme := strings.ToUpper(string(c[:1])) + string(c[1:])
	if c == DigestChallenge {
		return scheme + ` realm="faultsrv", qop="auth", algorithm=SHA-256, nonce="ZmF1bHRzcnY"`
	}
	return scheme + ` realm="faultsrv"`
}

// Encoded is the answer as it goes over the wire, with everything that it asks for
// said in its headers and body: with Gzip, its body is the compressed one. One that is
// too long for that, which no script may have, stays as it is.
func (a Answer) Encoded() Answer {
	add := func(name, value string) {
		a.Headers = append(a.Headers[:len(a.Headers):len(a.Headers)], Header{name, value})
	}
	if a.Challenge != "" {
		add("WWW-Authenticate", a.Challenge.header())
	}
	if a.Cookie != "" {
		add("Set-Cookie", a.Cookie)
	}
	if a.Gzip && a.Body.Len() <= mostGzip {
		a.Body = Body{Text: string(gzipped(a.Body.Bytes()))}
		add("Content-Encoding", "gzip")
	}
	a.Challenge, a.Cookie, a.Gzip = "", "", false
	return a
}

// gzipped is content compressed, the same each time.
func gzipped(content []byte) []byte {
	var to bytes.Buffer
	w := gzip.NewWriter(&to)
	_, _ = w.Write(content) // a buffer takes everything
	_ = w.Close()
	return to.Bytes()
}

// encodingProblems are what is wrong with what Encoded does.
func (a Answer) encodingProblems() []error {
	var problems []error
	switch a.Challenge {
	case "", BasicChallenge, BearerChallenge, DigestChallenge:
	default:
		problems = append(problems, fmt.Errorf("challenge: %q; want basic, bearer or digest", string(a.Challenge)))
	}
	if name, _, _ := strings.Cut(a.Cookie, "="); a.Cookie != "" && (!isToken(name) || name == a.Cookie || strings.ContainsFunc(a.Cookie, isControl)) {
		problems = append(problems, fmt.Errorf("cookie: %q; want name=value, such as session=1", a.Cookie))
	}
	if !a.Gzip {
		return problems
	}
	if a.Body.Len() > mostGzip {
		problems = append(problems, fmt.Errorf("gzip: a body of %d bytes; want at most %s", a.Body.Len(), Size(mostGzip)))
	}
	if bodyless(a.statusOr(200)) {
		problems = append(problems, fmt.Errorf("gzip: status %d has no body to compress", a.Status))
	}
	for _, name := range []string{"Content-Encoding", "Content-Length"} {
		if a.Headers.Values(name) != nil {
			problems = append(problems, fmt.Errorf("gzip: %s is the engine's to add; leave it out", name))
		}
	}
	return problems
}
