package faultserver_test

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// everyByte is each value that a byte can have.
func everyByte() string {
	var all strings.Builder
	for c := range 256 {
		all.WriteByte(byte(c))
	}
	return all.String()
}

var _ = Describe("Raw", func() {
	raw := func(act faultserver.Raw) *faultserver.Session {
		GinkgoHelper()
		return serve(faultserver.Config{Script: []faultserver.Step{{Act: act}, {Act: faultserver.Respond{}, Optional: true}}})
	}

	DescribeTable("sends every byte as it is, and ends as it is told",
		func(end faultserver.EndKind, seen string) {
			s := raw(faultserver.Raw{Pieces: []faultserver.Piece{faultserver.Piece(everyByte()), "\r\n\r\n"}, End: end})
			p := dial(GinkgoTB(), s.URL())
			p.say(put("a body that is read before"))
			heard, how := p.hear()
			Expect(heard).To(Equal(everyByte() + "\r\n\r\n"))
			Expect(how).To(Equal(seen))
			a := over(s, 1)[0]
			Expect(a.Met).To(BeTrue())
			Expect(a.Happened).To(Equal(faultserver.Effect{Kind: "raw", At: "request-end", Body: 260, End: seen}))
			Expect(a.Body.Complete).To(BeTrue())
		},
		Entry("fin", faultserver.EndFIN, "fin"),
		Entry("fin by default", faultserver.EndKind(""), "fin"),
		Entry("rst", faultserver.EndRST, "rst"),
	)

	It("can leave the connection open, and knows the status it sends", func() {
		s := raw(faultserver.Raw{Pieces: []faultserver.Piece{"HTTP/1.1 299 Odd\r\ncontent-length:2\r\n\r\nhi"}, End: faultserver.EndKeep})
		p := dial(GinkgoTB(), s.URL())
		Expect([]int{p.ask("/"), p.ask("/")}).To(Equal([]int{299, 200}))
		a := s.Journal().Attempts[0]
		Expect([]any{a.Happened.Status, a.Happened.End, a.Met}).To(Equal([]any{299, "", true}))
	})

	It("can end in silence", func() {
		s := raw(faultserver.Raw{Pieces: []faultserver.Piece{"HTTP/1.1 2"}, End: faultserver.EndStall})
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		_, err := io.ReadFull(p.reader, make([]byte, 10))
		Expect(err).NotTo(HaveOccurred())
		eventually(GinkgoTB(), s, "it has struck", func(j faultserver.Journal) bool { return j.Attempts[0].Met && j.Attempts[0].Open })
		Expect(p.Close()).To(Succeed())
		Expect(over(s, 1)[0].Client.How).To(Equal("client-fin"))
	})

	It("keeps its pauses", func() {
		s := raw(faultserver.Raw{Pieces: []faultserver.Piece{"HTTP/1.1 200 OK\r\n", "Content-Length: 0\r\n", "\r\n"}, Every: 40 * time.Millisecond})
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		begun := time.Now()
		var ends []time.Duration
		for range 3 {
			_, err := p.reader.ReadString('\n')
			Expect(err).NotTo(HaveOccurred())
			ends = append(ends, time.Since(begun))
		}
		Expect(ends[1] - ends[0]).To(BeNumerically(">=", 30*time.Millisecond))
		Expect(ends[2]).To(BeNumerically(">=", 75*time.Millisecond))
	})

	It("is not met by a client that leaves between its pieces", func() {
		s := raw(faultserver.Raw{Pieces: []faultserver.Piece{"HTTP/1.1 200", " OK\r\n\r\n"}, Every: 5 * time.Second})
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		_, err := p.reader.ReadByte()
		Expect(err).NotTo(HaveOccurred())
		Expect(p.Close()).To(Succeed())
		a := over(s, 1)[0]
		Expect([]any{a.Met, a.Happened.Kind}).To(Equal([]any{false, "client-left"}))
	})

	It("greets a connection that has asked for nothing", func() {
		s := serve(faultserver.Config{Connections: []faultserver.Step{{Act: faultserver.Raw{Pieces: []faultserver.Piece{"SSH-2.0-x\r\n"}}}}})
		heard, end := dial(GinkgoTB(), s.URL()).hear()
		Expect([]string{heard, end}).To(Equal([]string{"SSH-2.0-x\r\n", "fin"}))
		Expect(over(s, 1)[0].Happened.At).To(Equal("accept"))
	})

	It("is written in one line in base64, every byte of it", func() {
		step := faultserver.Step{Act: faultserver.Raw{Pieces: []faultserver.Piece{faultserver.Piece(everyByte()), "a"}, Every: time.Second, End: faultserver.EndRST}}
		Expect(script(step.String())).To(Equal([]faultserver.Step{step}))
		Expect(script("raw:SFRUUA.LzE")[0].Act).To(Equal(faultserver.Raw{Pieces: []faultserver.Piece{"HTTP", "/1"}}))
	})

	It("cannot keep a connection that has asked for nothing", func() {
		step := faultserver.Step{Act: faultserver.Raw{Pieces: []faultserver.Piece{"x"}, End: faultserver.EndKeep}}
		Expect(faultserver.Config{Connections: []faultserver.Step{step}}.Validate()).To(MatchError(ContainSubstring("serves no request")))
	})

	DescribeTable("is refused where it makes no sense",
		func(act faultserver.Raw, at faultserver.Phase, why string) {
			err := faultserver.ValidateScript([]faultserver.Step{{Act: act, At: faultserver.Point{Phase: at}}})
			Expect(err).To(MatchError(ContainSubstring(why)))
		},
		Entry("nothing", faultserver.Raw{}, faultserver.DefaultPhase, "there is none"),
		Entry("an empty piece", faultserver.Raw{Pieces: []faultserver.Piece{""}}, faultserver.DefaultPhase, "number 1 is empty"),
		Entry("too much", faultserver.Raw{Pieces: []faultserver.Piece{faultserver.Piece(strings.Repeat("x", 1<<20)), "x"}}, faultserver.DefaultPhase, "want at most 1MiB"),
		Entry("an unread request", faultserver.Raw{Pieces: []faultserver.Piece{"x"}, End: faultserver.EndKeep}, faultserver.RequestHead, "would be taken for the next one"),
		Entry("an end", faultserver.Raw{Pieces: []faultserver.Piece{"x"}, End: "bang"}, faultserver.DefaultPhase, "want fin, rst, stall or keep"),
		Entry("a negative pause", faultserver.Raw{Pieces: []faultserver.Piece{"x"}, Every: -1}, faultserver.DefaultPhase, "negative"),
	)
})

