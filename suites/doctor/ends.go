package doctor

import (
	"context"
	"strings"
)

// sentPart is what is sent of a body before it is cut, and declared its length.
const (
	sentPart = 500
	declared = 1000
)

var (
	cutBody = strings.Repeat("0123456789", sentPart/10)
	cutHead = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000\r\n\r\n"
	// cutChunk says 1,000 bytes, too.
	cutChunk = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n"
)

const (
	besideTheServer = "judge where the client reaches the server directly, or by a path that copies bytes and passes RST on"
	noHTTPProxy     = "take the proxy out of the way, or let it forward TCP instead of HTTP; else judge beside the server"
)

// ends are how exchanges and connections end.
var ends = []check{
	{
		name: "reset", expected: "RST and no answer", exchanges: 5,
		means: "contracts about a reset connection judge the client by something else: what it meets is not a reset",
		do:    besideTheServer,
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return endsAs(ctx, e, "reset", rst, "")
		},
	},
	{
		name: "reset-in-body", expected: "500 of 1000 bytes, then RST", exchanges: 5,
		means: "contracts about an answer that is reset in its middle judge the client by something else",
		do:    besideTheServer,
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return endsAs(ctx, e, raw("rst", 0, cutHead+cutBody), rst, cutBody)
		},
	},
	{
		name: "close", expected: "FIN and no answer", exchanges: 5,
		means: "contracts about a connection that is closed without an answer judge the client by something else",
		do:    besideTheServer,
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return endsAs(ctx, e, "close", fin, "")
		},
	},
	{
		name: "cut-length", expected: "500 of 1000 bytes, then FIN", exchanges: 5,
		means: "a cut body does not arrive as one: contracts about truncation cannot tell whether the client notices it",
		do:    noHTTPProxy,
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return endsAs(ctx, e, raw("fin", 0, cutHead+cutBody), fin, cutBody)
		},
	},
	{
		name: "cut-chunked", expected: "500 of 1000 bytes of a chunk, then FIN", exchanges: 5,
		means: "a chunked body that is cut does not arrive as one: contracts about truncation cannot tell whether the client notices it",
		do:    noHTTPProxy,
		exchange: func(ctx context.Context, e *examination, _ int) (seen, error) {
			return endsAs(ctx, e, raw("fin", 0, cutChunk+cutBody), fin, cutBody)
		},
	},
}

// endsAs asks once, and expects a part of a body, none without one, and an end.
func endsAs(ctx context.Context, e *examination, script string, want ending, body string) (seen, error) {
	return in(ctx, e, script, func(s Session, c *caller) (seen, error) {
		c.send(e.get(s))
		end := c.hear(answered, e.options.Patience)
		r, _ := readReply(c.heard)
		asWanted := len(c.heard) == 0
		if body != "" {
			asWanted = r.status == 200 && string(r.body) == body && !r.complete
		}
		return seen{got: e.describe(c.heard, end), right: end == want && asWanted, silent: end == silent}, nil
	})
}
