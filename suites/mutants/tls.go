package mutants

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	"github.com/faultsrv/faultsrv/scenarios"
)

var tlsMutants = []Mutant{
	{
		Name:   "trusts-everybody",
		Defect: "takes every certificate",
		Breaks: []string{
			"tls.an-untrusted-server-gets-no-request", "tls.a-server-of-another-name-gets-no-request",
			"tls.a-server-with-an-expired-certificate-gets-no-request",
		},
		wire: verifying(func(*x509.VerifyOptions) {}, func(error) error { return nil }),
	},
	{
		Name:   "looks-at-no-names",
		Defect: "takes a trusted certificate whatever host it is of",
		Breaks: []string{"tls.a-server-of-another-name-gets-no-request"},
		wire:   verifying(func(how *x509.VerifyOptions) { how.DNSName = "" }, sameError),
	},
	{
		Name:   "looks-at-no-dates",
		Defect: "takes a trusted certificate that has expired",
		Breaks: []string{"tls.a-server-with-an-expired-certificate-gets-no-request"},
		wire: verifying(func(how *x509.VerifyOptions) {
			how.CurrentTime = time.Now().Add(-48 * time.Hour) // it expired yesterday
		}, sameError),
	},
	{
		Name:   "retries-a-bad-certificate",
		Defect: "retries every error, a certificate that is not trusted included",
		Breaks: []string{"tls.an-untrusted-certificate-is-final"},
		options: func(scenarios.Policy) []resilient.Option {
			return []resilient.Option{resilient.WithClassifier(
				func(_ *http.Response, err error, ordinary resilient.Decision) resilient.Decision {
					var untrusted *tls.CertificateVerificationError
					if errors.As(err, &untrusted) {
						return resilient.Retry
					}
					return ordinary
				})}
		},
	},
	{
		Name:   "a-handshake-has-all-the-time",
		Defect: "starts the clock of an attempt when the handshake is over",
		Breaks: []string{"tls.a-stalled-handshake-ends-with-the-attempt"},
		wire: func(base *http.Transport) http.RoundTripper {
			base.TLSHandshakeTimeout = 5 * time.Second
			return roundTrip(func(req *http.Request) (*http.Response, error) {
				if req.URL.Scheme == "https" {
					req = req.WithContext(context.WithoutCancel(req.Context()))
				}
				return base.RoundTrip(req)
			})
		},
	},
	{
		Name:   "wants-a-goodbye",
		Defect: "takes an answer over TLS after which the connection ends for cut off, whatever length it declares",
		Breaks: []string{"tls.a-length-is-enough-without-close-notify"},
		inner: onAnswer(func(resp *http.Response) {
			if resp.TLS != nil && resp.Close {
				resp.Body = cutOff{resp.Body}
			}
		}),
	},
}

func sameError(err error) error { return err }

// verifying is a wire that verifies certificates in another way.
func verifying(change func(how *x509.VerifyOptions), forgive func(error) error) func(base *http.Transport) http.RoundTripper {
	return func(base *http.Transport) http.RoundTripper {
		trusted := base.TLSClientConfig.RootCAs
		base.TLSClientConfig.InsecureSkipVerify = true
		base.TLSClientConfig.VerifyConnection = func(state tls.ConnectionState) error {
			how := x509.VerifyOptions{Roots: trusted, DNSName: state.ServerName}
			change(&how)
			_, err := state.PeerCertificates[0].Verify(how)
			if err != nil {
				err = &tls.CertificateVerificationError{UnverifiedCertificates: state.PeerCertificates, Err: err}
			}
			return forgive(err)
		}
		return base
	}
}

// cutOff is a body that takes its end for a cut.
type cutOff struct{ io.ReadCloser }

func (b cutOff) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}
