package control

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"strings"
)

// A guard refuses requests before any handler sees them: those for another Host,
// as a page has it whose name was pointed here (DNS rebinding), and writes that
// come from another site's page. No answer allows another origin to read it.
type guard struct {
	next  http.Handler
	hosts []string
	cross *http.CrossOriginProtection
}

// LeastToken is how long a token must be, in bytes.
const LeastToken = 16

func newGuard(next http.Handler, names []string) *guard {
	hosts := []string{"localhost", "127.0.0.1", "::1"}
	for _, name := range names {
		hosts = append(hosts, strings.ToLower(name))
	}
	return &guard{next: next, hosts: hosts, cross: http.NewCrossOriginProtection()}
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Cache-Control", "no-store")
	if host := hostname(r.Host); !slices.Contains(g.hosts, host) && host != localAddress(r) {
		misdirected.problem("Host %q: expected one of %s, or the address that is listened on; a name of your own is allowed at the server's start", clip(r.Host), strings.Join(g.hosts, ", ")).write(w)
		return
	}
	if err := g.cross.Check(r); err != nil {
		crossSite.problem("%v: a write comes from a program, not from a page of another site", err).write(w)
		return
	}
	g.next.ServeHTTP(w, r)
}

// localAddress is the address that a request came to. No name can be pointed to it
// that is equal to it.
func localAddress(r *http.Request) string {
	tcp, is := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !is {
		return ""
	}
	return tcp.IP.String()
}

// hostname is a Host header without its port, in lower case.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// reads tells a request that changes nothing.
func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// guardToken refuses a request without the token, where one is asked for. What
// only reads may have it as the password of a user with any name, as a browser
// sends it that shows the page: a browser sends that again by itself, and so it
// is not enough to change anything. Hashes are compared, in constant time, so
// that neither the token's length nor how much of it was right can be measured.
func (s *Server) guardToken(one route, r *http.Request) *problem {
	if s.token == nil || one.open {
		return nil
	}
	given, bearer := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if _, password, basic := r.BasicAuth(); basic && reads(r) {
		given, bearer = password, true
	}
	hash := sha256.Sum256([]byte(given))
	if !bearer || subtle.ConstantTimeCompare(hash[:], s.token) != 1 {
		return unauthorized.problem("expected the header Authorization: Bearer TOKEN, with the token that the server was started with")
	}
	return nil
}

// checkAccess says why the API may not be served on an address with a token.
func checkAccess(address net.Addr, token string) error {
	if token != "" && len(token) < LeastToken {
		return fmt.Errorf("the token has %d bytes; expected at least %d, such as 32 random hexadecimal digits", len(token), LeastToken)
	}
	tcp, is := address.(*net.TCPAddr)
	if token == "" && (!is || !tcp.IP.IsLoopback()) {
		return errors.New("other machines can reach this address, and whoever reaches it decides what the server answers: expected a token, or a loopback address such as 127.0.0.1:8504")
	}
	return nil
}
