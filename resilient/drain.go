package resilient

import (
	"io"
	"net/http"
	"time"
)

// drain reads the rest of a discarded response, so that its connection can be
// used again, and closes it. It reads no more than limit bytes, for no longer
// than patience: a response that is larger, slower or endless costs its
// connection instead.
func drain(resp *http.Response, limit int64, patience time.Duration) {
	defer resp.Body.Close()
	if limit <= 0 || patience <= 0 || resp.ContentLength > limit {
		return
	}
	// A read cannot be given a deadline here, but closing the body ends it,
	// as net/http itself does when a request is canceled.
	late := time.AfterFunc(patience, func() { resp.Body.Close() })
	defer late.Stop()
	// One byte more than the limit, to see the end of a body of that length.
	_, _ = io.CopyN(io.Discard, resp.Body, limit+1)
}
