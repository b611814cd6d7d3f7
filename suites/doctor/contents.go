package doctor

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// contents are the bytes of answers.
var contents = []check{
	{
		name: "answer-head", expected: "the status and each header line as sent", exchanges: 5,
		means: "the client is not told what the contracts tell it, such as how long to wait (Retry-After): what it does then proves nothing",
		do:    noHTTPProxy, exchange: answerHead,
	},
	{
		name: "answer-body", expected: "64 KiB, each byte as sent", exchanges: 3,
		means: "the client gets other bytes than were sent: contracts about the answer's body judge the path",
		do:    noHTTPProxy, exchange: answerBody,
	},
	{
		name: "early-answer", expected: "413 before the request's body is sent", exchanges: 3, once: true,
		means: "request bodies, or answers to them, are held back until the body has been sent: contracts about early answers cannot be judged, and bodies that are cut look whole",
		do:    "switch request buffering off in the proxy (nginx: proxy_request_buffering off), or " + besideTheServer, exchange: earlyAnswer,
	},
	{
		name: "informational", expected: "103, then 200", exchanges: 3,
		means: "1xx answers do not reach the client: contracts about them cannot be judged",
		do:    noHTTPProxy, exchange: informational,
	},
	{
		name: "malformed", expected: "two lengths, and a bad chunk, as sent", exchanges: 4,
		means: "the path mends or refuses broken answers: contracts about them judge the path, not the client",
		do:    noHTTPProxy, exchange: malformed,
	},
}

// sentHead has two lines of one name, names in other cases, and what a client that
// retries looks at.
var sentHead = faultserver.Headers{
	{Name: "Retry-After", Value: "7"},
	{Name: "x-faultsrv-lower", Value: "a"},
	{Name: "X-Faultsrv-Twice", Value: "1"},
	{Name: "X-Faultsrv-Twice", Value: "2"},
	{Name: "Content-Type", Value: "text/plain"},
	{Name: "Cache-Control", Value: "no-store"},
	{Name: "Set-Cookie", Value: "a=1"},
	{Name: "Set-Cookie", Value: "b=2"},
	{Name: "Content-Length", Value: "6"},
}

const sentStatus = "HTTP/1.1 503 Later Please"

func answerHead(ctx context.Context, e *examination, _ int) (seen, error) {
	text := sentStatus + "\r\n"
	for _, header := range sentHead {
		text += header.Name + ": " + header.Value + "\r\n"
	}
	return in(ctx, e, raw("keep", 0, text+"\r\nlater\n"), func(s Session, c *caller) (seen, error) {
		r, end := c.ask(e.get(s))
		if end != whole || r.status != 503 {
			return seen{got: e.describeReply(c, r, end), silent: end == silent}, nil
		}
		came := compare(sentHead, r.headers)
		if len(came.lost) > 0 {
			return seen{got: strings.Join(came.lost, "; ")}, nil
		}
		remarks := came.remarks()
		if r.line != sentStatus {
			remarks = append(remarks, "other status line: "+r.line)
		}
		return asExpected(remarks...), nil
	})
}

// describeReply is what came in the place of an expected answer.
func (e *examination) describeReply(c *caller, r reply, end ending) string {
	if end == whole {
		return fmt.Sprintf("%s with %d bytes", strings.TrimPrefix(r.line, "HTTP/1.1 "), len(r.body))
	}
	return e.describe(c.heard, end)
}

// longBody is what answer-body is about.
var longBody = faultserver.Body{Size: 64 << 10, Seed: 7}

func answerBody(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "200:body=64KiB:seed=7", func(s Session, c *caller) (seen, error) {
		r, end := c.ask(e.get(s))
		switch {
		case end != whole || r.status != 200:
			return seen{got: e.describeReply(c, r, end), silent: end == silent}, nil
		case !bytes.Equal(r.body, longBody.Bytes()):
			return seen{got: fmt.Sprintf("%d bytes, other ones", len(r.body))}, nil
		case r.headers.Get("Content-Length") == "":
			return asExpected("Content-Length has become chunked"), nil
		}
		return asExpected(), nil
	})
}

func earlyAnswer(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "413@request-head", func(s Session, c *caller) (seen, error) {
		r, end := c.ask(e.request(s, "PUT", "/", faultserver.Headers{{Name: "Content-Length", Value: "65536"}}, ""))
		if end == whole && r.status == 413 {
			return asExpected(), nil
		}
		got := e.describeReply(c, r, end)
		if end == silent {
			journal, err := s.Journal(ctx, 0)
			if err != nil {
				return seen{}, err
			}
			got += ", with the answer held back"
			if len(journal.Attempts) == 0 {
				got = strings.Replace(got, "the answer", "the request", 1)
			}
		}
		return seen{got: got, silent: end == silent}, nil
	})
}

func informational(ctx context.Context, e *examination, _ int) (seen, error) {
	const both = "HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n"
	return in(ctx, e, raw("keep", 0, both), func(s Session, c *caller) (seen, error) {
		r, end := c.ask(e.get(s))
		switch {
		case end != whole || r.status != 200:
			return seen{got: e.describeReply(c, r, end), silent: end == silent}, nil
		case !slices.Contains(r.interim, 103):
			return seen{got: "the 200 alone"}, nil
		}
		return asExpected(), nil
	})
}

// broken are answers that break the protocol: what comes after the head, and the
// lengths that it declares.
var broken = []struct {
	head, body string
	lengths    []string
}{
	{head: "Content-Length: 3\r\nContent-Length: 9\r\n", body: "ok\n and\n\n", lengths: []string{"3", "9"}},
	{head: "Transfer-Encoding: chunked\r\n", body: "zz\r\nok\n\r\n0\r\n\r\n"},
}

func malformed(ctx context.Context, e *examination, i int) (seen, error) {
	sent := broken[i%len(broken)]
	script := raw("fin", 0, "HTTP/1.1 200 OK\r\n"+sent.head+"\r\n"+sent.body)
	return in(ctx, e, script, func(s Session, c *caller) (seen, error) {
		c.send(e.get(s))
		// The path's own answer may leave the connection open.
		end := c.hear(func(heard []byte) bool {
			r, _ := readReply(heard)
			return r.complete && r.status != 200
		}, e.options.Patience)
		_, body, _ := bytes.Cut(c.heard, endOfHead)
		r, _ := readReply(c.heard)
		if r.status == 200 && string(body) == sent.body && slices.Equal(values(r.headers, "Content-Length"), sent.lengths) {
			return asExpected(), nil
		}
		return seen{got: e.describe(c.heard, end), silent: end == silent}, nil
	})
}