var _ = Describe("An answer", func() {
	It("can ask for credentials and set a cookie", func() {
		s := run("401:challenge=basic:cookie=session=1,200:cookie=a=b")
		p := dial(GinkgoTB(), s.URL())
		p.say(get("/"))
		response, err := http.ReadResponse(p.reader, nil)
		Expect(err).NotTo(HaveOccurred())
		Expect(response.StatusCode).To(Equal(401))
		Expect(response.Header.Get("WWW-Authenticate")).To(Equal(`Basic realm="faultsrv"`))
		Expect(response.Cookies()).To(HaveLen(1))
		Expect(response.Cookies()[0].Value).To(Equal("1"))
		Expect(p.ask("/")).To(Equal(200))
	})

	It("asks for nothing that makes no sense", func() {
		for _, bad := range []faultserver.Answer{{Challenge: "please"}, {Cookie: "a"}, {Cookie: "a=b\r\n"}, {Cookie: "=b"}} {
			Expect(faultserver.ValidateScript([]faultserver.Step{{Act: faultserver.Respond{Answer: bad}}})).To(MatchError(ContainSubstring("want ")))
		}
	})
})

var _ = Describe("An answer with gzip", func() {
	It("is compressed, says so, and declares the length that is sent", func() {
		s := run("200:body=64KiB:seed=3:gzip,truncate@10:gzip:body=1KiB")
		client := &http.Client{}
		response, err := client.Get(s.URL())
		Expect(err).NotTo(HaveOccurred())
		Expect(response.Uncompressed).To(BeTrue(), "Go asks for gzip and takes it off")
		content, err := io.ReadAll(response.Body)
		Expect(err).NotTo(HaveOccurred())
		Expect(content).To(Equal(faultserver.Body{Size: 64 * faultserver.KiB, Seed: 3}.Bytes()))
		response, err = client.Get(s.URL())
		Expect(err).NotTo(HaveOccurred())
		_, err = io.ReadAll(response.Body)
		Expect(errors.Is(err, io.ErrUnexpectedEOF)).To(BeTrue())
		client.CloseIdleConnections()
		for _, a := range over(s, 2) {
			Expect(a.Met).To(BeTrue())
		}
		encoded := faultserver.Answer{Body: faultserver.Body{Size: 64 * faultserver.KiB, Seed: 3}, Gzip: true}.Encoded()
		Expect(s.Journal().Attempts[0].Happened.Body).To(Equal(encoded.Body.Len()))
	})
})
