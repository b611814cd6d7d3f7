package control

import (
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/faultsrv/faultsrv/faultserver/control/client"
)

// A problem is an error as the API tells it (RFC 9457).
type problem client.Problem

// A kind of problem is known to programs by its code, and explained to readers
// where the type's address leads.
type kind struct {
	code   string
	status int
	title  string
}

// problemType is the media type of problem details.
const problemType = "application/problem+json"

// problemDocs is where each code is explained.
const problemDocs = "https://github.com/faultsrv/faultsrv/blob/main/docs/serve.md#"

// The kinds of problem: a closed list.
var (
	badRequest     = kind{"bad-request", http.StatusBadRequest, "the request cannot be read"}
	unauthorized   = kind{"unauthorized", http.StatusUnauthorized, "the token is missing or wrong"}
	crossSite      = kind{"cross-site", http.StatusForbidden, "a page of another site may not do that"}
	notAllowed     = kind{"not-allowed", http.StatusForbidden, "the server was not started to allow that"}
	notFound       = kind{"not-found", http.StatusNotFound, "there is no such thing"}
	wrongMethod    = kind{"wrong-method", http.StatusMethodNotAllowed, "the method is not one of this resource's"}
	conflict       = kind{"conflict", http.StatusConflict, "the state does not allow it"}
	tooLarge       = kind{"too-large", http.StatusRequestEntityTooLarge, "the request is too large"}
	wrongMediaType = kind{"wrong-media-type", http.StatusUnsupportedMediaType, "the body has another type"}
	otherOwner     = kind{"other-owner", http.StatusMisdirectedRequest, "the session is another server's"}
	misdirected    = kind{"misdirected", http.StatusMisdirectedRequest, "the Host is not this server"}
	unusable       = kind{"unusable", http.StatusUnprocessableEntity, "it can be read and not be used"}
	tooMany        = kind{"too-many", http.StatusTooManyRequests, "a limit is reached"}
	failed         = kind{"failed", http.StatusInternalServerError, "the server failed"}
	notInTime      = kind{"not-in-time", http.StatusGatewayTimeout, "it did not happen in time"}
)

func (k kind) problem(format string, args ...any) *problem {
	return &problem{Type: problemDocs + k.code, Title: k.title, Status: k.status, Detail: fmt.Sprintf(format, args...)}
}

// write answers with the problem.
func (p *problem) write(w http.ResponseWriter) {
	text, err := json.Marshal(p)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(p.Status)
	_, _ = w.Write(append(text, '\n')) // a client that is gone needs none
}
