package resilient

import (
	"errors"
	"net/url"
	"strings"
)

// joinErrors is nil for none, the error itself for one, and one error over
// several.
func joinErrors(errs []error) error {
	switch len(errs) {
	case 0:
		return nil
	case 1:
		return errs[0]
	}
	return attemptErrors(errs)
}

// attemptErrors are the errors of several attempts, in order.
type attemptErrors []error

func (e attemptErrors) Error() string {
	texts := make([]string, len(e))
	for i, err := range e {
		texts[i] = err.Error()
	}
	return strings.Join(texts, ", ")
}

// Unwrap reaches every attempt's error.
func (e attemptErrors) Unwrap() []error { return e }

// buildError is a request that could not be built.
type buildError struct {
	method, url string
	cause       error
}

func (e *buildError) Error() string {
	return e.method + " " + withoutPassword(e.url) + ": the request cannot be built: " + e.reason()
}

// reason is the cause's text where it cannot repeat a password. A URL that
// was not understood is quoted by net/url, in whole and in parts.
func (e *buildError) reason() string {
	var parsing *url.Error
	if !errors.As(e.cause, &parsing) {
		return e.cause.Error()
	}
	if strings.Contains(e.url, "@") {
		return "the URL is not valid (its details are left out, since it may hold a password)"
	}
	return parsing.Err.Error()
}

func (e *buildError) Unwrap() error { return e.cause }

// withoutPassword redacts the text of a URL that need not be one: from the
// scheme's end to the last "@" anything may be a password.
func withoutPassword(text string) string {
	at := strings.LastIndex(text, "@")
	if at < 0 {
		return text
	}
	scheme := ""
	if start := strings.Index(text[:at], "//"); start >= 0 {
		scheme = text[:start+2]
	}
	return scheme + "xxxxx" + text[at:]
}
