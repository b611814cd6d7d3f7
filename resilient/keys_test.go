package resilient_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestGeneratedIdempotencyKey(t *testing.T) {
	const uuidString = `^"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$`

	rule(t, "K1, K3, K4: every attempt of one call carries the same key, a quoted UUID", func(t *testing.T, g Gomega) {
		for _, method := range []string{"POST", "PATCH", "LOCK"} {
			w := plays(fails(errReset), answers(503), answers(200))
			req := request(t, method, strings.NewReader("pay"))
			_, err := transport(g, w, resilient.WithIdempotencyKey(nil)).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(3))
			key := w.seen()[0].header.Get("Idempotency-Key")
			g.Expect(key).To(MatchRegexp(uuidString))
			for _, a := range w.seen() {
				g.Expect(a.header["Idempotency-Key"]).To(Equal([]string{key}))
				g.Expect(a.body).To(Equal("pay"))
			}
			g.Expect(req.Header).NotTo(HaveKey("Idempotency-Key")) // B4
		}
	})
	rule(t, "K2: a different payload carries a new key", func(t *testing.T, g Gomega) {
		w := plays(answers(200))
		tr := transport(g, w, resilient.WithIdempotencyKey(nil))
		keys := map[string]bool{}
		for range 100 {
			_, err := tr.RoundTrip(request(t, "POST", strings.NewReader("pay")))
			g.Expect(err).NotTo(HaveOccurred())
		}
		for _, a := range w.seen() {
			keys[a.header.Get("Idempotency-Key")] = true
		}
		g.Expect(keys).To(HaveLen(100))
	})
	rule(t, "K6: the caller's own key is kept", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(200))
		req := request(t, "POST", nil)
		req.Header.Set("Idempotency-Key", `"mine"`)
		_, err := transport(g, w, resilient.WithIdempotencyKey(nil)).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		for _, a := range w.seen() {
			g.Expect(a.header["Idempotency-Key"]).To(Equal([]string{`"mine"`}))
		}
	})
	rule(t, "a method that is idempotent needs none", func(t *testing.T, g Gomega) {
		for _, method := range []string{"GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE", ""} {
			w := plays(answers(200))
			req := request(t, "GET", nil)
			req.Method = method
			_, err := transport(g, w, resilient.WithIdempotencyKey(nil)).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()[0].header).NotTo(HaveKey("Idempotency-Key"), method)
		}
	})
	rule(t, "K3: an identifier of the caller's is quoted, and one that cannot be is an error", func(t *testing.T, g Gomega) {
		for id, want := range map[string]string{`a"b\c`: `"a\"b\\c"`, "": "", "ä": "", "a\nb": ""} {
			w, body := plays(answers(200)), stream("x")
			resp, err := transport(g, w, resilient.WithIdempotencyKey(func() string { return id })).RoundTrip(request(t, "POST", body))
			g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
			if want == "" {
				g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseInvalid))
				g.Expect(w.seen()).To(BeEmpty())
				continue
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()[0].header.Get("Idempotency-Key")).To(Equal(want))
		}
	})
	rule(t, "a request without a header map is net/http's to refuse", func(t *testing.T, g Gomega) {
		req := request(t, "POST", nil)
		req.Header = nil
		resp, err := transport(g, nil, resilient.WithIdempotencyKey(nil), resilient.WithAttemptHeader("X-Attempt")).RoundTrip(req)
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseInvalid))
	})
}

func TestAttemptHeader(t *testing.T) {
	rule(t, "O3: an attempt counter may be sent", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(503), answers(200))
		req := request(t, "PUT", strings.NewReader("abc"))
		_, err := transport(g, w, resilient.WithMethods("PUT"), resilient.WithAttemptHeader("X-Attempt")).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		var numbers, bodies []string
		for _, a := range w.seen() {
			numbers = append(numbers, a.header["X-Attempt"]...)
			bodies = append(bodies, a.body)
		}
		g.Expect(numbers).To(Equal([]string{"1", "2", "3"}))
		g.Expect(bodies).To(Equal([]string{"abc", "abc", "abc"}))
		g.Expect(req.Header).To(Equal(http.Header{})) // B4
	})
	t.Run("a name that is none is an error", func(t *testing.T) {
		_, err := resilient.New(nil, resilient.WithAttemptHeader("X Attempt"))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("not the name of a header")))
	})
}
