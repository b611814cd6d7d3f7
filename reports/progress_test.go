package reports

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// tell reports a small run of two contracts at a time.
func tell(options ProgressOptions) []byte {
	var out bytes.Buffer
	options.Contracts = 10
	p := NewProgress(&out, options)
	p.Started("attempts.exact-count")
	p.Started("body.replay-after-503")
	p.Finished(Result{ID: "attempts.exact-count", Verdict: assertions.Pass})
	p.Finished(Result{ID: "body.replay-after-503", Verdict: assertions.Fail, Reason: "body: attempt 2 carried\x1b[2J nothing"})
	p.Finished(Result{ID: "cancellation.wakes-the-sleep", Verdict: assertions.Unsupported, Reason: "the client cannot: cancel"})
	p.Close()
	return out.Bytes()
}

func TestProgress(t *testing.T) {
	t.Run("on a pipe", func(t *testing.T) {
		golden(t, "progress.txt", tell(ProgressOptions{}))
	})
	t.Run("on a terminal of 60 columns", func(t *testing.T) {
		live := tell(ProgressOptions{Live: true, Style: Style{Width: 60}})
		golden(t, "progress-live.txt", []byte(strings.ReplaceAll(fmt.Sprintf("%q\n", live), `\r`, "\n\\r")))
	})
}

var _ = Describe("progress", func() {
	It("writes nothing before the first event", func() {
		var out bytes.Buffer
		NewProgress(&out, ProgressOptions{Contracts: 10, Live: true})
		Expect(out.String()).To(BeEmpty())
	})

	It("never reaches the last column, where a terminal would begin a new line", func() {
		var out bytes.Buffer
		p := NewProgress(&out, ProgressOptions{Contracts: 10, Live: true, Style: Style{Width: 40}})
		for i := range 10 {
			p.Started(fmt.Sprintf("area.contract-number-%d", i))
		}
		for state := range strings.SplitSeq(out.String(), clearLine) {
			Expect(len([]rune(state))).To(BeNumerically("<", 40))
		}
	})

	It("leaves a clean line behind", func() {
		Expect(string(tell(ProgressOptions{Live: true}))).To(HaveSuffix(clearLine))
	})

	It("counts what fails the run", func() {
		var out bytes.Buffer
		p := NewProgress(&out, ProgressOptions{Contracts: 3, Live: true, FailOn: scenarios.Should})
		p.Finished(Result{ID: "a", Verdict: assertions.Weak})
		p.Finished(Result{ID: "b", Verdict: assertions.HarnessError})
		p.Finished(Result{ID: "c", Verdict: assertions.KnownFail})
		Expect(out.String()).To(HaveSuffix("3/3 contracts, 2 failing"))
	})

	It("may be told by several goroutines", func() {
		var out bytes.Buffer
		p := NewProgress(&out, ProgressOptions{Contracts: 100})
		var group sync.WaitGroup
		for i := range 100 {
			group.Go(func() {
				id := fmt.Sprintf("a.%d", i)
				p.Started(id)
				p.Finished(Result{ID: id, Verdict: assertions.Pass})
			})
		}
		group.Wait()
		Expect(strings.Count(out.String(), "\n")).To(Equal(100))
		Expect(out.String()).To(ContainSubstring("[100/100]"))
	})
})
