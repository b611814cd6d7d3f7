package control

import (
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// An answerWriter remembers the status, and gives up a client that leaves a part
// of its answer unread for writeTime. The deadline is set anew for each part, as
// a kept connection has the one of its last answer.
type answerWriter struct {
	http.ResponseWriter

	control *http.ResponseController
	status  int
}

// writePart is how much is written under one deadline.
const writePart = 64 << 10

// WriteHeader implements http.ResponseWriter.
func (w *answerWriter) WriteHeader(status int) {
	w.status = status
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *answerWriter) Write(p []byte) (written int, err error) {
	for len(p) > 0 && err == nil {
		w.extend()
		var n int
		n, err = w.ResponseWriter.Write(p[:min(len(p), writePart)])
		written += n
		p = p[n:]
	}
	return written, err
}

func (w *answerWriter) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTime)) // where it cannot be set, there is no socket to wait for
}

// Unwrap lets http.ResponseController reach the connection.
func (w *answerWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// writeJSON answers with a value.
func writeJSON(w http.ResponseWriter, status int, value any) *problem {
	text, err := json.Marshal(value)
	if err != nil {
		return failed.problem("the answer cannot be written as JSON: %v", err)
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that is gone needs none
	return nil
}

func writeText(w http.ResponseWriter, status int, text string) *problem {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, _ = io.WriteString(w, text) // a client that is gone needs none
	return nil
}
