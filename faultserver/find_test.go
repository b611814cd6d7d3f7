package faultserver_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("A host whose sessions are found by headers", func() {
	var host *faultserver.Host
	open := func(options ...faultserver.HostOption) {
		var err error
		host, err = faultserver.Listen("127.0.0.1:0", options...)
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
		for id, line := range map[string]string{"a": "201:forever", "b.c": "202:forever"} {
			_, err := host.Open(id, faultserver.Config{Script: script(line), Calls: []faultserver.CallConfig{{Token: "one"}}})
			Expect(err).NotTo(HaveOccurred())
		}
		_, err = host.Default(faultserver.Config{Script: script("204:forever")})
		Expect(err).NotTo(HaveOccurred())
	}
	with := func(path, lines string) int {
		p := dial(GinkgoTB(), host.URL())
		p.say("GET " + path + " HTTP/1.1\r\n" + lines + "\r\n")
		return p.status()
	}

	DescribeTable("goes by the first that is there of path, header, baggage and Host", func(path, lines string, status int) {
		open(faultserver.ByHeaders("localhost", "faultsrv.test.", "faultsrv.test.localhost"))
		Expect(with(path, lines)).To(Equal(status))
	},
		Entry("nothing", "/", "Host: x\r\n", 204),
		Entry("a path", "/s/a/x", "Host: x\r\n", 201),
		Entry("a path before a header", "/s/a/x", "Host: x\r\nfaultsrv-session: b.c\r\n", 201),
		Entry("a header, in any case", "/", "Host: x\r\nFaultsrv-Session: b.c\r\n", 202),
		Entry("a header before baggage", "/", "Host: x\r\nbaggage: faultsrv-session=a\r\nfaultsrv-session: b.c\r\n", 202),
		Entry("baggage", "/", "Host: x\r\nbaggage: k=v, faultsrv-session=b.c;p=1\r\n", 202),
		Entry("baggage with a call", "/", "Host: x\r\nbaggage: faultsrv-call=b.c.one\r\n", 202),
		Entry("baggage before a Host", "/", "Host: a.localhost\r\nbaggage: faultsrv-session=b.c\r\n", 202),
		Entry("a Host", "/", "Host: a.localhost\r\n", 201),
		Entry("a Host with a port, in any case", "/", "Host: B.C.FaultSrv.Test:8503\r\n", 202),
		Entry("a suffix alone", "/", "Host: localhost:8503\r\n", 204),
		Entry("a Host with another suffix", "/", "Host: a.example\r\n", 204),
		Entry("a suffix that a name only ends in", "/", "Host: a.notlocalhost\r\n", 204),
		Entry("an unknown path", "/s/none/", "Host: a.localhost\r\n", 404),
		Entry("an unknown header", "/", "Host: a.localhost\r\nfaultsrv-session: none\r\n", 404),
		Entry("an empty header", "/", "Host: x\r\nfaultsrv-session:\r\n", 404),
		Entry("unknown baggage", "/", "Host: a.localhost\r\nbaggage: faultsrv-session=none\r\n", 404),
		Entry("an unknown Host", "/", "Host: none.localhost\r\n", 404),
		Entry("two headers of one id", "/", "Host: x\r\nfaultsrv-session: a\r\nfaultsrv-session: a\r\n", 201),
		Entry("two headers of two ids, which name none", "/", "Host: x\r\nfaultsrv-session: a\r\nfaultsrv-session: b.c\r\n", 404),
		Entry("the same in one line", "/", "Host: x\r\nfaultsrv-session: a, b.c\r\n", 404),
		Entry("baggage with two ids, which name none", "/", "Host: x\r\nbaggage: faultsrv-session=a\r\nbaggage: faultsrv-session=b.c\r\n", 404),
		Entry("baggage with two calls, which name none", "/", "Host: x\r\nbaggage: faultsrv-call=a.one,faultsrv-call=b.c.one\r\n", 404),
		Entry("a Host with a dot at its end", "/", "Host: a.localhost.:8503\r\n", 201),
		Entry("an unknown Host with a dot at its end", "/", "Host: none.localhost.\r\n", 404),
		Entry("an absolute target, whatever the Host", "http://a.localhost:8503/x", "Host: b.c.localhost\r\n", 201),
		Entry("an absolute target with a user", "http://user@a.localhost/", "Host: x\r\n", 201),
		Entry("an absolute target of no session, whatever the Host", "http://x/", "Host: a.localhost\r\n", 204),
		Entry("the longest suffix of a Host", "/", "Host: a.faultsrv.test.localhost\r\n", 201),
	)

	It("reads none of them unless it is told to", func() {
		open()
		Expect(with("/", "Host: a.localhost\r\nfaultsrv-session: a\r\nbaggage: faultsrv-session=a\r\n")).To(Equal(204))
	})

	It("has somebody else answer for sessions that are not here", func() {
		open(faultserver.ByHeaders(), faultserver.ForStrays(func(id string) (faultserver.Answer, bool) {
			return faultserver.Answer{Status: 421}, id == "else.where"
		}))
		Expect(with("/s/else.where/", "Host: x\r\n")).To(Equal(421))
		Expect(with("/", "Host: x\r\nfaultsrv-session: else.where\r\n")).To(Equal(421))
		Expect(with("/s/none/", "Host: x\r\n")).To(Equal(404))
	})

	It("is called by the address that is advertised", func() {
		open(faultserver.Advertised("http://faults.example:80"))
		Expect(host.URL()).To(Equal("http://faults.example:80"))
		session, err := host.Open("new", faultserver.Config{})
		Expect(err).NotTo(HaveOccurred())
		Expect(session.CallURL("one", "/x")).To(Equal("http://faults.example:80/s/new/c/one/x"))
		own := serve(faultserver.Config{AdvertiseHost: "faults.example"})
		Expect(own.URL()).To(MatchRegexp(`^http://faults\.example:\d+$`))
	})
})
