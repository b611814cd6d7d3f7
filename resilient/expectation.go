package resilient

import (
	"net/http"
	"strings"
)

// refusedExpectation reports a 417 to a request that asked for 100 Continue. It
// says that somebody on the way does not know the expectation, and nothing of the
// request, whose body was not taken: it is to be repeated without it (RFC 9110
// §10.1.1).
func refusedExpectation(req *http.Request, resp *http.Response) bool {
	return resp.StatusCode == http.StatusExpectationFailed && strings.EqualFold(req.Header.Get("Expect"), "100-continue")
}

// dropExpectation has the further attempts ask for nothing where a response
// refused it, so that a second 417 is final.
func (c *call) dropExpectation(resp *http.Response) {
	if refusedExpectation(c.request, resp) {
		c.request = c.request.Clone(c.request.Context())
		c.request.Header.Del("Expect")
	}
}
