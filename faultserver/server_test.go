package faultserver_test

import (
	"fmt"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

// A fakeTB is a test that is ended by hand, and remembers what it was told.
type fakeTB struct {
	errors, fatals []string
	cleanups       []func()
}

func (f *fakeTB) Helper()                {}
func (f *fakeTB) Cleanup(cleanup func()) { f.cleanups = append(f.cleanups, cleanup) }
func (f *fakeTB) Errorf(format string, args ...any) {
	f.errors = append(f.errors, fmt.Sprintf(format, args...))
}
func (f *fakeTB) Fatalf(format string, args ...any) {
	f.fatals = append(f.fatals, fmt.Sprintf(format, args...))
}

// end runs the test's cleanups.
func (f *fakeTB) end() string {
	for _, cleanup := range f.cleanups {
		cleanup()
	}
	return strings.Join(f.errors, "\n")
}

var _ = Describe("New", func() {
	get := func(url string) int {
		response, err := http.Get(url)
		if err != nil {
			return 0
		}
		defer func() { _ = response.Body.Close() }()
		return response.StatusCode
	}

	It("serves a script for a test's length, and is content when it was met", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "503,200")
		Expect([]int{get(srv.URL), get(srv.URL)}).To(Equal([]int{503, 200}))
		Expect(srv.Journal().Attempts).To(HaveLen(2))
		Expect(tb.end()).To(BeEmpty())
		Expect(get(srv.URL)).To(Equal(0), "it is closed")
	})

	It("takes typed steps, options and a test of Ginkgo's", func() {
		srv := faultserver.New(GinkgoT(), []faultserver.Step{{Act: faultserver.Respond{Answer: faultserver.Answer{Status: 201}}}},
			faultserver.WithConfig(func(c *faultserver.Config) { c.AfterScript = faultserver.RepeatAfterScript }))
		Expect([]int{get(srv.URL), get(srv.URL)}).To(Equal([]int{201, 201}))
		Expect(srv.Session().URL()).To(Equal(srv.URL))
	})

	It("fails the test for a step that was not met", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "503,reset,200")
		get(srv.URL)
		Expect(tb.end()).To(Equal("faultserver: not met: step 2: reset@request-end; the server saw 1 attempt: 503 (WithUnmetSteps allows it)\n" +
			"faultserver: not met: step 3: 200; the server saw 1 attempt: 503 (WithUnmetSteps allows it)"))
	})

	It("fails the test for an attempt beyond the script", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "200")
		get(srv.URL)
		get(srv.URL + "/again")
		Expect(tb.end()).To(Equal("faultserver: attempt 2, GET /again, came after the script's end; the server saw 2 attempts: 200, 500 (WithExtraAttempts allows it)"))
	})

	It("lists no more of them than a reader reads", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "200")
		for range 15 {
			get(srv.URL)
		}
		lines := strings.Split(tb.end(), "\n")
		Expect(lines).To(HaveLen(11))
		Expect(lines[10]).To(Equal("faultserver: 4 more attempts came after the script's end"))
	})

	It("fails neither where that is turned off", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "200", faultserver.WithExtraAttempts())
		get(srv.URL)
		get(srv.URL)
		faultserver.New(tb, "200", faultserver.WithUnmetSteps())
		Expect(tb.end()).To(BeEmpty())
	})

	It("fails the test for a journal that dropped an entry", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "200:forever", faultserver.WithConfig(func(c *faultserver.Config) { c.MaxAttempts = 1 }))
		get(srv.URL)
		get(srv.URL)
		Expect(tb.end()).To(ContainSubstring("dropped"))
	})

	It("strikes at connections", func() {
		tb := &fakeTB{}
		srv := faultserver.New(tb, "200", faultserver.WithConnections(faultserver.Step{Act: faultserver.Close{}}))
		Expect(get(srv.URL)).To(Equal(0))
		Expect(get(srv.URL)).To(Equal(200))
		Expect(tb.end()).To(BeEmpty())
	})

	It("fails the test at once for a script that cannot be performed", func() {
		tb := &fakeTB{}
		Expect(faultserver.New(tb, "rset")).To(BeNil())
		Expect(faultserver.New(tb, "h2-goaway")).To(BeNil())
		Expect(tb.fatals).To(HaveLen(2))
		Expect(tb.fatals[0]).To(ContainSubstring(`"rset" is no act`))
		Expect(tb.fatals[1]).To(ContainSubstring("h2-goaway: not built yet"))
	})
})
