package resilient_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/resilient"
)

// expecting is a request of any method that asks for 100 Continue.
func expecting(t *testing.T, method string) *http.Request {
	req := request(t, method, strings.NewReader("the body"))
	req.Header.Set("Expect", "100-continue")
	return req
}

func TestARefusedExpectation(t *testing.T) {
	rule(t, "417 → the request is repeated without Expect, whatever its method", func(t *testing.T, g Gomega) {
		for _, options := range [][]resilient.Option{nil, {resilient.WithHedge(time.Hour), resilient.WithMethods("POST")}} {
			w := plays(answers(417), answers(200))
			req := expecting(t, "POST")
			resp, err := transport(g, w, options...).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(text(g, resp)).To(Equal("body of 200"))
			g.Expect(w.seen()).To(HaveLen(2))
			g.Expect(w.seen()[0].header.Get("Expect")).To(Equal("100-continue"))
			g.Expect(w.seen()[1].header).NotTo(HaveKey("Expect"))
			g.Expect(w.seen()[1].body).To(Equal("the body"))
			g.Expect(req.Header.Get("Expect")).To(Equal("100-continue"), "the caller's request is not modified")
		}
	})
	rule(t, "a second 417 is final", func(t *testing.T, g Gomega) {
		w := plays(answers(417))
		resp, err := transport(g, w).RoundTrip(expecting(t, "PUT"))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.StatusCode).To(Equal(417))
		g.Expect(w.seen()).To(HaveLen(2))
	})
	rule(t, "417 to a request that expected nothing is final", func(t *testing.T, g Gomega) {
		w := plays(answers(417))
		_, err := transport(g, w).RoundTrip(request(t, "PUT", strings.NewReader("x")))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(1))
	})
	rule(t, "a body that cannot be had again is not sent in part", func(t *testing.T, g Gomega) {
		w := plays(answers(417))
		req := expecting(t, "PUT")
		req.GetBody = nil
		resp, err := transport(g, w).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(resp.StatusCode).To(Equal(417))
		g.Expect(w.seen()).To(HaveLen(1))
	})
}
