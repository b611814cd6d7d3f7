package resilient_test

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"
)

// TestNothingIsLeftBehind makes calls over real sockets at a server that
// fails the first attempt of every tenth call, in one of two ways.
func TestNothingIsLeftBehind(t *testing.T) {
	g := NewWithT(t)
	before := gleak.Goroutines()

	var requests, calls, open atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		requests.Add(1)
		n := int64(1)
		if r.Header.Get("X-Attempt") == "1" {
			n = calls.Add(1)
		}
		switch {
		case n%10 != 0:
			_, _ = io.WriteString(w, "fine")
		case n%30 == 0:
			panic(http.ErrAbortHandler) // the connection dies without an answer
		default:
			w.WriteHeader(http.StatusServiceUnavailable)
			_, _ = io.WriteString(w, strings.Repeat("sorry", 100))
		}
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			open.Add(1)
		case http.StateClosed, http.StateHijacked:
			open.Add(-1)
		case http.StateActive, http.StateIdle:
		}
	}
	server.Start()

	base := http.DefaultTransport.(*http.Transport).Clone()
	client := &http.Client{Transport: transport(g, base,
		resilient.WithMethods("PUT"), resilient.WithAttemptHeader("X-Attempt"),
		resilient.WithAttemptTimeout(10*time.Second), constantly(time.Millisecond))}

	const workers, each = 8, 250
	var running sync.WaitGroup
	for range workers {
		running.Go(func() {
			for range each {
				req, err := http.NewRequest(http.MethodPut, server.URL, strings.NewReader("some bytes"))
				g.Expect(err).NotTo(HaveOccurred())
				resp, err := client.Do(req)
				g.Expect(err).NotTo(HaveOccurred())
				g.Expect(text(g, resp)).To(Equal("fine"))
			}
		})
	}
	running.Wait()
	g.Expect(requests.Load()).To(BeEquivalentTo(workers * each * 11 / 10))
	g.Expect(open.Load()).To(BeNumerically("<=", workers), "more connections than calls at a time")

	client.CloseIdleConnections()
	server.Close()
	g.Eventually(open.Load).Should(BeZero())
	g.Eventually(gleak.Goroutines).ShouldNot(gleak.HaveLeaked(before))
}
