package faultserver_test

import (
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// TestStrikesAtAcceptAreExact has connections struck before they carry
// anything. With a reset, connect itself may report it.
func TestStrikesAtAcceptAreExact(t *testing.T) {
	for _, busy := range []bool{false, true} {
		for strike, end := range map[string]string{"reset": "rst", "close": "fin", "close:delay=1ms": "fin"} {
			name := strike
			if busy {
				name += " with busy cores"
			}
			t.Run(name, func(t *testing.T) {
				if busy {
					keepBusy(t)
				}
				s := open(t, faultserver.Config{Connections: script(strike + ":forever")})
				many(t, runs, 8, func(int) error {
					p, err := connect(s.URL())
					if errors.Is(err, syscall.ECONNRESET) && end == "rst" {
						return nil
					}
					if err != nil {
						return err
					}
					defer func() { _ = p.Close() }()
					p.say(get("/"))
					return expectEnd(p, -1, end)
				})
				expectAllMet(t, s.Journal(), runs)
			})
		}
	}
}

var _ = Describe("A connection script", func() {
	connections := func(line string) *faultserver.Session {
		GinkgoHelper()
		return serve(faultserver.Config{Connections: script(line), Script: script("200:forever")})
	}

	It("takes one entry an accepted connection, and serves the others", func() {
		s := connections("pass,reset,close")
		Expect(ask(s.URL(), "/")).To(Equal(200))
		p, err := connect(s.URL())
		if err == nil {
			_, end := p.hear()
			Expect(end).To(Equal("rst"))
		}
		_, end := dial(GinkgoTB(), s.URL()).hear()
		Expect(end).To(Equal("fin"))
		Expect(ask(s.URL(), "/")).To(Equal(200))
		journal := s.Journal()
		Expect(steps(journal)).To(Equal([]string{"200", "reset@accept", "close@accept", "200"}))
		Expect(journal.Unmet).To(BeEmpty())
	})

	It("makes a struck connection an attempt of the current call that arrives at its accept", func() {
		s := serve(faultserver.Config{Connections: script("close"), Calls: []faultserver.CallConfig{{Token: "a"}}, Script: script("200")})
		s.Start("a")
		dial(GinkgoTB(), s.URL()).hear()
		Expect(ask(s.URL(), "/c/a/")).To(Equal(200))
		journal := s.Journal()
		struck := journal.Attempts[0]
		Expect([]any{struck.Call, struck.Number, struck.Use, struck.Connection}).To(Equal([]any{"a", 1, 0, 1}))
		Expect(struck.Arrived).To(Equal(journal.Connections[0].Accepted))
		Expect(struck.Step).To(Equal(faultserver.StepRef{Index: 1, Script: "connections", Text: "close@accept"}))
		Expect(journal.Attempts[1].Number).To(Equal(2))
		Expect(journal.Attempts[1].Step.Index).To(Equal(1), "it takes no step of the script")
	})

	It("can hang after the accept, until the client leaves", func() {
		s := connections("accept-hang")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		Expect(p.SetReadDeadline(time.Now().Add(100 * time.Millisecond))).To(Succeed())
		_, err := p.reader.ReadByte()
		var timeout net.Error
		Expect(errors.As(err, &timeout) && timeout.Timeout()).To(BeTrue(), "nothing is heard")
		Expect(s.Journal().Attempts[0].Met).To(BeTrue())
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Happened).To(Equal(faultserver.Effect{Kind: "accept-hang", At: "accept"}))
		Expect(a.Client.How).To(Equal("client-fin"))
	})

	DescribeTable("can be silent for a time, then close",
		func(line string) {
			s := connections(line)
			p := dial(GinkgoTB(), s.URL())
			begun := time.Now()
			p.say(get("/"))
			_, end := p.hear()
			Expect(end).To(Equal("fin"))
			Expect(time.Since(begun)).To(BeNumerically(">=", 50*time.Millisecond))
		},
		Entry("accept-hang", "accept-hang:60ms"),
		Entry("stall", "stall:60ms"),
		Entry("a delayed close", "close:delay=60ms"),
	)

	It("lists a connection that carries nothing, and does not count it", func() {
		s := run("200:optional")
		Expect(dial(GinkgoTB(), s.URL()).Close()).To(Succeed())
		journal := eventually(GinkgoTB(), s, "the connection is closed", func(j faultserver.Journal) bool {
			return len(j.Connections) == 1 && j.Connections[0].Closed > 0
		})
		Expect(journal.Connections[0].Silent).To(BeTrue())
		Expect(journal.Connections[0].Client.How).To(Equal("client-fin"))
		Expect(journal.Attempts).To(BeEmpty())
	})
})

