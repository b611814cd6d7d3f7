package resilient

import (
	"context"
	"net/http"
	"time"
)

// CallInfo tells what a response took.
type CallInfo struct {
	// Attempts made, the first included.
	Attempts int
	// Hedges are the attempts among these that were sent while another was
	// still under way.
	Hedges int
	// Cause is why a response that asked for a retry got none. It is empty
	// for a response that was accepted.
	Cause Cause
	// Waited is the sum of the pauses between the attempts.
	Waited time.Duration
}

type infoKey struct{}

// record ties the information to the request it belongs to, since contexts
// are inherited by calls that have nothing to do with it.
type record struct {
	info    CallInfo
	request *http.Request
}

// Info tells what a Transport's response took. A response that was accepted
// at the first attempt carries no record, and neither does one that no
// Transport returned: both report one attempt. It is zero for nil.
//
// The record travels in the context of resp.Request, which is why a response
// after a retry has a request that is not the caller's own, though it has the
// same fields.
func Info(resp *http.Response) CallInfo {
	if resp == nil {
		return CallInfo{}
	}
	if resp.Request != nil {
		if r, ok := resp.Request.Context().Value(infoKey{}).(*record); ok && r.request == resp.Request {
			return r.info
		}
	}
	return CallInfo{Attempts: 1}
}

// attach leaves the information with the response. Where there is nothing to
// tell, it costs nothing.
func (info CallInfo) attach(resp *http.Response) {
	if info.Attempts == 1 && info.Cause == "" {
		return
	}
	r := &record{info: info}
	r.request = resp.Request.WithContext(context.WithValue(resp.Request.Context(), infoKey{}, r))
	resp.Request = r.request
}
