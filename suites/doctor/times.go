package doctor

import (
	"context"
	"fmt"
	"time"

	"github.com/faultsrv/faultsrv/faultserver"
)

const (
	// shortDelay is the pause before an answer in the check "delay".
	shortDelay = 300 * time.Millisecond
	// clockSlack is what two machines' clocks may differ by in that time (a hundred
	// parts in a million are much), and what is rounded.
	clockSlack = time.Millisecond
	// lateContinue is how late the server sends 100 Continue.
	lateContinue = 400 * time.Millisecond
)

// times are when things arrive.
var times = []check{
	{
		name: "delay", expected: "the answer, no sooner than 300ms", exchanges: 3,
		means: "delays are shorter than they are scripted: timeouts, backoffs and Retry-After are judged by other times than the client met",
		do:    "look for a cache or an answer of its own in the path; " + noHTTPProxy,
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return delayed(ctx, e, shortDelay)
		},
	},
	{
		name: "silence", expected: "the answer, however long it takes", exchanges: 2, together: true,
		means: "the path loses patience before the client does: contracts about timeouts judge the path's answer",
		do:    "raise the path's timeouts above the longest silence that is played (nginx: proxy_read_timeout; HAProxy: timeout server; meshes: the route's timeout)",
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return delayed(ctx, e, e.options.Silence)
		},
	},
	{
		name: "streaming", expected: "the head, and each part, while the rest is not there yet", exchanges: 3,
		means: "answers are held back until more of them is there: dribbled, stalled and slow ones reach the client as one late piece",
		do:    "switch buffering off in the proxy (nginx: proxy_buffering off), or " + besideTheServer, exchange: streamed,
	},
	{
		name: "expect-continue", expected: "100 when the server sends it, no sooner than 400ms", exchanges: 3,
		means: "100 Continue comes from the path, or not at all: contracts about it judge the path, and bodies that the server would refuse are sent",
		do:    noHTTPProxy, exchange: continued,
	},
}

// delayed expects an answer after a time, and no sooner.
func delayed(ctx context.Context, e *examination, delay time.Duration) (seen, error) {
	return in(ctx, e, "200:delay="+faultserver.FormatDuration(delay), func(s Session, c *caller) (seen, error) {
		c.send(e.get(s))
		end := c.hear(answered, delay+e.options.Patience)
		took := time.Since(c.began)
		r, _ := readReply(c.heard)
		if early := took < delay-clockSlack; end != whole || r.status != 200 || early {
			got := e.describeReply(c, r, end)
			if early {
				got += fmt.Sprintf(" after %v", took.Round(time.Millisecond))
			}
			return seen{got: got, silent: end == silent}, nil
		}
		return asExpected(), nil
	})
}

// parts are the parts of an answer, in their order, and the content that there is
// with each.
var parts = []struct{ name, text, content string }{
	{"head", "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", ""},
	{"first part", "7\r\nfirst\n\n\r\n", "first\n\n"},
	{"second part", "8\r\nsecond\n\n\r\n", "first\n\nsecond\n\n"},
}

// streamed has the server send one part more each time, and then be silent: what was
// sent has to come all the same. (That parts sent apart come apart is no question:
// a machine that is busy brings them together.)
func streamed(ctx context.Context, e *examination, i int) (seen, error) {
	var texts []string
	for _, part := range parts[:i+1] {
		texts = append(texts, part.text)
	}
	last := parts[i]
	return in(ctx, e, raw("stall", 0, texts...), func(s Session, c *caller) (seen, error) {
		c.send(e.get(s))
		end := c.hear(func(heard []byte) bool {
			r, _ := readReply(heard)
			return r.status == 200 && string(r.body) == last.content
		}, e.options.Patience)
		if end == whole {
			return asExpected(), nil
		}
		return seen{got: "the " + last.name + " held back: " + e.describe(c.heard, end), silent: end == silent}, nil
	})
}

// continued sends a head that expects 100 Continue, and the body once that, or
// whatever else, has come.
func continued(ctx context.Context, e *examination, _ int) (seen, error) {
	script := "expect-continue:late:after=" + faultserver.FormatDuration(lateContinue)
	return in(ctx, e, script, func(s Session, c *caller) (seen, error) {
		c.send(e.request(s, "PUT", "/", faultserver.Headers{{Name: "Content-Length", Value: "5"}, {Name: "Expect", Value: "100-continue"}}, ""))
		end := c.hear(func(heard []byte) bool {
			r, _ := readReply(heard)
			return len(r.interim) > 0 || r.complete
		}, e.options.Patience)
		took := time.Since(c.began)
		r, _ := readReply(c.heard)
		switch {
		case end == silent:
			return seen{got: fmt.Sprintf("no 100 within %v", e.options.Patience), silent: true}, nil
		case end != whole || len(r.interim) == 0:
			return seen{got: e.describeReply(c, r, end)}, nil
		case took < lateContinue-clockSlack:
			return seen{got: fmt.Sprintf("%d after %v, not the server's", r.interim[0], took.Round(time.Millisecond))}, nil
		}
		if r, end = c.ask("order"); end != whole || r.status != 200 {
			return seen{got: fmt.Sprintf("%d, then %s", 100, e.describeReply(c, r, end)), silent: end == silent}, nil
		}
		return asExpected(), nil
	})
}
