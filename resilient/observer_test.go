package resilient_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/faultsrv/faultsrv/resilient"
	. "github.com/onsi/gomega"
)

// recorder keeps the events of one call.
type recorder struct{ events []resilient.Event }

func (r *recorder) Observe(e resilient.Event) { r.events = append(r.events, e) }

func (r *recorder) kinds() (all []string) {
	for _, e := range r.events {
		all = append(all, string(e.Kind))
	}
	return all
}

func TestObserver(t *testing.T) {
	rule(t, "O1: hooks get attempt number, delay and reason", func(t *testing.T, g Gomega) {
		r := &recorder{}
		w := plays(after(time.Second, answers(503)), fails(errReset), answers(200))
		_, err := transport(g, w, constantly(3*time.Second), resilient.WithObserver(r)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(r.kinds()).To(Equal([]string{"attempt", "result", "pause", "attempt", "result", "pause", "attempt", "result", "end"}))
		for i, number := range []int{1, 1, 1, 2, 2, 2, 3, 3, 3} {
			g.Expect(r.events[i].Attempt).To(Equal(number))
			g.Expect(r.events[i].Request.URL.Path).To(Equal("/orders/1"))
		}
		g.Expect(r.events[1].Response.StatusCode).To(Equal(503))
		g.Expect(r.events[1].Decision).To(Equal(resilient.Retry))
		g.Expect(r.events[1].Elapsed).To(Equal(time.Second))
		g.Expect(r.events[2].Delay).To(Equal(3 * time.Second))
		g.Expect(r.events[2].Err).To(MatchError("the server answered 503 Service Unavailable"))
		g.Expect(r.events[4].Err).To(BeIdenticalTo(errReset))
		g.Expect(r.events[5].Err).To(BeIdenticalTo(errReset))
		g.Expect(r.events[7].Decision).To(Equal(resilient.Stop))
		g.Expect(r.events[8].Response.StatusCode).To(Equal(200))
		g.Expect(r.events[8].Cause).To(BeEmpty())
		g.Expect(r.events[8].Elapsed).To(Equal(7 * time.Second))
	})
	rule(t, "the end tells the cause and the error that the caller gets", func(t *testing.T, g Gomega) {
		r := &recorder{}
		_, err := transport(g, plays(fails(errReset)), resilient.WithObserver(r)).RoundTrip(request(t, "POST", nil))
		end := r.events[len(r.events)-1]
		g.Expect(end.Kind).To(Equal(resilient.EventEnd))
		g.Expect(end.Cause).To(Equal(resilient.CauseNotIdempotent))
		g.Expect(end.Err).To(Equal(err))

		r = &recorder{}
		resp, err := transport(g, plays(answers(503)), resilient.WithAttempts(1), resilient.WithObserver(r)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		end = r.events[len(r.events)-1]
		g.Expect(end.Cause).To(Equal(resilient.CauseExhausted))
		g.Expect(end.Response).To(BeIdenticalTo(resp))
	})
	rule(t, "a pause that the context ended is told, and a call that sent nothing ends too", func(t *testing.T, g Gomega) {
		r := &recorder{}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		tr := transport(g, plays(answers(503)), constantly(time.Hour), resilient.WithObserver(r))
		_, err := tr.RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(err).To(HaveOccurred())
		g.Expect(r.kinds()).To(Equal([]string{"attempt", "result", "pause", "interrupted", "end"}))
		g.Expect(r.events[3].Err).To(MatchError(context.Canceled))
		g.Expect(r.events[4].Cause).To(Equal(resilient.CauseCanceled))

		r.events = nil
		_, err = tr.RoundTrip(request(t, "GET", nil).WithContext(ctx))
		g.Expect(err).To(HaveOccurred())
		g.Expect(r.kinds()).To(Equal([]string{"end"}))
		g.Expect(r.events[0].Attempt).To(BeZero())
	})
	rule(t, "several observers are told in their order", func(t *testing.T, g Gomega) {
		var order []string
		tell := func(name string) resilient.Option {
			return resilient.WithObserver(resilient.ObserverFunc(func(e resilient.Event) { order = append(order, name+" "+string(e.Kind)) }))
		}
		_, err := transport(g, plays(answers(200)), tell("a"), tell("b")).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(order).To(Equal([]string{"a attempt", "b attempt", "a result", "b result", "a end", "b end"}))
	})
	rule(t, "the state of the budget is told, where it can be", func(t *testing.T, g Gomega) {
		left := func(b resilient.Budget) (all []float64) {
			r := &recorder{}
			_, err := transport(g, plays(answers(503), answers(200)), resilient.WithBudget(b), resilient.WithObserver(r)).
				RoundTrip(request(t, "GET", nil))
			g.Expect(err).NotTo(HaveOccurred())
			for _, e := range r.events {
				all = append(all, e.BudgetLeft)
			}
			return all
		}
		g.Expect(left(rate(g, 1, 4, 0))).To(Equal([]float64{5, 5, 4, 4, 4, 4}))
		g.Expect(left(tokens(g, 10, 0.5))).To(Equal([]float64{5, 4, 4, 4, 4.5, 4.5}))
		g.Expect(left(&countingBudget{})).To(HaveEach(-1.0))
		g.Expect(left(nil)).To(HaveEach(-1.0))
		g.Expect((*resilient.RateBudget)(nil).Remaining()).To(BeNumerically(">", 1e300))
		g.Expect((*resilient.TokenBudget)(nil).Remaining()).To(BeNumerically(">", 1e300))
	})
	rule(t, "a hedge is told as one", func(t *testing.T, g Gomega) {
		r := &recorder{}
		w := plays(after(time.Second, answers(200)), after(time.Millisecond, answers(503, "Retry-After", "5")))
		resp, err := transport(g, w, resilient.WithHedge(100*ms), resilient.WithObserver(r)).RoundTrip(request(t, "GET", nil))
		g.Expect(err).NotTo(HaveOccurred())
		resp.Body.Close()
		g.Expect(r.kinds()).To(Equal([]string{"attempt", "attempt", "result", "pause", "result", "end"}))
		g.Expect([]bool{r.events[0].Hedge, r.events[1].Hedge}).To(Equal([]bool{false, true}))
		g.Expect([]int{r.events[2].Attempt, r.events[4].Attempt}).To(Equal([]int{2, 1}))
	})
	t.Run("nil is an error", func(t *testing.T) {
		_, err := resilient.New(nil, resilient.WithObserver(nil))
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring("the observer is nil")))
	})
}

