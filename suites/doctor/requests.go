package doctor

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
)

// requests are what the server gets.
var requests = []check{
	{
		name: "request-head", expected: "method, target and each header line as sent", exchanges: 3,
		means: "the server does not get what the client has sent: contracts about targets, headers and keys judge the path",
		do:    noHTTPProxy, exchange: requestHead,
	},
	{
		name: "request-body", expected: "64 KiB as sent, with a length and in chunks", exchanges: 4,
		means: "the server does not get the body that the client has sent, or not in its form: contracts about bodies judge the path",
		do:    "switch request buffering off in the proxy (nginx: proxy_request_buffering off, proxy_http_version 1.1), or " + besideTheServer, exchange: requestBody,
	},
}

// askedTarget has what proxies like to tidy up, and no dots, which clients resolve.
const askedTarget = "/doctor/a%2Fb//c?x=%20&y=1+2&y=&z"

// askedHead has two lines of one name, names in other cases, and what contracts look
// at.
var askedHead = faultserver.Headers{
	{Name: "User-Agent", Value: "faultsrv-doctor"},
	{Name: "x-faultsrv-lower", Value: "a"},
	{Name: "X-Faultsrv-Twice", Value: "1"},
	{Name: "X-Faultsrv-Twice", Value: "2"},
	{Name: "Idempotency-Key", Value: `"c0ffee"`},
	{Name: "Baggage", Value: "faultsrv-doctor=1"},
	{Name: "Accept-Encoding", Value: "gzip"},
	{Name: "Content-Type", Value: "text/plain"},
}

func requestHead(ctx context.Context, e *examination, _ int) (seen, error) {
	return in(ctx, e, "200", func(s Session, c *caller) (seen, error) {
		return e.arrived(ctx, s, c, e.request(s, "DELETE", askedTarget, askedHead, ""), e.compareHead)
	})
}

// compareHead compares a request's head with what was sent.
func (e *examination) compareHead(attempt faultserver.Attempt) seen {
	host := faultserver.Header{Name: "Host", Value: e.host}
	came := compare(append(faultserver.Headers{host}, askedHead...), attempt.Headers)
	var changes, remarks []string
	for _, lost := range came.lost {
		// It is how the server is called, which no contract is about.
		if strings.HasPrefix(lost, "Host ") {
			remarks = append(remarks, lost)
		} else {
			changes = append(changes, lost)
		}
	}
	for _, one := range []struct{ what, sent, came string }{
		{"method", "DELETE", attempt.Method}, {"target", askedTarget, attempt.Target}, {"protocol", "HTTP/1.1", attempt.Proto},
	} {
		if one.came != one.sent {
			changes = append(changes, "the "+one.what+" is "+one.came)
		}
	}
	if len(changes) > 0 {
		return seen{got: strings.Join(changes, "; ")}
	}
	return asExpected(append(remarks, came.remarks()...)...)
}

// askedBody is what request-body sends.
var askedBody = faultserver.Body{Size: 64 << 10, Seed: 8}

func requestBody(ctx context.Context, e *examination, i int) (seen, error) {
	content := string(askedBody.Bytes())
	form := faultserver.Header{Name: "Content-Length", Value: strconv.Itoa(len(content))}
	text, chunked := content, i%2 == 1
	if chunked {
		form = faultserver.Header{Name: "Transfer-Encoding", Value: "chunked"}
		half := len(content) / 2
		text = fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n%s", half, content[:half], len(content)-half, content[half:], lastChunk)
	}
	return in(ctx, e, "200", func(s Session, c *caller) (seen, error) {
		return e.arrived(ctx, s, c, e.request(s, "PUT", "/", faultserver.Headers{form}, text), func(attempt faultserver.Attempt) seen {
			body := attempt.Body
			switch {
			case !body.Complete || body.SHA256 != askedBody.SHA256():
				return seen{got: fmt.Sprintf("%d bytes, not those that were sent", body.Received)}
			case chunked && !body.Chunked:
				return seen{got: fmt.Sprintf("the chunked body with a length, %d", body.Declared)}
			case !chunked && body.Chunked:
				return seen{got: "the body with a length in chunks"}
			}
			return asExpected()
		})
	})
}

// arrived sends a request and has its attempt looked at as the server has seen it,
// where there is one and an answer.
func (e *examination) arrived(ctx context.Context, s Session, c *caller, request string, look func(faultserver.Attempt) seen) (seen, error) {
	r, end := c.ask(request)
	if end != whole || r.status != 200 {
		return seen{got: e.describeReply(c, r, end), silent: end == silent}, nil
	}
	journal, err := s.Journal(ctx, e.options.Patience)
	if err != nil {
		return seen{}, err
	}
	if len(journal.Attempts) == 0 {
		return seen{got: "an answer, and no attempt at the server"}, nil
	}
	return look(journal.Attempts[0]), nil
}
