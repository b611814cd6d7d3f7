package resilient

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// idempotentMethods may be repeated by definition (RFC 9110 §9.2.2): a key
// would tell the server nothing.
var idempotentMethods = []string{
	"", http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace, http.MethodPut, http.MethodDelete,
}

// WithIdempotencyKey gives each call of a method that is not idempotent, such
// as POST or PATCH, an Idempotency-Key header of its own, the same on every
// attempt; the call may then be sent twice. A key that the caller set is
// kept. Use it only for servers that honor the header: to others a key is
// noise, and a repeated POST a second order.
//
// The function returns a new identifier for each call, which is sent as a
// quoted string. Nil stands for random UUIDs.
func WithIdempotencyKey(newID func() string) Option {
	return optionFunc(func(p *policy) error {
		if newID == nil {
			newID = newUUID
		}
		p.newKey = newID
		return nil
	})
}

// WithAttemptHeader sends the number of each attempt, 1 the first time, in a
// header of this name. The default, an empty name, sends none.
func WithAttemptHeader(name string) Option {
	return optionFunc(func(p *policy) error {
		if name != "" && !validToken(name) {
			return fmt.Errorf("WithAttemptHeader(%q): this is not the name of a header; use a token such as X-Attempt", name)
		}
		p.attemptHeader = name
		return nil
	})
}

// withKey returns the request with a generated key, where it takes one.
func (p *policy) withKey(req *http.Request) (*http.Request, error) {
	if p.newKey == nil || req.Header == nil || req.Header.Get(idempotencyKey) != "" ||
		slices.Contains(idempotentMethods, req.Method) {
		return req, nil
	}
	key, err := quotedString(p.newKey())
	if err != nil {
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set(idempotencyKey, key)
	return req, nil
}

// withNumber returns the request of an attempt with the attempt's number.
func (p *policy) withNumber(req *http.Request, attempt int) *http.Request {
	if p.attemptHeader == "" || req.Header == nil {
		return req
	}
	req = req.Clone(req.Context())
	req.Header.Set(p.attemptHeader, strconv.Itoa(attempt))
	return req
}

// quotedString is the String of a structured field (RFC 9651 §4.1.6): printable
// ASCII in quotes.
func quotedString(text string) (string, error) {
	if text == "" {
		return "", errors.New("the generated Idempotency-Key is empty; WithIdempotencyKey's function must return an identifier")
	}
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return "", fmt.Errorf("the generated Idempotency-Key %q has a character that a header cannot carry; use printable ASCII", text)
		}
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`, nil
}

// newUUID is a random UUID (RFC 9562 §5.4).
func newUUID() string {
	var id [16]byte
	_, _ = rand.Read(id[:]) // it never fails: crypto/rand ends the process instead
	id[6] = id[6]&0x0f | 0x40
	id[8] = id[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}
