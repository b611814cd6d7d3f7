package faultserver_test

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// upstream is a real server, and a session that plays a script before it.
func upstream(line string, handler http.HandlerFunc) *faultserver.Session {
	GinkgoHelper()
	genuine := httptest.NewServer(handler)
	DeferCleanup(genuine.Close)
	return serve(faultserver.Config{Script: script(line), Pass: genuine.URL})
}

var _ = Describe("The step pass", func() {
	It("hands an attempt on where the script says so, and enters what was answered", func() {
		s := upstream("503,pass,reset,pass", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusTeapot)
			_, _ = fmt.Fprint(w, r.URL.Path)
		})
		p := dial(GinkgoTB(), s.URL())
		Expect(p.ask("/a")).To(Equal(503))
		Expect(p.ask("/b")).To(Equal(418))
		Expect(ask(s.URL(), "/c")).To(Equal(0))
		Expect(ask(s.URL(), "/d")).To(Equal(418))
		journal := s.Journal()
		Expect(steps(journal)).To(HaveExactElements("503", "pass", "reset@request-end", "pass"))
		Expect(journal.Unmet).To(BeEmpty())
		passed := journal.Attempts[1]
		Expect(passed.Met).To(BeTrue())
		Expect(passed.Happened).To(Equal(faultserver.Effect{Kind: "pass", At: "request-head", Status: 418, Body: 2}))
		Expect(passed.Answered).To(BeNumerically(">", passed.Arrived))
		Expect(passed.End.Earliest).To(BeNumerically(">=", passed.Answered))
		Expect(passed.End.Latest).To(BeNumerically(">=", passed.End.Earliest))
		Expect(passed.Body.Complete).To(BeTrue())
		Expect(passed.Open).To(BeFalse())
	})

	It("leaves a large body unchanged, either way, and the trailers behind it", func() {
		content := faultserver.Body{Size: 3*faultserver.MiB + 17, Seed: 5}.Bytes()
		s := upstream("pass", func(w http.ResponseWriter, r *http.Request) {
			got, err := io.ReadAll(r.Body)
			w.Header().Set("Trailer", "X-Hash")
			w.WriteHeader(http.StatusOK)
			_, _ = w.Write(got)
			w.Header().Set("X-Hash", fmt.Sprintf("%x %v %s", sha256.Sum256(got), err, r.Trailer.Get("X-Sent")))
		})
		request, err := http.NewRequest("PUT", s.URL()+"/", io.NopCloser(bytes.NewReader(content)))
		Expect(err).NotTo(HaveOccurred())
		request.Trailer = http.Header{"X-Sent": {"whole"}}
		response, err := http.DefaultClient.Do(request)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(response.Body.Close)
		got, err := io.ReadAll(response.Body)
		Expect(err).NotTo(HaveOccurred())
		Expect(sha256.Sum256(got)).To(Equal(sha256.Sum256(content)))
		Expect(response.Trailer.Get("X-Hash")).To(Equal(fmt.Sprintf("%x <nil> whole", sha256.Sum256(content))))
		attempt := over(s, 1)[0]
		Expect(attempt.Body.SHA256).To(Equal(faultserver.Body{Size: 3*faultserver.MiB + 17, Seed: 5}.SHA256()))
	})

	It("streams: each part arrives before the next is made", func() {
		next := make(chan struct{})
		s := upstream("pass", func(w http.ResponseWriter, _ *http.Request) {
			for i := range 3 {
				_, _ = fmt.Fprintf(w, "data: %d\n\n", i)
				w.(http.Flusher).Flush()
				<-next
			}
		})
		response, err := http.Get(s.URL() + "/")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(response.Body.Close)
		lines := bufio.NewReader(response.Body)
		for i := range 3 {
			line, err := lines.ReadString('\n')
			Expect(err).NotTo(HaveOccurred())
			Expect(line).To(Equal(fmt.Sprintf("data: %d\n", i)))
			_, _ = lines.ReadString('\n')
			next <- struct{}{}
		}
	})

	DescribeTable("hands bytes on both ways once there is a tunnel, and the ends of both sides", func(request, answer string, status int) {
		s := upstream("pass", func(w http.ResponseWriter, _ *http.Request) {
			conn, both, err := w.(http.Hijacker).Hijack()
			if err != nil {
				return
			}
			defer func() { _ = conn.Close() }()
			_, _ = both.WriteString(answer)
			_ = both.Flush()
			for {
				line, err := both.ReadString('\n')
				if err != nil {
					_, _ = both.WriteString("over\n")
					_ = both.Flush()
					return
				}
				_, _ = both.WriteString(strings.ToUpper(line))
				_ = both.Flush()
			}
		})
		p := dial(GinkgoTB(), s.URL())
		p.say(request + "at once\n")
		head, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(head.StatusCode).To(Equal(status))
		Expect(p.reader.ReadString('\n')).To(Equal("AT ONCE\n"))
		p.say("later\n")
		Expect(p.reader.ReadString('\n')).To(Equal("LATER\n"))
		Expect(p.Conn.(*net.TCPConn).CloseWrite()).To(Succeed())
		rest, end := p.hear()
		Expect(rest).To(Equal("over\n"))
		Expect(end).To(Equal("fin"))
		attempt := over(s, 1)[0]
		Expect(attempt.Happened.Status).To(Equal(status))
		Expect(attempt.Met).To(BeTrue())
	},
		Entry("by an upgrade", "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n",
			"HTTP/1.1 101 Switching Protocols\r\nUpgrade: shout\r\nConnection: Upgrade\r\n\r\n", 101),
		Entry("by CONNECT", "CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n", 200),
	)

	It("takes off the prefix that found session and call, and nothing else", func() {
		const line = "GET /real?q=/s/x HTTP/1.1\r\nHost: x\r\n\r\n"
		server := realServing(len(line), "HTTP/1.1 204 No Content\r\n\r\n")
		host, err := faultserver.Listen("127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
		s, err := host.Open("x", faultserver.Config{Script: script("pass"), Pass: server.url, Calls: []faultserver.CallConfig{{Token: "one"}}})
		Expect(err).NotTo(HaveOccurred())
		Expect(ask(s.URL(), "/s/x/c/one/real?q=/s/x")).To(Equal(204))
		Expect(<-server.got).To(Equal(line))
	})

	It("answers 502 where the real server is gone, and proves nothing then", func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		gone := "http://" + listener.Addr().String()
		Expect(listener.Close()).To(Succeed())
		s := serve(faultserver.Config{Script: script("pass"), Pass: gone})
		p := dial(GinkgoTB(), s.URL())
		p.say(put("a body"))
		Expect(p.status()).To(Equal(502))
		journal := s.Journal()
		Expect(journal.Attempts[0].Met).To(BeFalse())
		Expect(journal.Unmet).To(HaveLen(1))
		Expect(journal.Events).To(ConsistOf(HaveField("Kind", "pass-failed")))
	})

	It("tells the real server that the rest of a request will not come", func() {
		told := make(chan error, 1)
		s := upstream("pass", func(_ http.ResponseWriter, r *http.Request) {
			_, err := io.ReadAll(r.Body)
			told <- err
		})
		p := dial(GinkgoTB(), s.URL())
		p.say("PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf")
		Expect(p.Close()).To(Succeed())
		Eventually(told).Should(Receive(MatchError(io.ErrUnexpectedEOF)))
		Expect(over(s, 1)[0].Body).To(And(HaveField("Received", int64(4)), HaveField("Complete", false)))
	})

	It("proves nothing where the real server breaks off", func() {
		server := realServing(len(get("/")), "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
		s := serve(faultserver.Config{Script: script("pass"), Pass: server.url})
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		body, _ := p.hearBody()
		Expect(body).To(Equal("half"))
		Expect(over(s, 1)[0].Met).To(BeFalse())
	})

	It("needs a real server to be named", func() {
		_, err := faultserver.Open(faultserver.Config{Script: script("503,pass")})
		Expect(err).To(MatchError(ContainSubstring("there is no real server")))
		_, err = faultserver.Open(faultserver.Config{Calls: []faultserver.CallConfig{{Token: "a", Script: script("pass")}}})
		Expect(err).To(MatchError(ContainSubstring("there is no real server")))
		s := serve(faultserver.Config{Connections: script("pass"), Script: script("200")})
		Expect(ask(s.URL(), "/")).To(Equal(200), "in a connection script it has another meaning")
	})
})
