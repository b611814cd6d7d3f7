package faultserver_test

import (
	"net/http"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/faultserver"
)

func TestFaultserver(t *testing.T) {
	RegisterFailHandler(Fail)
	SetDefaultEventuallyTimeout(10 * time.Second)
	RunSpecs(t, "faultserver")
}

// serve starts a session that the spec's end closes.
func serve(cfg faultserver.Config) *faultserver.Session {
	GinkgoHelper()
	return open(GinkgoTB(), cfg)
}

// run starts a session with a one-line script.
func run(line string) *faultserver.Session {
	GinkgoHelper()
	return serve(faultserver.Config{Script: script(line)})
}

// ask makes one request on a connection of its own, and returns the status; 0
// for none.
func ask(url, path string) int {
	GinkgoHelper()
	p := dial(GinkgoTB(), url)
	defer func() { _ = p.Close() }()
	return p.ask(path)
}

// ask makes one request on the connection, and returns the status; 0 for none.
func (p *peer) ask(path string) int {
	p.say(get(path))
	return p.status()
}

// status reads an answer to its end.
func (p *peer) status() int {
	response, err := http.ReadResponse(p.reader, nil)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	for buffer := make([]byte, 4096); ; {
		if _, err := response.Body.Read(buffer); err != nil {
			return response.StatusCode
		}
	}
}

// steps are the texts of the steps that a journal's attempts took.
func steps(journal faultserver.Journal) []string {
	var texts []string
	for _, a := range journal.Attempts {
		texts = append(texts, a.Step.Text)
	}
	return texts
}

// over waits until the last of n attempts is over.
func over(s *faultserver.Session, n int) []faultserver.Attempt {
	GinkgoHelper()
	return eventually(GinkgoTB(), s, "all attempts are over", func(j faultserver.Journal) bool {
		return len(j.Attempts) == n && !j.Attempts[n-1].Open
	}).Attempts
}
