package resilient

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/http"
	"strings"
)

// Decision is a classifier's answer: what one attempt's result means.
type Decision int

const (
	// Stop accepts the result: the response or the error is the call's.
	Stop Decision = iota
	// Retry asks for another attempt, of a request that may be sent twice.
	Retry
	// RetryUnprocessed asks for another attempt of any request, since the
	// server certainly did not act on this one.
	RetryUnprocessed
)

// String names the decision.
func (d Decision) String() string {
	switch d {
	case Stop:
		return "stop"
	case Retry:
		return "retry"
	case RetryUnprocessed:
		return "retry-unprocessed"
	}
	return "unknown"
}

// Classifier judges one attempt. Exactly one of resp and err is set; ordinary
// is what the Transport decides without a classifier, so that a rule for one
// case returns it for the others. It must neither read nor close the
// response's body, and must be safe for concurrent use. The end of the
// caller's context is not put to it: that always ends the call.
type Classifier func(resp *http.Response, err error, ordinary Decision) Decision

// classifyError is the ordinary decision on a transport error.
func classifyError(req *http.Request, err error) Decision {
	switch {
	case errors.Is(err, ErrCircuitOpen), invalidRequest(req), permanent(err):
		return Stop
	case neverSent(err):
		return RetryUnprocessed
	}
	return Retry
}

// neverSent reports whether the error proves that no byte of the request
// left: the connection could not be made, or the server refused the stream
// (RFC 9113 §8.7). Any method may then be sent again (RFC 9110 §9.2.2).
func neverSent(err error) bool {
	var op *net.OpError
	if errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect") {
		return true
	}
	return refusedStream(err)
}

// refusedStream reports an HTTP/2 RST_STREAM with the code REFUSED_STREAM.
// net/http keeps its error type to itself, but fills a struct of this shape
// through errors.As.
func refusedStream(err error) bool {
	const codeRefusedStream = 7 // RFC 9113 §7
	var stream h2StreamError
	return errors.As(err, &stream) && stream.Code == codeRefusedStream
}

type h2StreamError struct {
	StreamID uint32
	Code     h2ErrorCode
	Cause    error
}

type h2ErrorCode uint32

func (h2StreamError) Error() string { return "HTTP/2 stream error" }

// permanent reports whether another attempt would fail the same way.
func permanent(err error) bool {
	return certificateFailure(err) || nameDoesNotExist(err) ||
		errors.Is(err, http.ErrSchemeMismatch) || localFault(err)
}

// nameDoesNotExist tells an authoritative "no such name" from a resolver that
// is in trouble, which may recover.
func nameDoesNotExist(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound && !dns.IsTemporary && !dns.IsTimeout
}

// certificateFailure reports whether either side rejected the other's
// certificate, or TLS cannot be agreed on at all.
func certificateFailure(err error) bool {
	var (
		verification *tls.CertificateVerificationError
		record       tls.RecordHeaderError
		authority    x509.UnknownAuthorityError
		hostname     x509.HostnameError
		invalid      x509.CertificateInvalidError
		constraint   x509.ConstraintViolationError
		roots        x509.SystemRootsError
		critical     x509.UnhandledCriticalExtension
		algorithm    x509.InsecureAlgorithmError
	)
	return errors.As(err, &verification) || errors.As(err, &record) || errors.As(err, &authority) ||
		errors.As(err, &hostname) || errors.As(err, &invalid) || errors.As(err, &constraint) ||
		errors.As(err, &roots) || errors.As(err, &critical) || errors.As(err, &algorithm) ||
		rejectedByPeer(err)
}

// rejectionAlerts are the TLS alerts (RFC 8446 §6.2) by which a peer says
// that this client will never be let in as it is.
var rejectionAlerts = []tls.AlertError{
	40,  // handshake_failure
	42,  // bad_certificate
	43,  // unsupported_certificate
	44,  // certificate_revoked
	45,  // certificate_expired
	46,  // certificate_unknown
	48,  // unknown_ca
	49,  // access_denied
	70,  // protocol_version
	71,  // insufficient_security
	112, // unrecognized_name
	116, // certificate_required
	120, // no_application_protocol
}

// rejectedByPeer recognizes an alert by its text: over TCP, crypto/tls wraps
// an unexported type with the same texts as AlertError.
func rejectedByPeer(err error) bool {
	var op *net.OpError
	if !errors.As(err, &op) || op.Op != "remote error" || op.Err == nil {
		return false
	}
	for _, alert := range rejectionAlerts {
		if op.Err.Error() == alert.Error() {
			return true
		}
	}
	return false
}

// localFaults begin the errors without a type by which net/http rejects a
// request whose fault is its own, before or while it sends it.
var localFaults = []string{
	"unsupported protocol scheme",
	"http: ContentLength=",
}

func localFault(err error) bool {
	text := err.Error()
	for _, fault := range localFaults {
		if strings.Contains(text, fault) {
			return true
		}
	}
	return false
}

// invalidRequest reports an argument error: a request that net/http refuses
// to send at all.
func invalidRequest(req *http.Request) bool {
	if req.URL == nil || req.Header == nil || req.URL.Host == "" || !validMethod(req.Method) {
		return true
	}
	for name, values := range req.Header {
		if !validToken(name) {
			return true
		}
		for _, value := range values {
			if !validFieldValue(value) {
				return true
			}
		}
	}
	return false
}

func validMethod(method string) bool {
	return method == "" || validToken(method) // net/http sends "" as GET
}

// validToken is RFC 9110 §5.6.2.
func validToken(text string) bool {
	for i := range len(text) {
		c := text[i]
		alphanumeric := '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !alphanumeric && strings.IndexByte("!#$%&'*+-.^_`|~", c) < 0 {
			return false
		}
	}
	return text != ""
}

// validFieldValue refuses what net/http refuses: control characters other
// than a tab.
func validFieldValue(value string) bool {
	for i := range len(value) {
		if c := value[i]; c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
