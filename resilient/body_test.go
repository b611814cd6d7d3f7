package resilient_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

func TestRequestBody(t *testing.T) {
	put := resilient.WithMethods("PUT")

	rule(t, "B1: every attempt carries identical bytes and the same declared length", func(t *testing.T, g Gomega) {
		const source = "the same bytes each time"
		for name, body := range map[string]io.Reader{
			"strings.Reader": strings.NewReader(source),
			"bytes.Reader":   bytes.NewReader([]byte(source)),
			"bytes.Buffer":   bytes.NewBufferString(source),
		} {
			for _, opts := range [][]resilient.Option{{put}, {put, resilient.WithAttemptTimeout(time.Second)}} {
				w := plays(answers(503), fails(errReset), answers(200))
				_, err := transport(g, w, opts...).RoundTrip(request(t, "PUT", body))
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(w.seen()).To(HaveLen(3), name)
				for _, a := range w.seen() {
					g.Expect(a.body).To(Equal(source), name)
					g.Expect(a.length).To(BeEquivalentTo(len(source)), name)
				}
				body = strings.NewReader(source) // the first round consumed it
			}
		}
	})
	rule(t, "no body: nil and http.NoBody are retried", func(t *testing.T, g Gomega) {
		for _, body := range []io.Reader{nil, http.NoBody} {
			w := plays(answers(503), answers(200))
			req := request(t, "PUT", body)
			req.GetBody = nil
			_, err := transport(g, w, put).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(2))
		}
	})
	rule(t, `B2: body consumed and not re-openable → the original failure, with a "not replayable" cause, and no second request`, func(t *testing.T, g Gomega) {
		w, body := plays(fails(errReset)), stream("once")
		resp, err := transport(g, w, put).RoundTrip(request(t, "PUT", body))
		failed := failure(g, resp, err)
		g.Expect(failed.Cause).To(Equal(resilient.CauseNotReplayable))
		g.Expect(failed.Last).To(Equal(errReset))
		g.Expect(err).To(MatchError(resilient.ErrBodyNotReplayable))
		g.Expect(err).To(MatchError(errReset))
		g.Expect(w.seen()).To(HaveLen(1))
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
	})
	rule(t, "B2, S6: no GetBody and a status → the response, unread, and no second request", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		resp, err := transport(g, w, put).RoundTrip(request(t, "PUT", stream("once")))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.read.Load()).To(BeZero())
		g.Expect(text(g, resp)).To(Equal("body of 503"))
		g.Expect(w.seen()).To(HaveLen(1))
		g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseNotReplayable))
	})
	rule(t, "S6: a getter that fails is an error, with the failure before it", func(t *testing.T, g Gomega) {
		broken := errors.New("file is gone")
		for name, get := range map[string]func() (io.ReadCloser, error){
			"fails":           func() (io.ReadCloser, error) { return nil, broken },
			"returns nothing": func() (io.ReadCloser, error) { return nil, nil },
		} {
			w := plays(answers(503), answers(200))
			req := request(t, "PUT", stream("x"))
			req.GetBody = get
			resp, err := transport(g, w, put).RoundTrip(req)
			failed := failure(g, resp, err)
			g.Expect(failed.Cause).To(Equal(resilient.CauseNotReplayable), name)
			g.Expect(failed.Attempts).To(Equal(1))
			var status *resilient.StatusError
			g.Expect(errors.As(err, &status)).To(BeTrue())
			g.Expect(status.StatusCode).To(Equal(503))
			if name == "fails" {
				g.Expect(err).To(MatchError(broken))
			}
			g.Expect(w.closed.Load()).To(Equal(w.opened.Load()))
		}
	})
	rule(t, "B1: with the largest buffer that there is, too", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(200))
		_, err := transport(g, w, put, resilient.WithBodyBuffer(math.MaxInt64)).RoundTrip(request(t, "PUT", stream("abcdef")))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()).To(HaveLen(2))
		for _, a := range w.seen() {
			g.Expect(a.body).To(Equal("abcdef"))
		}
	})
	rule(t, "B4: the caller's request is not modified", func(t *testing.T, g Gomega) {
		w := plays(answers(503), fails(errReset), answers(200))
		req := request(t, "PUT", strings.NewReader("abc"))
		req.Header.Set("X-One", "1")
		body, before := req.Body, *req
		header := req.Header.Clone()
		_, err := transport(g, w, put, resilient.WithBodyBuffer(10)).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(req.Body).To(BeIdenticalTo(body))
		g.Expect(req.Header).To(Equal(header))
		g.Expect(req.Context()).To(Equal(before.Context()))
		g.Expect(req.ContentLength).To(Equal(before.ContentLength))
	})
	rule(t, "S6: each retry is a clone with a fresh body", func(t *testing.T, g Gomega) {
		w := plays(answers(503), answers(503), answers(200))
		_, err := transport(g, w, put).RoundTrip(request(t, "PUT", strings.NewReader("abc")))
		g.Expect(err).NotTo(HaveOccurred())
		first, second, third := w.seen()[0].request, w.seen()[1].request, w.seen()[2].request
		g.Expect(second).NotTo(BeIdenticalTo(first))
		g.Expect(third).NotTo(BeIdenticalTo(second))
		g.Expect(third.Body).NotTo(BeIdenticalTo(second.Body))
		third.Header.Set("X", "1")
		g.Expect(first.Header).NotTo(HaveKey("X"))
	})
	rule(t, "B5: the body is always closed, also when nothing is sent", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		for _, buffer := range []int64{0, 2, 100} {
			body := stream("abcdef")
			_, err := transport(g, plays(answers(200)), put, resilient.WithBodyBuffer(buffer)).
				RoundTrip(request(t, "PUT", body).WithContext(ctx))
			g.Expect(err).To(HaveOccurred())
			g.Expect(body.closed.Load()).To(BeEquivalentTo(1))

			body = stream("abcdef")
			_, err = transport(g, plays(answers(200)), put, resilient.WithBodyBuffer(buffer)).RoundTrip(request(t, "PUT", body))
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(body.closed.Load()).To(BeEquivalentTo(1), "buffer %d", buffer)
		}
	})
}

