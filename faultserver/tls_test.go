package faultserver_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// authority is the one that certifies the sessions of this process.
func authority(t testing.TB) *faultserver.Authority {
	t.Helper()
	a, err := faultserver.SharedAuthority()
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// connectTLS connects to a server's URL and shakes hands.
func connectTLS(t testing.TB, url string) (*peer, error) {
	t.Helper()
	address, _, _ := strings.Cut(strings.TrimPrefix(url, "https://"), "/")
	p, err := connect("http://" + address)
	if err != nil {
		return nil, err
	}
	secured := tls.Client(p.Conn, &tls.Config{RootCAs: authority(t).Pool(), ServerName: "127.0.0.1"})
	if err := secured.Handshake(); err != nil {
		_ = p.Close()
		return nil, err
	}
	below := p.Conn
	p.Conn = secured
	p.reader.Reset(secured)
	t.Cleanup(func() { _ = below.Close() })
	return p, nil
}

func dialTLS(t testing.TB, url string) *peer {
	t.Helper()
	p, err := connectTLS(t, url)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// secure starts a session that speaks TLS.
func secure(connections, line string) *faultserver.Session {
	GinkgoHelper()
	config := faultserver.Config{TLS: true}
	if connections != "" {
		config.Connections = script(connections)
	}
	if line != "" {
		config.Script = script(line)
	}
	return serve(config)
}

// A hearing is what a client hears below TLS and above it.
type hearing struct {
	net.Conn
	records bytes.Buffer
	plain   []byte
}

func (h *hearing) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	h.records.Write(p[:n])
	return n, err
}

// lastRecord is the type of the last record.
func (h *hearing) lastRecord() (kind byte) {
	for rest := h.records.Bytes(); len(rest) >= 5; rest = rest[5+(int(rest[3])<<8|int(rest[4])):] {
		kind = rest[0]
	}
	return kind
}

// recorded makes a request in TLS 1.2, whose alerts are seen from outside, and
// hears the connection out.
func recorded(t testing.TB, url, request string) (*hearing, string) {
	t.Helper()
	p := dial(t, strings.Replace(url, "https", "http", 1))
	h := &hearing{Conn: p.Conn}
	secured := tls.Client(h, &tls.Config{RootCAs: authority(t).Pool(), ServerName: "127.0.0.1", MaxVersion: tls.VersionTLS12})
	if _, err := io.WriteString(secured, request); err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(secured)
	h.plain = content
	return h, p.ending(err)
}

// TestStrikesAreExactOverTLS is TestStrikesAreExact with TLS in between.
func TestStrikesAreExactOverTLS(t *testing.T) {
	for line, want := range map[string]struct {
		body int
		end  string
	}{
		"reset@response-body@100KiB": {100 << 10, "rst"},
		"close@response-body@100KiB": {100 << 10, "fin"},
		"truncate@1":                 {1, "fin"},
	} {
		t.Run(line, func(t *testing.T) {
			s := open(t, faultserver.Config{TLS: true, Script: script(line + ":forever")})
			many(t, 200, 4, func(int) error {
				p, err := connectTLS(t, s.URL())
				if err != nil {
					return err
				}
				defer func() { _ = p.Close() }()
				p.say(get("/"))
				body, end := p.hearBody()
				if len(body) != want.body || end != want.end {
					return fmt.Errorf("%d bytes, then %s; want %d, then %s", len(body), end, want.body, want.end)
				}
				return nil
			})
			expectAllMet(t, s.Journal(), 200)
		})
	}
}

// TestCertificateFaultsAreExact has each bad certificate refused for its reason,
// by clients that check it and shown to those that do not.
func TestCertificateFaultsAreExact(t *testing.T) {
	for what, reason := range map[string]func(error) bool{
		"expired": func(err error) bool {
			var bad x509.CertificateInvalidError
			return errors.As(err, &bad) && bad.Reason == x509.Expired
		},
		"wrong-host": func(err error) bool { var bad x509.HostnameError; return errors.As(err, &bad) },
		"untrusted":  func(err error) bool { var bad x509.UnknownAuthorityError; return errors.As(err, &bad) },
	} {
		t.Run(what, func(t *testing.T) {
			s := open(t, faultserver.Config{TLS: true, Connections: script("tls:" + what + ":forever")})
			many(t, 200, 4, func(int) error {
				if _, err := connectTLS(t, s.URL()); err == nil || !reason(err) {
					return fmt.Errorf("the handshake ended with %w", err)
				}
				return nil
			})
			journal := eventually(t, s, "all are over", func(j faultserver.Journal) bool {
				return len(j.Attempts) == 200 && !slices.ContainsFunc(j.Attempts, func(a faultserver.Attempt) bool { return a.Open })
			})
			for _, a := range journal.Attempts {
				if !a.Met || a.Method != "" || !strings.Contains(a.Happened.Detail, "the client ended the handshake") {
					t.Fatalf("attempt %+v", a)
				}
			}
		})
	}
}

var _ = Describe("A session with TLS", func() {
	It("is certified by the authority of the process, and serves as any other", func() {
		s := secure("", "503,200")
		Expect(s.URL()).To(HavePrefix("https://127.0.0.1:"))
		client := &http.Client{Transport: &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: authority(GinkgoTB()).Pool()}}}
		defer client.CloseIdleConnections()
		for _, want := range []int{503, 200} {
			response, err := client.Get(s.URL())
			Expect(err).NotTo(HaveOccurred())
			Expect([]any{response.StatusCode, response.Proto}).To(Equal([]any{want, "HTTP/1.1"}))
			_, err = io.ReadAll(response.Body)
			Expect(err).NotTo(HaveOccurred())
			Expect(response.Body.Close()).To(Succeed())
		}
		journal := s.Journal()
		Expect(journal.Connections).To(HaveLen(1))
		for _, a := range journal.Attempts {
			Expect(a.Met).To(BeTrue())
		}
		Expect(journal.Attempts[0].Acked).To(BeNumerically(">", 0))
	})

	It("is trusted by curl with the authority's PEM, and not without", func() {
		curl, err := exec.LookPath("curl")
		Expect(err).NotTo(HaveOccurred(), "curl is needed for this test: install it")
		file := filepath.Join(GinkgoT().TempDir(), "ca.pem")
		Expect(os.WriteFile(file, authority(GinkgoTB()).PEM(), 0o600)).To(Succeed())
		s := secure("", "succeed")
		out, err := exec.Command(curl, "-sS", "--cacert", file, s.URL()+"/").CombinedOutput()
		Expect(string(out), err).To(Equal("ok\n"))
		Expect(exec.Command(curl, "-sS", s.URL()+"/").Run()).NotTo(Succeed())
		journal := eventually(GinkgoTB(), s, "the refusal is listed", func(j faultserver.Journal) bool { return len(j.Events) == 1 })
		Expect(journal.Events[0].Kind).To(Equal("handshake-failed"))
		Expect(journal.Attempts).To(HaveLen(1))
	})

	It("lists what is not TLS", func() {
		s := secure("", "200:optional")
		p := dial(GinkgoTB(), strings.Replace(s.URL(), "https", "http", 1))
		p.say(get("/"))
		p.hear()
		journal := eventually(GinkgoTB(), s, "it is listed", func(j faultserver.Journal) bool { return len(j.Events) == 1 })
		Expect(journal.Events[0].Kind).To(Equal("handshake-failed"))
		Expect(journal.Attempts).To(BeEmpty())
	})

	It("ends connections with close_notify, and without where it is told", func() {
		s := secure("", "200:framing=close:body=10,tls:no-close-notify:body=10")
		// The last record is an alert, or it is the answer's.
		const alert, data = 21, 23
		var last []byte
		for range 2 {
			heard, end := recorded(GinkgoTB(), s.URL(), get("/"))
			Expect(string(heard.plain)).To(HaveSuffix("\r\n\r\n" + string(faultserver.Body{Size: 10}.Bytes())))
			Expect(end).To(Equal("fin"))
			last = append(last, heard.lastRecord())
		}
		Expect(last).To(Equal([]byte{alert, data}))
		a := over(s, 2)[1]
		Expect([]any{a.Met, a.Happened.Kind, a.Happened.End, a.Happened.Body}).To(Equal([]any{true, "tls", "fin", int64(10)}))
	})

	It("goes on with a client that does not mind a certificate", func() {
		s := secure("tls:untrusted", "201")
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
		defer client.CloseIdleConnections()
		response, err := client.Get(s.URL())
		Expect(err).NotTo(HaveOccurred())
		Expect(response.StatusCode).To(Equal(201))
		attempts := over(s, 2)
		Expect(attempts[0].Happened.Detail).To(Equal("the client completed the handshake"))
		Expect(attempts[1].Number).To(Equal(2))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("sends the alert that it is told to", func() {
		s := secure("tls:alert,tls:alert:alert=80", "")
		for _, why := range []string{"handshake failure", "internal error"} {
			_, err := connectTLS(GinkgoTB(), s.URL())
			Expect(err).To(MatchError(ContainSubstring(why)))
		}
		for _, a := range over(s, 2) {
			Expect([]any{a.Met, a.Happened.At, a.Happened.End}).To(Equal([]any{true, "tls-handshake", "fin"}))
		}
	})

	It("strikes in the handshake", func() {
		s := secure("reset,close,stall@tls-handshake:60ms,pass", "200")
		_, err := connectTLS(GinkgoTB(), s.URL())
		Expect(err).To(MatchError(ContainSubstring("reset")))
		_, err = connectTLS(GinkgoTB(), s.URL())
		Expect(errors.Is(err, io.EOF)).To(BeTrue(), "%v", err)
		begun := time.Now()
		_, err = connectTLS(GinkgoTB(), s.URL())
		Expect(errors.Is(err, io.EOF)).To(BeTrue(), "%v", err)
		Expect(time.Since(begun)).To(BeNumerically(">=", 60*time.Millisecond))
		Expect(dialTLS(GinkgoTB(), s.URL()).ask("/")).To(Equal(200))
		journal := s.Journal()
		Expect(steps(journal)).To(Equal([]string{"reset@tls-handshake", "close@tls-handshake", "stall@tls-handshake:60ms", "200"}))
		Expect(journal.Unmet).To(BeEmpty())
	})

	It("sees a client leave a handshake that stalls", func() {
		s := secure("stall", "")
		address := strings.TrimPrefix(s.URL(), "https://")
		_, err := tls.DialWithDialer(&net.Dialer{Timeout: 80 * time.Millisecond}, "tcp", address, &tls.Config{RootCAs: authority(GinkgoTB()).Pool()})
		var silence net.Error
		Expect(errors.As(err, &silence) && silence.Timeout()).To(BeTrue(), "the client heard something: %v", err)
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind, a.Happened.At}).To(Equal([]any{true, "stall", "tls-handshake"}))
		Expect(a.Client.How).NotTo(BeEmpty())
	})

	It("takes no entry for a connection that says nothing, unless it strikes at accept", func() {
		s := secure("close@accept,tls:alert", "200")
		_, end := dial(GinkgoTB(), strings.Replace(s.URL(), "https", "http", 1)).hear()
		Expect(end).To(Equal("fin"))
		Expect(dial(GinkgoTB(), strings.Replace(s.URL(), "https", "http", 1)).Close()).To(Succeed())
		_, err := connectTLS(GinkgoTB(), s.URL())
		Expect(err).To(MatchError(ContainSubstring("handshake failure")))
		Expect(dialTLS(GinkgoTB(), s.URL()).ask("/")).To(Equal(200))
	})

	It("is closed with what hangs in a handshake", func() {
		s := secure("stall", "")
		dial(GinkgoTB(), strings.Replace(s.URL(), "https", "http", 1))
		go func() { _, _ = connectTLS(GinkgoTB(), s.URL()) }()
		eventually(GinkgoTB(), s, "it stalls", func(j faultserver.Journal) bool { return len(j.Attempts) == 1 && j.Attempts[0].Met })
		Expect(s.Close()).To(Succeed())
	})

	DescribeTable("refuses what makes no sense",
		func(tls bool, connections, line, why string) {
			config := faultserver.Config{TLS: tls, Script: script(line)}
			if connections != "" {
				config.Connections = script(connections)
			}
			Expect(config.Validate()).To(MatchError(ContainSubstring(why)))
		},
		Entry("a TLS fault on a plain listener", false, "tls:expired", "200", "a TLS fault on a plain listener"),
		Entry("a handshake on a plain listener", false, "reset@tls-handshake", "200", "a TLS fault on a plain listener"),
		Entry("a missing close_notify on a plain listener", false, "", "tls:no-close-notify", "a TLS fault on a plain listener"),
		Entry("a certificate in the script", true, "", "tls:expired", "belongs in connections"),
		Entry("an answer's end in connections", true, "tls:no-close-notify", "200", "belongs in the script"),
		Entry("no fault", true, "tls", "200", "want one of"),
		Entry("a certificate before the hello", true, "tls@accept:expired", "200", "has not said hello"),
		Entry("a delayed certificate", true, "tls:expired:delay=1s", "200", "comes with the server's hello"),
		Entry("an alert of another fault", true, "tls:expired:alert=3", "200", "only what: alert"),
		Entry("a window after a handshake", true, "tls:expired,refuse:1s", "200", "put the window first"),
	)
})

