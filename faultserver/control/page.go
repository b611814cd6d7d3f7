package control

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/faultsrv/faultsrv/faultserver"
)

//go:embed page/page.html.tmpl
var pageText string

//go:embed page/page.css
var pageStyle string

//go:embed page/page.js
var pageScript string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// pagePolicy lets the page do what it does and nothing else, whatever stands in a
// journal: its own style and script, by their hashes, and requests to this API.
var pagePolicy = fmt.Sprintf("default-src 'none'; style-src 'sha256-%s'; script-src 'sha256-%s'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	hashOf(pageStyle), hashOf(pageScript))

func hashOf(text string) string {
	hash := sha256.Sum256([]byte(text))
	return base64.StdEncoding.EncodeToString(hash[:])
}

// mostRows is how many attempts the page shows: what a browser lays out without
// being noticed, and more than anybody reads.
const mostRows = 500

// A page is what the template shows: the sessions, or one of them.
type page struct {
	Style    template.CSS
	Script   template.JS
	Most     int
	Sessions []pageSession
	Session  *pageSession
	Attempts []pageAttempt
	Steps    []pageStep
}

type pageSession struct {
	ID, Link, From, URL, Expires string
	Attempts                     int
}

type pageStep struct {
	Text   string
	Served int
}

// pageAttempt is a row. page.js makes the same of what it hears live.
type pageAttempt struct {
	Index                                                          int
	Class, Arrived, Gap, Call, Request, Connection, Step, Happened string
}

func (s *Server) showSessionsPage(w http.ResponseWriter, _ *http.Request) *problem {
	var list []pageSession
	for _, e := range s.store.all() {
		list = append(list, onPage(e))
	}
	return writePage(w, page{Sessions: list})
}

func (s *Server) showSessionPage(w http.ResponseWriter, r *http.Request) *problem {
	e, missing := s.entryOf(r)
	if missing != nil {
		return missing
	}
	one := onPage(e)
	shown := page{Session: &one, Attempts: s.rows(e.session.Journal().Attempts)}
	steps, served := e.session.Script()
	for i, step := range steps {
		shown.Steps = append(shown.Steps, pageStep{visible(step.String()), served[i]})
	}
	return writePage(w, shown)
}

func onPage(e *entry) pageSession {
	shown := pageSession{
		ID: e.id, Link: "/sessions/" + url.PathEscape(e.id), From: cmp.Or(e.scenario.ID, "a script"), URL: e.session.URL(),
		Expires: "never", Attempts: e.session.Attempts(),
	}
	if expires := e.expires(); !expires.IsZero() {
		shown.Expires = expires.UTC().Format("2006-01-02 15:04:05 UTC")
	}
	return shown
}

// rows are the latest attempts.
func (s *Server) rows(attempts []faultserver.Attempt) []pageAttempt {
	before := map[string]faultserver.Attempt{}
	var rows []pageAttempt
	for i, a := range attempts {
		last, again := before[a.Call]
		before[a.Call] = a
		if i < len(attempts)-mostRows {
			continue
		}
		row := rowOf(s.redacted(a))
		if again {
			row.Gap = pageTime(a.Arrived - last.Arrived)
		}
		rows = append(rows, row)
	}
	return rows
}

func rowOf(a faultserver.Attempt) pageAttempt {
	row := pageAttempt{
		Index: a.Index, Class: "unmet", Arrived: pageTime(a.Arrived), Call: visible(a.Call),
		Request: visible(strings.TrimSpace(a.Method + " " + a.Target)), Connection: fmt.Sprint(a.Connection),
		Step: visible(a.Step.Text), Happened: visible(pageEffect(a)),
	}
	if a.Use > 1 {
		row.Connection += fmt.Sprintf(", request %d", a.Use)
	}
	switch {
	case a.Open:
		row.Class = "open"
	case a.Met:
		row.Class = "met"
	}
	return row
}

func pageEffect(a faultserver.Attempt) string {
	parts := []string{}
	if a.Happened.Kind != "" {
		parts = append(parts, a.Happened.Kind)
	}
	if a.Happened.Status != 0 {
		parts = append(parts, fmt.Sprint(a.Happened.Status))
	}
	if a.Happened.End != "" {
		parts = append(parts, a.Happened.End)
	}
	if a.Open {
		parts = append(parts, "in progress")
	}
	text := strings.Join(parts, " ")
	if a.Happened.Detail != "" {
		text += ": " + a.Happened.Detail
	}
	return text
}

func pageTime(d time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.1f ms", d.Seconds()*1000)
	}
	return fmt.Sprintf("%.3f s", d.Seconds())
}

// visible is a text of the wire for a reader's eyes: what would not be seen, or
// would turn the line around, as its number, and no more than fits.
func visible(text string) string {
	const most = 200
	var shown strings.Builder
	length := 0
	for _, c := range text {
		if length++; length > most {
			shown.WriteString("…")
			break
		}
		if unicode.Is(unicode.C, c) || c == '\u2028' || c == '\u2029' {
			fmt.Fprintf(&shown, "\\u{%x}", c)
		} else {
			shown.WriteRune(c)
		}
	}
	return shown.String()
}

func writePage(w http.ResponseWriter, shown page) *problem {
	shown.Style, shown.Script, shown.Most = template.CSS(pageStyle), template.JS(pageScript), mostRows //nolint:gosec // they are this package's own
	var text bytes.Buffer
	if err := pageTemplate.Execute(&text, shown); err != nil {
		return failed.problem("the page cannot be written: %v", err)
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", pagePolicy)
	w.Header().Set("Referrer-Policy", "no-referrer")
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(text.Bytes()) // a client that is gone needs none
	return nil
}