func TestLogObserver(t *testing.T) {
	logged := func(g Gomega, t *testing.T, level slog.Level, w *wire) string {
		var out bytes.Buffer
		logger := slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level, ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		}}))
		req := request(t, "GET", nil)
		req.URL.User = url.UserPassword("me", "s3cret")
		req.Header.Set("Authorization", "Bearer s3cret")
		resp, err := transport(g, w, constantly(time.Second), resilient.WithBudget(rate(g, 0, 9, 0)),
			resilient.WithObserver(resilient.NewLogObserver(logger))).RoundTrip(req)
		if err == nil {
			resp.Body.Close()
		}
		return out.String()
	}
	rule(t, "O1, O2: attempts, delays and reasons; a password in a URL is redacted in logs", func(t *testing.T, g Gomega) {
		text := logged(g, t, slog.LevelDebug, plays(answers(503), fails(errReset), answers(200)))
		const common = ` method=GET url=http://me:xxxxx@upstream.test/orders/1`
		g.Expect(strings.Split(strings.TrimSpace(text), "\n")).To(Equal([]string{
			`level=DEBUG msg="http attempt" attempt=1` + common + ` budget_left=9`,
			`level=DEBUG msg="http attempt ended" attempt=1` + common + ` status=503 decision=retry elapsed=0s budget_left=9`,
			`level=WARN msg="http retry follows" attempt=1` + common + ` reason="the server answered 503 Service Unavailable" delay=1s budget_left=8`,
			`level=DEBUG msg="http attempt" attempt=2` + common + ` budget_left=8`,
			`level=DEBUG msg="http attempt ended" attempt=2` + common + ` reason="connection reset by peer" decision=retry elapsed=0s budget_left=8`,
			`level=WARN msg="http retry follows" attempt=2` + common + ` reason="connection reset by peer" delay=1s budget_left=7`,
			`level=DEBUG msg="http attempt" attempt=3` + common + ` budget_left=7`,
			`level=DEBUG msg="http attempt ended" attempt=3` + common + ` status=200 decision=stop elapsed=0s budget_left=7`,
			`level=DEBUG msg="http call ended" attempt=3` + common + ` status=200 cause="" elapsed=2s budget_left=7`,
		}))
		g.Expect(text).NotTo(ContainSubstring("s3cret"))
	})
	rule(t, "warnings only: the pauses and what was given up", func(t *testing.T, g Gomega) {
		text := logged(g, t, slog.LevelWarn, plays(fails(errReset)))
		g.Expect(strings.Count(text, "\n")).To(Equal(3))
		g.Expect(text).To(ContainSubstring(`msg="http call ended" attempt=3`))
		g.Expect(text).To(ContainSubstring("cause=exhausted"))
		g.Expect(text).NotTo(ContainSubstring("s3cret"))
		g.Expect(logged(g, t, slog.LevelWarn, plays(answers(404)))).To(BeEmpty())
	})
	rule(t, "a nil logger is the default one; hedges and breakers are named", func(t *testing.T, g Gomega) {
		var out bytes.Buffer
		original := slog.Default()
		defer slog.SetDefault(original)
		slog.SetDefault(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})))
		o := resilient.NewLogObserver(nil)
		o.Observe(resilient.Event{Kind: resilient.EventAttempt, Attempt: 2, Hedge: true, Breaker: "half-open", BudgetLeft: -1})
		o.Observe(resilient.Event{Kind: resilient.EventInterrupted, Request: &http.Request{}, Err: context.Canceled, BudgetLeft: -1})
		g.Expect(out.String()).To(And(ContainSubstring("attempt=2 hedge=true breaker=half-open"), ContainSubstring(`url="<no URL>"`)))
	})
}
