package faultserver_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gleak"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A realServer takes one request a connection, and gives it an answer in pieces.
type realServer struct {
	url string
	// got has what came of each request, byte for byte.
	got chan string
}

// realServing starts a server that reads a request of so many bytes and writes each
// piece of its answer apart, then closes.
func realServing(length int, pieces ...string) realServer {
	GinkgoHelper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	Expect(err).NotTo(HaveOccurred())
	s := realServer{url: "http://" + listener.Addr().String(), got: make(chan string, 100)}
	over := make(chan struct{})
	go func() {
		defer close(over)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			request := make([]byte, length)
			n, _ := io.ReadFull(conn, request)
			s.got <- string(request[:n])
			for _, piece := range pieces {
				_, _ = io.WriteString(conn, piece)
			}
			_ = conn.Close()
		}
	}()
	DeferCleanup(func() {
		Expect(listener.Close()).To(Succeed())
		<-over
	})
	return s
}

// passing is a session in which only /judged is an attempt.
func passing(to string) *faultserver.Session {
	GinkgoHelper()
	return serve(faultserver.Config{Script: script("200:forever"), Match: faultserver.Match{Path: "/judged"}, Pass: to})
}

var _ = Describe("What is no attempt, passed on to a real server", func() {
	const chunked = "POST /a%20b?c HTTP/1.1\r\nhOsT: x\r\nTransfer-Encoding: chunked\r\nX-Two:  1\r\nX-Two: 2\r\n\r\n" +
		"5;ext=1\r\nhello\r\n0\r\nTrailer: t\r\n\r\n"
	DescribeTable("comes as it was sent, and so does the answer",
		func(request, answer string, lives bool) {
			server := realServing(len(request), answer)
			s := passing(server.url)
			p := dial(GinkgoTB(), s.URL())
			p.say(request)
			Expect(<-server.got).To(Equal(request))
			heard := make([]byte, len(answer))
			_, err := io.ReadFull(p.reader, heard)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(heard)).To(Equal(answer))
			if lives {
				Expect(p.ask("/judged")).To(Equal(200), "the connection is used again, and judged")
				Expect(s.Journal().Attempts).To(HaveLen(1))
			} else {
				rest, end := p.hear()
				Expect(rest).To(BeEmpty())
				Expect(end).To(Equal("fin"))
				Expect(s.Journal().Attempts).To(BeEmpty())
			}
		},
		Entry("with a length", put("body"), "HTTP/1.1 200 Fine by me\r\ncontent-LENGTH: 5\r\nDate: never\r\n\r\nhello", true),
		Entry("in chunks, with trailers", chunked, "HTTP/1.1 201 \r\nTransfer-Encoding: chunked\r\n\r\n3;x\r\nabc\r\n0\r\nT: u\r\n\r\n", true),
		Entry("without a body", "HEAD / HTTP/1.1\r\nHost: x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n", true),
		Entry("after 1xx answers", get("/"), "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", true),
		Entry("up to the connection's end", get("/"), "HTTP/1.0 200 OK\r\n\r\nas much as comes", false),
		Entry("with a wish to close", get("/"), "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok", false),
		Entry("in chunks with a long extension and a long trailer", get("/"), "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"+
			"3;x="+strings.Repeat("y", 9000)+"\r\nabc\r\n0\r\nT: "+strings.Repeat("u", 4096*2-len("T: \r\n"))+"\r\n\r\n", true),
		Entry("with a long header line", get("/"), "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("y", 4096-20)+"\r\n"+"Z: "+strings.Repeat("z", 9000)+"\r\nContent-Length: 0\r\n\r\n", true),
	)

	It("lets an answer come before the whole request has", func() {
		const head = "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n"
		server := realServing(len(head), "HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
		s := passing(server.url)
		p := dial(GinkgoTB(), s.URL())
		p.say(head)
		text, end := p.hear()
		Expect(text).To(Equal("HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n"))
		Expect(end).To(Equal("fin"))
	})

	It("leaves 100 Continue to the server", func() {
		const head = "PUT / HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n"
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(listener.Close)
		s := passing("http://" + listener.Addr().String())
		p := dial(GinkgoTB(), s.URL())
		p.say(head)
		server, err := listener.Accept()
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(server.Close)
		Expect(io.ReadFull(server, make([]byte, len(head)))).To(Equal(len(head)))
		_, _ = io.WriteString(server, "HTTP/1.1 100 Continue\r\n\r\n")
		line, err := p.reader.ReadString('\n')
		Expect(err).NotTo(HaveOccurred())
		Expect(line).To(HavePrefix("HTTP/1.1 100 "))
		p.say("body")
		Expect(io.ReadFull(server, make([]byte, 4))).To(Equal(4))
		_, _ = io.WriteString(server, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
		_, err = p.reader.ReadString('\n') // the end of the first head
		Expect(err).NotTo(HaveOccurred())
		Expect(p.status()).To(Equal(200))
	})

	It("does not hold up the session's end", func() {
		before := gleak.Goroutines()
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		s := passing("http://" + listener.Addr().String())
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		server, err := listener.Accept()
		Expect(err).NotTo(HaveOccurred())
		_, err = bufio.NewReader(server).ReadString('\n')
		Expect(err).NotTo(HaveOccurred())
		begun := time.Now()
		Expect(s.Close()).To(Succeed())
		Expect(time.Since(begun)).To(BeNumerically("<", 2*time.Second))
		Expect(p.Close()).To(Succeed())
		Expect(server.Close()).To(Succeed())
		Expect(listener.Close()).To(Succeed())
		expectNoneLeft(before)
	})

	It("says so where the server cannot be reached, or breaks off", func() {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		Expect(err).NotTo(HaveOccurred())
		gone := "http://" + listener.Addr().String()
		Expect(listener.Close()).To(Succeed())
		s := passing(gone)
		Expect(ask(s.URL(), "/")).To(Equal(502))
		Expect(s.Journal().Events).To(ContainElement(HaveField("Kind", "pass-failed")))

		server := realServing(len(get("/")), "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf")
		s = passing(server.url)
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		body, _ := p.hearBody()
		Expect(body).To(Equal("half"))
		eventually(GinkgoTB(), s, "the break is listed", func(j faultserver.Journal) bool {
			return len(j.Events) == 2 && j.Events[1].Kind == "pass-failed"
		})
	})

	It("is refused for what is no address", func() {
		for _, to := range []string{"127.0.0.1:80", "https://x", "http://x/path", "http://", "::"} {
			_, err := faultserver.Open(faultserver.Config{Pass: to})
			Expect(err).To(MatchError(ContainSubstring("want http://host:port")), to)
		}
	})
})

var _ = Describe("What is no attempt", func() {
	It("gets the first stub that matches, else Otherwise, whatever the script", func() {
		answer := func(status int) faultserver.Answer { return faultserver.Answer{Status: status} }
		s := serve(faultserver.Config{
			NoAttempts: true, Otherwise: answer(410),
			Stubs: []faultserver.Stub{
				{Match: faultserver.Match{Path: "/a", Method: "PUT"}, Answer: answer(201)},
				{Match: faultserver.Match{Path: "/a"}, Answer: answer(202)},
				{Match: faultserver.Match{Path: "/a"}, Answer: answer(203)},
			},
		})
		Expect([]int{ask(s.URL(), "/a?q"), ask(s.URL(), "/b")}).To(Equal([]int{202, 410}))
		journal := s.Journal()
		Expect(journal.Attempts).To(BeEmpty())
		Expect(fmt.Sprint(journal.Events)).To(ContainSubstring("GET /b"))
		_, err := faultserver.Open(faultserver.Config{Stubs: []faultserver.Stub{{Answer: answer(99)}}})
		Expect(err).To(MatchError(ContainSubstring("stub 1")))
	})
})
