package faultserver_test

import (
	"errors"
	"net"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("ConnectHang", func() {
	// connects tells how long a connect took, and whether it came about.
	connects := func(s *faultserver.Session, patience time.Duration) (time.Duration, error) {
		GinkgoHelper()
		begun := time.Now()
		conn, err := net.DialTimeout("tcp", strings.TrimPrefix(s.URL(), "http://"), patience)
		if err == nil {
			Expect(conn.Close()).To(Succeed())
		}
		return time.Since(begun), err
	}

	It("leaves every connect hanging, until the session's end where no time is given", func() {
		s := serve(faultserver.Config{Connections: script("connect-hang")})
		for range 3 {
			_, err := connects(s, 100*time.Millisecond)
			var timeout net.Error
			Expect(errors.As(err, &timeout) && timeout.Timeout()).To(BeTrue(), "%v", err)
		}
		_, err := faultserver.OpenAt(strings.TrimPrefix(s.URL(), "http://"), faultserver.Config{})
		Expect(err).To(MatchError(ContainSubstring("the port is in use")))
		Expect(s.Close()).To(Succeed())
		journal := s.Journal()
		Expect(journal.Attempts).To(BeEmpty())
		Expect(journal.Connections).To(BeEmpty())
		Expect(journal.Unmet).To(BeEmpty())
		Expect(journal.Windows).To(HaveLen(1))
		Expect(journal.Windows[0].Act).To(Equal("connect-hang"))
		Expect(journal.Windows[0].Until).NotTo(BeZero())
		_, err = connects(s, time.Second)
		Expect(err).To(MatchError(syscall.ECONNREFUSED), "nothing of it is left")
	})

	It("lets a connect come about by the SYN that is sent again after it", func() {
		s := serve(faultserver.Config{Connections: script("connect-hang:300ms"), Script: script("200")})
		took, err := connects(s, 10*time.Second)
		Expect(err).NotTo(HaveOccurred())
		Expect(took).To(BeNumerically(">=", 800*time.Millisecond), "the SYN is sent again after a second")
		Expect(ask(s.URL(), "/")).To(Equal(200))
	})

	It("begins when its turn has come, and is followed by a refusal", func() {
		s := serve(faultserver.Config{Connections: script("pass,connect-hang:100ms,refuse"), Script: script("200:forever")})
		p := dial(GinkgoTB(), s.URL())
		eventually(GinkgoTB(), s, "it is refusing", func(j faultserver.Journal) bool { return len(j.Windows) == 2 })
		Expect(p.ask("/")).To(Equal(200), "what was accepted is served on")
		_, err := connects(s, time.Second)
		Expect(err).To(MatchError(syscall.ECONNREFUSED))
		windows := s.Journal().Windows
		Expect(windows[0].Until - windows[0].From).To(BeNumerically(">=", 100*time.Millisecond))
	})
})
