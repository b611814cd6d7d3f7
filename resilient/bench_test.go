package resilient_test

import (
	"net/http"
	"testing"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

// inMemory answers without allocating, so that what remains is the Transport's.
type inMemory struct{ resp http.Response }

func (m *inMemory) RoundTrip(*http.Request) (*http.Response, error) { return &m.resp, nil }

func (m *inMemory) Do(*http.Request) (*http.Response, error) { return &m.resp, nil }

func accepted() *inMemory {
	return &inMemory{http.Response{StatusCode: 200, Body: http.NoBody}}
}

func TestSuccessPathAllocatesNothing(t *testing.T) {
	g := NewWithT(t)
	tr := transport(g, accepted())
	req, err := http.NewRequest(http.MethodGet, "http://upstream.test/", nil)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(testing.AllocsPerRun(1000, func() { _, _ = tr.RoundTrip(req) })).To(BeZero())

	client, err := resilient.NewClient(resilient.WithHTTPClient(accepted()), resilient.WithRetryCount(2))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(testing.AllocsPerRun(1000, func() { _, _ = client.Do(req) })).To(BeZero(), "a Client's")
}

func BenchmarkSuccess(b *testing.B) {
	req, err := http.NewRequest(http.MethodGet, "http://upstream.test/", nil)
	if err != nil {
		b.Fatal(err)
	}
	tr, err := resilient.New(accepted())
	if err != nil {
		b.Fatal(err)
	}
	for name, rt := range map[string]http.RoundTripper{"bare": accepted(), "resilient": tr} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, _ = rt.RoundTrip(req)
			}
		})
	}
}
