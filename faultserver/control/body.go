package control

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// readBody reads a request's body, which has one of some media types. A form's
// type, which a page of any site can send without being asked, is none of them.
func readBody(r *http.Request, types ...string) (content []byte, mediaType string, refused *problem) {
	given := r.Header.Get("Content-Type")
	mediaType, _, err := mime.ParseMediaType(given)
	if err != nil || !slices.Contains(types, mediaType) {
		return nil, "", wrongMediaType.problem("Content-Type %q: expected %s; with curl: -H 'Content-Type: %s'", clip(given), strings.Join(types, " or "), types[0])
	}
	content, err = io.ReadAll(r.Body)
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return nil, "", tooLarge.problem("the body has more than %d bytes, which is the most", tooLong.Limit)
	}
	if err != nil {
		return nil, "", badRequest.problem("the body did not come whole: %v", err)
	}
	return content, mediaType, nil
}

// decode reads a JSON object strictly.
func decode(content []byte, into any) *problem {
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return badRequest.problem("the body: %v; expected a JSON object as /openapi.json describes it", err)
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return badRequest.problem("the body: something follows the JSON object")
	}
	return nil
}

// readJSON reads a request's body, a JSON object, strictly.
func readJSON(r *http.Request, into any) *problem {
	content, _, refused := readBody(r, "application/json")
	if refused != nil {
		return refused
	}
	return decode(content, into)
}