func TestBodyBuffer(t *testing.T) {
	put := resilient.WithMethods("PUT")

	rule(t, "a stream within the buffer is replayed; its framing stays", func(t *testing.T, g Gomega) {
		for _, declared := range []int64{-1, 0, 6} { // 0 with a body means unknown
			w := plays(answers(503), answers(200))
			req := request(t, "PUT", stream("abcdef"))
			req.ContentLength = declared
			_, err := transport(g, w, put, resilient.WithBodyBuffer(6)).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(w.seen()).To(HaveLen(2))
			for _, a := range w.seen() {
				g.Expect(a.body).To(Equal("abcdef"))
				g.Expect(a.length).To(Equal(declared))
			}
		}
	})
	rule(t, "B3: body over the replay-buffer cap → sent once, no retry", func(t *testing.T, g Gomega) {
		for _, declared := range []int64{-1, 6} {
			w, body := plays(answers(503)), stream("abcdef")
			req := request(t, "PUT", body)
			req.ContentLength = declared
			resp, err := transport(g, w, put, resilient.WithBodyBuffer(5)).RoundTrip(req)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(resilient.Info(resp).Cause).To(Equal(resilient.CauseNotReplayable))
			g.Expect(w.seen()).To(HaveLen(1))
			g.Expect(w.seen()[0].body).To(Equal("abcdef"))
			g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
		}
	})
	rule(t, "a body that cannot be read → an error before anything is sent", func(t *testing.T, g Gomega) {
		broken := errors.New("disk error")
		body := &tracked{Reader: io.MultiReader(strings.NewReader("ab"), errorReader{broken})}
		w := plays(answers(200))
		resp, err := transport(g, w, put, resilient.WithBodyBuffer(100)).RoundTrip(request(t, "PUT", body))
		failed := failure(g, resp, err)
		g.Expect(failed.Attempts).To(BeZero())
		g.Expect(failed.Cause).To(Equal(resilient.CauseInvalid))
		g.Expect(err).To(MatchError(broken))
		g.Expect(body.closed.Load()).To(BeEquivalentTo(1))
		g.Expect(w.seen()).To(BeEmpty())
	})
	rule(t, "C2: a source that never ends its body → the deadline ends the call", func(t *testing.T, g Gomega) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		resp, err := transport(g, plays(answers(200)), put, resilient.WithBodyBuffer(100)).
			RoundTrip(request(t, "PUT", silent()).WithContext(ctx))
		g.Expect(failure(g, resp, err).Cause).To(Equal(resilient.CauseDeadline))
		g.Expect(time.Since(start)).To(Equal(time.Second))
	})
	rule(t, "with 1 attempt nothing is buffered", func(t *testing.T, g Gomega) {
		w := plays(answers(503))
		body := stream("abc")
		req := request(t, "PUT", body)
		_, err := transport(g, w, put, resilient.WithAttempts(1), resilient.WithBodyBuffer(100)).RoundTrip(req)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(w.seen()[0].request.Body).To(BeIdenticalTo(req.Body))
	})
}

type errorReader struct{ err error }

func (r errorReader) Read([]byte) (int, error) { return 0, r.err }
