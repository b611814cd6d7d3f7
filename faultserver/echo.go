package faultserver

import (
	"encoding/json"
	"net/http"
	"unicode/utf8"
)

// Echo answers with the request as it came, as JSON: a look at what a client
// really sends. It is for Config.Choose and for scripts in Go; one-line scripts
// and contracts, whose answers do not depend on the request, have no word for it.
type Echo struct{}

// ActName implements Act.
func (Echo) ActName() string { return "echo" }

func (Echo) place() place { return place{phases: []Phase{RequestEnd}} }

func (Echo) validate(Point) []error { return nil }

func (Echo) intent(x *exchange) Effect {
	return Effect{Kind: "answer", At: x.at.String(), Status: http.StatusOK}
}

func (Echo) perform(x *exchange) {
	answer := Answer{Headers: Headers{{"Content-Type", "application/json"}, {"X-Content-Type-Options", "nosniff"}}, Body: Body{Text: x.echo()}}
	x.session.update(x.record, func(r *record) { r.Intended = x.answerIntent("answer", answer) })
	x.answer(answer)
}

func (Echo) parameters() parameters { return parameters{} }

// echo is the request, as JSON. Of the body it has the text that was kept (see
// Config.KeepBodies), if it is one.
func (x *exchange) echo() string {
	receipt := x.body.snapshot()
	shown := struct {
		Method  string  `json:"method"`
		Target  string  `json:"target"`
		Proto   string  `json:"proto"`
		Headers Headers `json:"headers"`
		Length  int64   `json:"body_length"`
		SHA256  string  `json:"body_sha256"`
		Body    string  `json:"body,omitempty"`
	}{x.head.method, x.head.path, x.head.proto, x.head.headers, receipt.Received, receipt.SHA256, ""}
	if utf8.Valid(receipt.Kept) {
		shown.Body = string(receipt.Kept)
	}
	text, err := json.MarshalIndent(shown, "", "  ")
	if err != nil {
		return err.Error() + "\n"
	}
	return string(text) + "\n"
}
