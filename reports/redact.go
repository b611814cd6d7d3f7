package reports

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/faultsrv/faultsrv/faultserver"
)

// SecretHeaders are the header fields whose values no report shows.
var SecretHeaders = []string{"Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie"}

// Secrets says what is secret beside SecretHeaders and the user part of URLs.
// Names are compared without regard to case.
type Secrets struct {
	// Headers are names of header fields.
	Headers []string
	// Query are names of query parameters. There is no default: which parameter
	// is a secret only its owner knows.
	Query []string
}

// A Redactor replaces secrets by a keyed hash, so that equal ones can be told
// to be equal and nothing else can. The key is random, one a redactor, and
// never leaves it: hashes of different runs cannot be compared.
//
// It remembers the secrets that it was shown and hides them wherever they turn
// up again, such as in an error message that quotes a header. Use one for a
// whole run. It may be used by several goroutines.
type Redactor struct {
	key     []byte
	names   []string        // of secret headers
	headers map[string]bool // the same, in lower case
	inText  *regexp.Regexp  // a secret header line inside a text
	query   *regexp.Regexp  // a secret query parameter; nil where none is configured

	mu       sync.Mutex
	known    map[string]string // a secret, in each form it may be written in, to its hash
	replacer *strings.Replacer // over known; nil after it has changed
}

// NewRedactor makes a redactor with a key of its own.
func NewRedactor(secrets Secrets) *Redactor {
	key := make([]byte, sha256.Size)
	_, _ = rand.Read(key) // it cannot fail: the runtime ends the process first
	return newRedactor(key, secrets)
}

func newRedactor(key []byte, secrets Secrets) *Redactor {
	r := &Redactor{key: key, headers: map[string]bool{}, known: map[string]string{}}
	var names []string
	for _, name := range slices.Concat(SecretHeaders, secrets.Headers) {
		r.headers[strings.ToLower(name)] = true
		names = append(names, regexp.QuoteMeta(name))
	}
	r.names = slices.Concat(SecretHeaders, secrets.Headers)
	// A name after a dot, as in "header.Cookie: …", is a check's word for it and
	// not a header line.
	r.inText = regexp.MustCompile(`(?i)(^|[^.\w-])(` + strings.Join(names, "|") + `)(\s*:\s*)([^\r\n"']+)`)
	if len(secrets.Query) > 0 {
		var parameters []string
		for _, name := range secrets.Query {
			parameters = append(parameters, regexp.QuoteMeta(name))
		}
		r.query = regexp.MustCompile(`(?i)([?&;])(` + strings.Join(parameters, "|") + `)(=)([^&;#\s"'<>]+)`)
	}
	return r
}

// hashBytes is how much of a hash is shown: 64 bits tell the few secrets of a
// run apart and still fit on a line.
const hashBytes = 8

const hashPrefix = "hmac-sha256:"

var isHash = regexp.MustCompile(`^` + hashPrefix + `[0-9a-f]{16}$`)

// Hash is what stands for a secret. Of a hash it is the hash itself, so that
// redacting twice changes nothing.
func (r *Redactor) Hash(secret string) string {
	if isHash.MatchString(secret) {
		return secret
	}
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(secret))
	return hashPrefix + hex.EncodeToString(mac.Sum(nil)[:hashBytes])
}

// Headers returns the lines with the values of secret ones hashed, and
// remembers these values. Nil stays nil.
func (r *Redactor) Headers(headers faultserver.Headers) faultserver.Headers {
	r.Learn(headers)
	redacted := slices.Clone(headers)
	for i, line := range redacted {
		if r.headers[strings.ToLower(line.Name)] {
			redacted[i].Value = r.Hash(line.Value)
		}
	}
	return redacted
}

