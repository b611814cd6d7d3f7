package faultserver_test

import (
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

var _ = Describe("A host whose sessions are found by baggage", func() {
	var host *faultserver.Host
	BeforeEach(func() {
		var err error
		host, err = faultserver.Listen("127.0.0.1:0", faultserver.ByBaggage())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(host.Close)
	})
	with := func(baggage, path string) int {
		p := dial(GinkgoTB(), host.URL())
		p.say("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + baggage + "\r\n")
		return p.status()
	}
	calls := []faultserver.CallConfig{{Token: "one"}, {Token: "two"}}

	It("finds session and call in any of its members, and takes paths as they are", func() {
		a, err := host.Open("a.b-c", faultserver.Config{Script: script("201:forever"), Calls: calls})
		Expect(err).NotTo(HaveOccurred())
		rest, err := host.Default(faultserver.Config{Script: script("202:forever"), Calls: calls})
		Expect(err).NotTo(HaveOccurred())
		rest.Start("two")

		member := faultserver.Baggage("a.b-c", "one")
		Expect(with("baggage: "+member+"\r\n", "/c/two/x")).To(Equal(201))
		Expect(with("Baggage: k=v;p=1 , "+member+" ; ttl=3,z=\r\n", "/s/x/y")).To(Equal(201))
		Expect(with("baggage: k=v\r\nbaggage: faultsrv-call = a.b-c.two\r\n", "/")).To(Equal(201))
		Expect(with("baggage: xfaultsrv-call=a.b-c.one\r\n", "/c/one/z")).To(Equal(202))
		Expect(with("", "/s/a.b-c/")).To(Equal(202))

		var got [][2]string
		for _, attempt := range append(a.Journal().Attempts, rest.Journal().Attempts...) {
			got = append(got, [2]string{attempt.Call, attempt.Target})
		}
		Expect(got).To(Equal([][2]string{{"one", "/c/two/x"}, {"one", "/s/x/y"}, {"two", "/"}, {"two", "/c/one/z"}, {"two", "/s/a.b-c/"}}))
	})

	It("redirects to where its client finds it", func() {
		s, err := host.Open("s", faultserver.Config{Script: script("redirect:307:to=/new,200"), Calls: calls, Match: faultserver.Match{Path: "/new"}, Otherwise: faultserver.Answer{Status: 418}})
		Expect(err).NotTo(HaveOccurred())
		p := dial(GinkgoTB(), host.URL())
		p.say("GET /new HTTP/1.1\r\nHost: x\r\nbaggage: " + faultserver.Baggage("s", "one") + "\r\n\r\n")
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(response.Header.Get("Location")).To(Equal(host.URL()+"/new"), "where the path is not read, and the baggage comes along")
		Expect(s.Journal().Attempts).To(HaveLen(1))
	})

	DescribeTable("does not guess", func(value string) {
		_, err := host.Open("s", faultserver.Config{Script: script("201:forever"), Calls: calls})
		Expect(err).NotTo(HaveOccurred())
		rest, err := host.Default(faultserver.Config{Script: script("202:forever")})
		Expect(err).NotTo(HaveOccurred())
		Expect(with("baggage: faultsrv-call="+value+"\r\n", "/")).To(Equal(404))
		Expect(rest.Journal().Attempts).To(BeEmpty())
	},
		Entry("a session that is no more", "gone.one"), Entry("an unknown call", "s.three"),
		Entry("no call", "s."), Entry("no dot", "s"), Entry("nothing", ""),
	)

	It("has its default session replaced without a gap", func() {
		first, none, err := host.Replace(faultserver.Config{Script: script("201:forever")})
		Expect(err).NotTo(HaveOccurred())
		Expect(none).To(BeNil())
		p := dial(GinkgoTB(), host.URL())
		Expect(p.ask("/")).To(Equal(201))

		second, former, err := host.Replace(faultserver.Config{Script: script("202:forever")})
		Expect(err).NotTo(HaveOccurred())
		Expect(former).To(BeIdenticalTo(first))
		Expect(p.ask("/")).To(Equal(202), "a connection goes over with its next request")
		Expect(former.Close()).To(Succeed())
		Expect(with("", "/")).To(Equal(202), "closing the former leaves the latter")
		Expect([]int{len(first.Journal().Attempts), len(second.Journal().Attempts)}).To(Equal([]int{1, 2}))

		_, _, err = host.Replace(faultserver.Config{Script: []faultserver.Step{{}}})
		Expect(err).To(HaveOccurred())
		Expect(with("", "/")).To(Equal(202), "a config that is refused changes nothing")
	})
})
