package resilient

import (
	"math"
	"net/http"
	"slices"
	"time"
)

// The defaults of a policy. Three attempts is SRE's bound on the retries of
// one request; the pauses are then at most 100 and 200 ms.
const (
	DefaultAttempts      = 3                      // the first included
	DefaultBackoffBase   = 100 * time.Millisecond // full jitter in [0, 100 ms·2ⁿ]
	DefaultBackoffCap    = 5 * time.Second        // no pause of the backoff is longer
	DefaultRetryAfterCap = time.Minute            // a server that asks for more gets no retry
	DefaultDrainBytes    = 64 << 10               // of a discarded response
	DefaultDrainTime     = 200 * time.Millisecond // 64 KiB at 320 KiB/s
)

// unlimited is the most bytes that a limit can stand for: whoever keeps to one reads
// a byte more, to see the end.
const unlimited = math.MaxInt64 - 1

// policy is what an Option sets. It is never modified once it is in use: an
// override of one call works on a copy.
type policy struct {
	attempts       int
	methods        []string
	statuses       []int
	classifier     Classifier
	backoff        Backoff
	retryAfterCap  time.Duration // 0: none
	spread         *random       // of the pauses that Retry-After asks for
	bodyBuffer     int64         // 0: no buffering
	drainBytes     int64
	drainTime      time.Duration
	attemptTimeout time.Duration // 0: none
	hedgeDelay     time.Duration // 0: no hedging
	newKey         func() string // nil: no keys are generated
	attemptHeader  string        // "": none
	budget         Budget        // nil: none
	observers      []Observer

	// What only the forms after other designs set.
	anyMethod    bool                                 // every request may be sent twice
	classify     func(*http.Response, error) Decision // nil: by the rules of this package
	endIsSuccess bool                                 // the end of the context is a success to the budget
}

func newPolicy() *policy {
	return &policy{
		attempts:      DefaultAttempts,
		methods:       []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodTrace},
		statuses:      []int{429, 502, 503, 504},
		backoff:       NewFullJitter(DefaultBackoffBase, DefaultBackoffCap),
		retryAfterCap: DefaultRetryAfterCap,
		spread:        newRandom(nil),
		drainBytes:    DefaultDrainBytes,
		drainTime:     DefaultDrainTime,
	}
}

// defaults is the policy of the zero Transport. It has no budget, which would
// be shared by everybody.
var defaults = newPolicy()

// retriesMethod reports whether the policy lists the method.
func (p *policy) retriesMethod(method string) bool {
	if method == "" {
		method = http.MethodGet
	}
	return slices.Contains(p.methods, method)
}

// maySendTwice reports whether somebody says that the server may get the
// request twice: the policy, the request's own key, or its context.
func (p *policy) maySendTwice(req *http.Request) bool {
	return p.anyMethod || p.retriesMethod(req.Method) || req.Header.Get(idempotencyKey) != "" || idempotent(req.Context())
}

// judge decides on the result of one attempt of a call, and tells the budget. It
// leaves alone what the caller's own end has brought about.
func (p *policy) judge(req *http.Request, resp *http.Response, err error) Decision {
	if err != nil && req.Context().Err() != nil {
		return Stop
	}
	decision := p.ordinary(req, resp, err)
	if p.classifier != nil {
		decision = p.classifier(resp, err, decision)
	}
	if p.budget != nil {
		switch {
		case decision != Stop:
			p.budget.Failure()
		case err == nil && resp.StatusCode < http.StatusInternalServerError:
			p.budget.Success()
		}
	}
	return decision
}

// ordinary is the decision without a classifier.
func (p *policy) ordinary(req *http.Request, resp *http.Response, err error) Decision {
	if err == nil && slices.Contains(p.statuses, resp.StatusCode) {
		return Retry
	}
	switch {
	case err == nil && refusedExpectation(req, resp):
		return RetryUnprocessed
	case p.classify != nil:
		return p.classify(resp, err)
	case err != nil:
		return classifyError(req, err)
	}
	return Stop
}

// spreadShare and longestSpread bound what is added to a Retry-After, so that
// the clients which got the same value do not come back in the same instant:
// up to a tenth of it, and no more than a second.
const (
	spreadShare   = 10
	longestSpread = time.Second
)

// pause is the wait before a retry: the backoff's, or what the server asks
// for where that is longer, plus its spread. ok is false where the server
// asks for more than the cap.
func (p *policy) pause(ordinary time.Duration, resp *http.Response, now time.Time) (wait time.Duration, ok bool) {
	ordinary = max(ordinary, 0)
	if resp == nil {
		return ordinary, true
	}
	asked, valid := parseRetryAfter(resp.Header.Get("Retry-After"), now)
	if !valid || asked <= 0 {
		return ordinary, true
	}
	if p.retryAfterCap > 0 && asked > p.retryAfterCap {
		return 0, false
	}
	spread := min(asked/spreadShare, longestSpread)
	if p.retryAfterCap > 0 {
		spread = min(spread, p.retryAfterCap-asked)
	}
	return max(ordinary, saturatingAdd(asked, p.spread.upTo(spread))), true
}
