package assertions

import (
	"net/http"

	"github.com/faultsrv/faultsrv/faultserver"
)

// successAnswer is the answer that the client takes as success, with its
// defaults filled in.
func (s subject) successAnswer() faultserver.Answer {
	answer := s.evidence.Success
	if answer.Status == 0 {
		answer.Status = http.StatusOK
		if answer.Body.Len() == 0 && len(answer.Headers) == 0 {
			answer.Body = faultserver.Body{Text: faultserver.DefaultSuccessBody}
		}
	}
	return answer
}

// bodyAsRead is the body of an answer as a caller reads it: none after HEAD,
// 204 and 304, whatever the script says (RFC 9110, section 6.4.1).
func bodyAsRead(answer faultserver.Answer, method string) faultserver.Body {
	if method == http.MethodHead || answer.Status == http.StatusNoContent || answer.Status == http.StatusNotModified {
		return faultserver.Body{}
	}
	return answer.Body
}

// last is a call's last attempt; false where there was none.
func (c madeCall) last() (faultserver.Attempt, bool) {
	if len(c.attempts) == 0 {
		return faultserver.Attempt{}, false
	}
	return c.attempts[len(c.attempts)-1], true
}

// servedSuccess tells that an attempt was answered with the whole success
// answer, and that the peer has acknowledged more than its body, so all of it
// but what the network still owes. Where the platform cannot tell what was
// acknowledged, what was written counts. A stall that ends before anything was
// sent is followed by the success answer.
func servedSuccess(s subject, a faultserver.Attempt) bool {
	want := s.successAnswer()
	body := bodyAsRead(want.Encoded(), a.Method).Len()
	if a.Acked >= 0 && a.Acked <= body {
		return false
	}
	switch a.Happened.Kind {
	case "answer", "stale", "dribble", "bandwidth", "slow-read", "expect-continue":
		return a.Happened.Status == want.Status && a.Happened.Body == body
	case "stall":
		return a.Happened.Status == 0 && a.Answered > 0 && a.Client.How == ""
	default:
		return false
	}
}

// anyServed tells that one of a call's attempts got the success answer.
func anyServed(s subject, call madeCall) bool {
	for _, attempt := range call.attempts {
		if servedSuccess(s, attempt) {
			return true
		}
	}
	return false
}

// lastServed tells that a call's last attempt got the success answer.
func lastServed(s subject, call madeCall) bool {
	attempt, attempted := call.last()
	return attempted && servedSuccess(s, attempt)
}