// Learn remembers the values of secret header lines: each whole, and the parts
// that may be quoted alone (the credentials after the scheme, what Basic ones
// decode to, the values of cookies).
func (r *Redactor) Learn(headers faultserver.Headers) {
	for _, line := range headers {
		name := strings.ToLower(line.Name)
		if !r.headers[name] {
			continue
		}
		r.remember(line.Value)
		switch name {
		case "authorization", "proxy-authorization":
			r.learnCredentials(line.Value)
		case "cookie", "set-cookie":
			for pair := range strings.SplitSeq(line.Value, ";") {
				_, value, _ := strings.Cut(pair, "=")
				r.remember(strings.TrimSpace(value))
				if name == "set-cookie" {
					break // what follows are attributes, such as Path=/
				}
			}
		}
	}
}

func (r *Redactor) learnCredentials(value string) {
	scheme, credentials, _ := strings.Cut(value, " ")
	credentials = strings.TrimSpace(credentials)
	r.remember(credentials)
	if !strings.EqualFold(scheme, "basic") {
		return
	}
	if decoded, err := base64.StdEncoding.DecodeString(credentials); err == nil {
		r.remember(string(decoded))
		_, password, _ := strings.Cut(string(decoded), ":")
		r.remember(password)
	}
}

// shortestKnown is the length below which a remembered secret is not looked
// for in texts: "503" or "test" stands there for other reasons. Header lines,
// user parts and query parameters are hashed whatever their length.
const shortestKnown = 6

// mostKnown is how many forms of secrets are remembered; with one more, all are
// forgotten, so that a client that makes up a secret for each request does not
// fill the memory of a server that redacts for days. A text that quotes what was
// forgotten shows it only where neither a header's name nor a URL stands before it.
const mostKnown = 4_000

func (r *Redactor) remember(secret string) {
	if len(secret) < shortestKnown || strings.Contains(hashPrefix, secret) || isHash.MatchString(secret) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.known[secret]; ok {
		return
	}
	if len(r.known) >= mostKnown {
		clear(r.known)
	}
	quoted := strconv.Quote(secret)
	for _, form := range []string{secret, quoted[1 : len(quoted)-1], url.QueryEscape(secret), url.PathEscape(secret)} {
		r.known[form] = r.Hash(secret)
	}
	r.replacer = nil
}

// userPart is the user part of a URL; a password may itself hold an "@".
var userPart = regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)([^/?#\s"<>]+)@`)

// Text hides in a text what was remembered, secret header lines, the user
// parts of URLs, and the secret query parameters. It is idempotent.
func (r *Redactor) Text(text string) string {
	if text == "" {
		return ""
	}
	text = r.hideKnown(text)
	// A look whether there can be something is far cheaper than a pattern: a text
	// of 80 bytes took 5 µs, and a server shows a line for each attempt.
	if r.namesSecret(text) {
		text = r.hideGroup(r.inText, text, 4)
	}
	if strings.Contains(text, "://") {
		text = r.hideGroup(userPart, text, 2)
	}
	if r.query != nil {
		text = r.hideGroup(r.query, text, 4)
	}
	return text
}

// namesSecret tells whether the name of a secret header stands before a colon.
func (r *Redactor) namesSecret(text string) bool {
	for i := range len(text) {
		if text[i] != ':' {
			continue
		}
		before := strings.TrimRight(text[:i], "\t\n\f\r ")
		for _, name := range r.names {
			if from := len(before) - len(name); from >= 0 && strings.EqualFold(before[from:], name) {
				return true
			}
		}
	}
	return false
}

func (r *Redactor) hideKnown(text string) string {
	r.mu.Lock()
	if r.replacer == nil {
		r.replacer = longestFirst(r.known)
	}
	replacer := r.replacer
	r.mu.Unlock()
	return replacer.Replace(text)
}

// hideGroup hashes the group of each match and keeps the rest of it.
func (r *Redactor) hideGroup(pattern *regexp.Regexp, text string, group int) string {
	matches := pattern.FindAllStringSubmatchIndex(text, -1)
	if matches == nil {
		return text
	}
	var out strings.Builder
	last := 0
	for _, match := range matches {
		from, until := match[2*group], match[2*group+1]
		out.WriteString(text[last:from])
		out.WriteString(r.Hash(text[from:until]))
		last = until
	}
	out.WriteString(text[last:])
	return out.String()
}
