package quick_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/faultserver/quick"
)

func TestQuick(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "quick")
}

var _ = Describe("The fixed routes", func() {
	var url string
	BeforeEach(func() {
		session, err := faultserver.Open(quick.Config())
		Expect(err).NotTo(HaveOccurred())
		DeferCleanup(session.Close)
		url = session.URL()
	})
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	get := func(path string) (int, string, http.Header) {
		GinkgoHelper()
		response, err := client.Get(url + path)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		Expect(err).NotTo(HaveOccurred())
		return response.StatusCode, string(body), response.Header
	}

	It("are listed on /, and where a path is none of them", func() {
		status, text, header := get("/")
		Expect(status).To(Equal(200))
		Expect(header.Get("Content-Type")).To(Equal("text/plain; charset=utf-8"))
		for _, example := range []string{"/status/503", "/reset", "/delay/2s", "/truncate/500", "/flaky?fail=2", "/echo"} {
			Expect(text).To(ContainSubstring("\n  " + example + " "))
		}
		for _, path := range []string{"/nonsense", "/status", "/resets", "/reset/x", "/echo/"} {
			status, text, _ := get(path)
			Expect(status).To(Equal(404), path)
			Expect(text).To(ContainSubstring("/status/503"))
		}
	})

	It("answer with a status, and a Retry-After", func() {
		status, text, _ := get("/status/503")
		Expect(status).To(Equal(503))
		Expect(text).To(Equal("503 Service Unavailable\n"))
		status, _, header := get("/status/429?retry-after=7")
		Expect(status).To(Equal(429))
		Expect(header.Get("Retry-After")).To(Equal("7"))
	})

	It("reset", func() {
		_, err := client.Get(url + "/reset")
		Expect(errors.Is(err, syscall.ECONNRESET)).To(BeTrue(), "%v", err)
	})

	It("answer after a time, never too early", func() {
		begun := time.Now()
		status, text, _ := get("/delay/50ms")
		Expect(status).To(Equal(200))
		Expect(text).To(Equal("after 50ms\n"))
		Expect(time.Since(begun)).To(BeNumerically(">=", 50*time.Millisecond))
	})

	It("cut an answer off", func() {
		response, err := client.Get(url + "/truncate/500")
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		Expect(err).To(MatchError(io.ErrUnexpectedEOF))
		Expect(body).To(HaveLen(500))
	})

	It("fail so many times, whoever asks, and each key by itself", func() {
		statuses := func(path string, n int) (all []int) {
			for range n {
				status, _, _ := get(path)
				all = append(all, status)
			}
			return all
		}
		Expect(statuses("/flaky?fail=2", 7)).To(Equal([]int{503, 503, 200, 503, 503, 200, 503}))
		Expect(statuses("/flaky?fail=2&key=mine", 3)).To(Equal([]int{503, 503, 200}))
		Expect(statuses("/flaky", 2)).To(Equal([]int{503, 200}))
		Expect(statuses("/flaky?fail=0", 2)).To(Equal([]int{200, 200}))
		for i := range 1_100 {
			get(fmt.Sprintf("/flaky?key=%d", i))
		}
		var working sync.WaitGroup
		var mu sync.Mutex
		count := map[int]int{}
		for range 30 {
			working.Go(func() {
				defer GinkgoRecover()
				status, _, _ := get("/flaky?fail=9&key=many")
				mu.Lock()
				defer mu.Unlock()
				count[status]++
			})
		}
		working.Wait()
		Expect(count).To(Equal(map[int]int{503: 27, 200: 3}))
	})

	It("show a request as it came", func() {
		request, err := http.NewRequest("PATCH", url+"/echo?a=b", strings.NewReader("hello"))
		Expect(err).NotTo(HaveOccurred())
		request.Header["x-case"] = []string{"kept", "twice"}
		response, err := client.Do(request)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		var shown struct {
			Method, Target, Body string
			Headers              faultserver.Headers
			BodyLength           int    `json:"body_length"`
			SHA256               string `json:"body_sha256"`
		}
		Expect(json.NewDecoder(response.Body).Decode(&shown)).To(Succeed())
		Expect(shown.Method).To(Equal("PATCH"))
		Expect(shown.Target).To(Equal("/echo?a=b"))
		Expect(shown.Body).To(Equal("hello"))
		Expect(shown.BodyLength).To(Equal(5))
		Expect(shown.SHA256).To(Equal(faultserver.Body{Text: "hello"}.SHA256()))
		Expect(shown.Headers).To(ContainElements(faultserver.Header{Name: "x-case", Value: "kept"}, faultserver.Header{Name: "x-case", Value: "twice"}))
	})

	DescribeTable("say what is wrong with a path",
		func(path, detail string) {
			status, text, _ := get(path)
			Expect(status).To(Equal(400))
			Expect(text).To(ContainSubstring(detail))
		},
		Entry(nil, "/status/99", "from 200 to 999; such as /status/503"),
		Entry(nil, "/status/", "expected three digits"),
		Entry(nil, "/status/429?retry-after=%0d%0aX:y", "control characters"),
		Entry(nil, "/delay/2h", "up to 1m0s; such as /delay/2s"),
		Entry(nil, "/delay/-2s", "expected a duration"),
		Entry(nil, "/truncate/1TiB", "expected a number of bytes"),
		Entry(nil, "/flaky?fail=-1", "expected a number of attempts"),
		Entry(nil, "/flaky?fail=x", "such as /flaky?fail=2"),
	)
})