var _ = Describe("Refuse", func() {
	refused := func(s *faultserver.Session) bool {
		_, err := connect(s.URL())
		return errors.Is(err, syscall.ECONNREFUSED)
	}

	It("refuses from the session's opening, for its time, and leaves a receipt", func() {
		s := serve(faultserver.Config{Connections: script("refuse:500ms"), Script: script("200")})
		Expect(refused(s)).To(BeTrue())
		journal := eventually(GinkgoTB(), s, "the window is over", func(j faultserver.Journal) bool { return j.Windows[0].Until > 0 })
		window := journal.Windows[0]
		Expect(window.Act).To(Equal("refuse"))
		Expect(window.Until - window.From).To(BeNumerically(">=", 500*time.Millisecond))
		Eventually(func() int { return ask(s.URL(), "/") }).Should(Equal(200))
		Expect(s.Journal().Unmet).To(BeEmpty())
	})

	It("refuses when its turn has come", func() {
		s := serve(faultserver.Config{Connections: script("pass,refuse:500ms,pass"), Script: script("200:forever")})
		p := dial(GinkgoTB(), s.URL())
		eventually(GinkgoTB(), s, "the window is open", func(j faultserver.Journal) bool { return len(j.Windows) == 1 })
		Expect(refused(s)).To(BeTrue())
		Expect(p.ask("/")).To(Equal(200), "what was accepted is served on")
		eventually(GinkgoTB(), s, "the window is over", func(j faultserver.Journal) bool { return j.Windows[0].Until > 0 })
		Eventually(func() bool { return refused(s) }).Should(BeFalse())
	})

	It("lasts until the session's end where no time is given, and keeps the port", func() {
		s := serve(faultserver.Config{Connections: script("refuse")})
		Expect(refused(s)).To(BeTrue())
		_, err := faultserver.OpenAt(strings.TrimPrefix(s.URL(), "http://"), faultserver.Config{})
		Expect(err).To(MatchError(ContainSubstring("the port is in use")))
		Expect(s.Close()).To(Succeed())
		Expect(s.Journal().Windows[0].Until).NotTo(BeZero())
	})

	It("is reopened many times without losing the port", func() {
		s := serve(faultserver.Config{Connections: script("refuse:1ms,pass,refuse:1ms,pass,refuse:1ms,pass"), Script: script("200:forever")})
		for range 3 {
			Eventually(func() error {
				p, err := connect(s.URL())
				if err != nil {
					return err
				}
				defer func() { _ = p.Close() }()
				if p.ask("/") != 200 {
					return errors.New("no answer")
				}
				return nil
			}).WithPolling(time.Millisecond).Should(Succeed())
		}
		Expect(s.Journal().Windows).To(HaveLen(3))
	})
})

var _ = Describe("CloseIdle", func() {
	It("ends idle connections with FIN, and no others", func() {
		s := run("200,stall:100ms")
		idle, silent, busy := dial(GinkgoTB(), s.URL()), dial(GinkgoTB(), s.URL()), dial(GinkgoTB(), s.URL())
		Expect(idle.ask("/")).To(Equal(200))
		busy.say(get("/"))
		eventually(GinkgoTB(), s, "the stall has struck", func(j faultserver.Journal) bool {
			return len(j.Attempts) == 2 && j.Attempts[1].Met && len(j.Connections) == 3
		})
		s.CloseIdle()
		for _, p := range []*peer{idle, silent} {
			heard, end := p.hear()
			Expect([]string{heard, end}).To(Equal([]string{"", "fin"}))
		}
		Expect(busy.status()).To(Equal(200))
	})

	It("lists what a client still sends then", func() {
		s := run("200")
		p := dial(GinkgoTB(), s.URL())
		Expect(p.ask("/")).To(Equal(200))
		s.CloseIdle()
		p.say(get("/late"))
		_, end := p.hear()
		Expect(end).To(Equal("fin"))
		Expect(p.Close()).To(Succeed())
		journal := eventually(GinkgoTB(), s, "the connection is closed", func(j faultserver.Journal) bool { return j.Connections[0].Closed > 0 })
		Expect(journal.Attempts).To(HaveLen(1))
		Expect(journal.Events[0].Kind).To(Equal("unanswered"))
	})
})

var _ = Describe("Receipts", func() {
	It("say how far the peer acknowledged an answer it does not read", func() {
		s := serve(faultserver.Config{Script: script("200:body=32MiB")})
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		_, err := p.reader.ReadByte()
		Expect(err).NotTo(HaveOccurred())
		Eventually(func() int64 { return s.Journal().Attempts[0].Acked }).Should(BeNumerically(">", 0))
		Consistently(func() int64 { return s.Journal().Attempts[0].Acked }, "200ms").Should(BeNumerically("<", 32<<20))
		Expect(s.Journal().Attempts[0].Open).To(BeTrue())
		n, err := io.Copy(io.Discard, io.LimitReader(p.reader, 32<<20))
		Expect(n, err).To(Equal(int64(32 << 20)))
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect(a.Happened.Body).To(Equal(int64(32 << 20)))
		Eventually(func() int64 { return s.Journal().Attempts[0].Acked }).Should(BeNumerically(">", 32<<20))
	})

	It("count each answer's bytes alone on a connection that is used again", func() {
		s := run("200:body=100:forever")
		p := dial(GinkgoTB(), s.URL())
		var sizes []int64
		for range 3 {
			p.say(get("/"))
			response, err := http.ReadResponse(p.reader, nil)
			Expect(err).NotTo(HaveOccurred())
			_, err = io.Copy(io.Discard, response.Body)
			Expect(err).NotTo(HaveOccurred())
		}
		Expect(p.Close()).To(Succeed())
		journal := eventually(GinkgoTB(), s, "the connection is closed", func(j faultserver.Journal) bool { return j.Connections[0].Closed > 0 })
		for _, a := range journal.Attempts {
			sizes = append(sizes, a.Acked)
		}
		const head = "HTTP/1.1 200 OK\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Length: 100\r\n\r\n"
		Expect(sizes).To(HaveEach(int64(len(head) + 100)))
	})
})
