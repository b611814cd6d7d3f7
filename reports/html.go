package reports

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

var (
	//go:embed page/page.html.tmpl
	pageTemplate string
	//go:embed page/page.css
	pageStyle string
	//go:embed page/page.js
	pageScript string

	// page is the parsed template: it is part of the program, so that a mistake
	// in it is one in the program.
	htmlPage = template.Must(template.New("page").Parse(pageTemplate))
)

// HTML writes the run as one page that stands alone: it asks for nothing from
// anywhere, reads without JavaScript (which adds a search and opens what a link
// points to), on a phone, in the dark, on paper and by a screen reader. It is a
// [Renderer]; the same run gives the same bytes.
//
// A browser that runs it allows no other style or script than the page's own,
// by their hashes, and no request: what a client says cannot do either.
func HTML(w io.Writer, run Run) error {
	var page bytes.Buffer
	if err := htmlPage.Execute(&page, newPageView(run)); err != nil {
		return fmt.Errorf("write the results as HTML: %w", err)
	}
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("write the results as HTML: %w", err)
	}
	return nil
}

// The page's style and script as elements. They are whole here, since the
// template would change them, and their hashes would no longer fit.
func styleElement() template.HTML {
	return template.HTML("<style>" + pageStyle + "</style>") //nolint:gosec // our own file
}

func scriptElement() template.HTML {
	return template.HTML("<script>" + pageScript + "</script>") //nolint:gosec // our own file
}

// contentPolicy allows the page's own style and script, and the empty icon
// that keeps a browser from asking for one.
func contentPolicy() string {
	return fmt.Sprintf("default-src 'none'; style-src %s; script-src %s; img-src data:; base-uri 'none'; form-action 'none'",
		sourceHash(pageStyle), sourceHash(pageScript))
}

func sourceHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