var _ = Describe("A host with TLS", func() {
	It("is certified as whatever its clients call it, by one authority", func() {
		host, err := faultserver.Listen("127.0.0.1:0", faultserver.Secured(authority(GinkgoTB())))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
		for _, name := range []string{"127.0.0.1", "localhost", "faultsrv-0.faultsrv", "api.example", "faultsrv-0.faultsrv"} {
			conn, err := tls.Dial("tcp", host.Address(), &tls.Config{RootCAs: authority(GinkgoTB()).Pool(), ServerName: name})
			Expect(err).NotTo(HaveOccurred(), name)
			Expect(conn.Close()).To(Succeed())
		}
		_, err = tls.Dial("tcp", host.Address(), &tls.Config{ServerName: "api.example"})
		Expect(err).To(MatchError(ContainSubstring("unknown authority")))
	})

	It("has every fault for every name", func() {
		faults := "tls:expired,tls:wrong-host,tls:untrusted"
		s, err := faultserver.Open(faultserver.Config{TLS: true, Connections: script(faults), Script: script("200")})
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(s.Close)
		for _, why := range []string{"expired", "elsewhere.invalid", "unknown authority"} {
			_, err := tls.Dial("tcp", strings.TrimPrefix(s.URL(), "https://"), &tls.Config{RootCAs: authority(GinkgoTB()).Pool(), ServerName: "api.example"})
			Expect(err).To(MatchError(ContainSubstring(why)))
		}
	})

	It("serves its sessions by their paths", func() {
		host, err := faultserver.Listen("127.0.0.1:0", faultserver.Secured(authority(GinkgoTB())))
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
		s, err := host.Open("a", faultserver.Config{Script: script("tls:no-close-notify")})
		Expect(err).NotTo(HaveOccurred())
		Expect(s.URL()).To(HavePrefix("https://127.0.0.1:"))
		heard, _ := recorded(GinkgoTB(), s.URL(), get("/s/a/"))
		Expect(string(heard.plain)).To(HaveSuffix("ok\n"))
		Expect(heard.lastRecord()).To(Equal(byte(23)))
	})
})
