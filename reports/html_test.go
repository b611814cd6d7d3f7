package reports

import (
	"bytes"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

// The style and the script have files of their own, so the golden page is
// without them.
func TestHTML(t *testing.T) {
	page := string(rendered(t, HTML, sampleRun()))
	for _, part := range []string{pageStyle, pageScript, contentPolicy()} {
		if !strings.Contains(html.UnescapeString(page), part) {
			t.Errorf("the page is without: %.60s…", part)
		}
	}
	page = regexp.MustCompile(`"default-src [^"]*"`).ReplaceAllString(page, `"…"`)
	page = strings.NewReplacer(pageStyle, "…", pageScript, "…").Replace(page)
	golden(t, "report.html", []byte(page))
}

// pages are runs of every kind that a page can be made of.
func pages() map[string]Run {
	all := map[string]Run{
		"sample":     sampleRun(),
		"conforming": runOf(scenarios.Must, assertions.Pass),
		"nothing":    runOf(scenarios.Must),
		"stopped":    runOf(scenarios.Must, assertions.HarnessError),
		"crowd":      crowd(),
		"long":       long(),
	}
	for i, text := range hostileTexts {
		all[fmt.Sprintf("hostile text %d", i)] = hostileRun(text)
	}
	if merged, err := Merge(shards(sampleRun(), 2)...); err == nil {
		all["merged"] = merged
	}
	return all
}

// A browser would repair a page that is wrong, and each would do so in its own
// way: what is parsed must be what was written.
func TestHTMLIsWellFormed(t *testing.T) {
	for name, run := range pages() {
		page := rendered(t, HTML, run)
		if problem := unbalanced(page); problem != "" {
			t.Errorf("%s: %s", name, problem)
		}
		ids := map[string]bool{}
		for _, node := range nodes(t, page) {
			id, has := attribute(node, "id")
			if has && (ids[id] || id == "") {
				t.Errorf("%s: the id %q is not one element's", name, id)
			}
			ids[id] = true
		}
	}
}

// voidElements have no end tag.
var voidElements = []string{"meta", "link", "input", "br", "hr", "img"}

// unbalanced says where a start or end tag has no partner.
func unbalanced(page []byte) string {
	var open []string
	tokens := html.NewTokenizer(bytes.NewReader(page))
	for {
		kind := tokens.Next()
		name, _ := tokens.TagName()
		switch kind {
		case html.ErrorToken:
			if len(open) > 0 {
				return fmt.Sprintf("not ended: %q", open)
			}
			return ""
		case html.StartTagToken:
			if !slices.Contains(voidElements, string(name)) {
				open = append(open, string(name))
			}
		case html.EndTagToken:
			if len(open) == 0 || open[len(open)-1] != string(name) {
				return fmt.Sprintf("</%s> ends %q", name, open)
			}
			open = open[:len(open)-1]
		}
	}
}

// nodes are all elements of a page, in their order.
func nodes(t *testing.T, page []byte) []*html.Node {
	t.Helper()
	document, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	var all []*html.Node
	for node := range document.Descendants() {
		if node.Type == html.ElementNode {
			all = append(all, node)
		}
	}
	return all
}

func attribute(node *html.Node, key string) (string, bool) {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val, true
		}
	}
	return "", false
}

// What a client or a contract says must never become an element, an attribute,
// a style or an address that a browser acts on.
func TestHTMLShowsHostileTextsAsText(t *testing.T) {
	allowed := elementsOf(t, sampleRun(), crowd(), long(), hostileRun("plain"))
	for _, text := range hostileTexts {
		for _, node := range nodes(t, rendered(t, HTML, hostileRun(text))) {
			if !allowed[node.Data] {
				t.Errorf("%q made an element %q", text, node.Data)
			}
			for _, a := range node.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
					t.Errorf("%q made an attribute %s of %q", text, a.Key, node.Data)
				}
			}
			if node.Data == "script" && (node.FirstChild == nil || node.FirstChild.Data != pageScript) {
				t.Errorf("%q is in a script", text)
			}
		}
	}
}

func elementsOf(t *testing.T, runs ...Run) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	for _, run := range runs {
		for _, node := range nodes(t, rendered(t, HTML, run)) {
			names[node.Data] = true
		}
	}
	return names
}

// A hostile text has to be there, as text: a page that leaves it out hides
// what the client said.
func TestHTMLKeepsWhatWasSaid(t *testing.T) {
	page := rendered(t, HTML, hostileRun(`<script>alert(1)</script>`))
	document, err := html.Parse(bytes.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for node := range document.Descendants() {
		if node.Type == html.TextNode && strings.Contains(node.Data, "<script>alert(1)</script>") {
			seen++
		}
	}
	if seen < 30 {
		t.Errorf("expected the text wherever it was said, got it %d times", seen)
	}
}

func TestHTMLAsksForNothing(t *testing.T) {
	for name, run := range pages() {
		for _, node := range nodes(t, rendered(t, HTML, run)) {
			for _, a := range node.Attr {
				switch a.Key {
				case "src", "srcset", "poster", "background", "action", "formaction", "ping", "data", "manifest":
					t.Errorf("%s: <%s %s=%q> may ask for something", name, node.Data, a.Key, a.Val)
				case "href":
					if !quiet(node, a.Val) {
						t.Errorf("%s: <%s href=%q>", name, node.Data, a.Val)
					}
				}
			}
		}
	}
	for _, word := range []string{"url(", "@import", "@font-face"} {
		if strings.Contains(pageStyle, word) {
			t.Errorf("the style asks for something: %s", word)
		}
	}
}

// quiet tells that an address is one of the page itself, or a link to read a
// source that asks for nothing until somebody follows it.
func quiet(node *html.Node, address string) bool {
	if node.Data == "link" {
		return address == "data:,"
	}
	if strings.HasPrefix(address, "#") {
		return true
	}
	parsed, err := url.Parse(address)
	return err == nil && node.Data == "a" && (parsed.Scheme == "https" || parsed.Scheme == "http") && parsed.Host != ""
}

// Who cannot see the page has its headings, its regions and its tables.
func TestHTMLCanBeHeard(t *testing.T) {
	for name, run := range pages() {
		level := 0
		for _, node := range nodes(t, rendered(t, HTML, run)) {
			role, _ := attribute(node, "role")
			_, hidden := attribute(node, "aria-hidden")
			label, _ := attribute(node, "aria-label")
			switch {
			case len(node.Data) == 2 && node.Data[0] == 'h' && node.Data != "hr":
				if next := int(node.Data[1] - '0'); next > level+1 {
					t.Errorf("%s: a heading h%d follows an h%d", name, next, level)
				} else {
					level = next
				}
			case node.Data == "svg" && !hidden:
				if role != "img" || label == "" || child(node, "title") == nil || child(node, "desc") == nil {
					t.Errorf("%s: a drawing without a role, a name or a description", name)
				}
			case role == "region" && label == "":
				t.Errorf("%s: a region without a name", name)
			case node.Data == "th":
				if _, has := attribute(node, "scope"); !has {
					t.Errorf("%s: a head of a table without a scope", name)
				}
			case node.Data == "input":
				if node.Parent.Data != "label" {
					t.Errorf("%s: an input without a label", name)
				}
			}
		}
	}
}

func child(node *html.Node, name string) *html.Node {
	for c := range node.ChildNodes() {
		if c.Data == name {
			return c
		}
	}
	return nil
}

func TestHTMLOpensOnlyTheFirstFailures(t *testing.T) {
	var verdicts []assertions.Verdict
	for range mostOpen + 3 {
		verdicts = append(verdicts, assertions.Fail)
	}
	open := 0
	for _, node := range nodes(t, rendered(t, HTML, runOf(scenarios.Must, verdicts...))) {
		if _, has := attribute(node, "open"); has && node.Data == "details" {
			open++
		}
	}
	if open != mostOpen {
		t.Errorf("expected %d open contracts, got %d", mostOpen, open)
	}
}

func TestACitationIsALinkOnlyToTheWeb(t *testing.T) {
	for _, test := range []struct {
		cite scenarios.Cite
		want citeView
	}{
		{scenarios.Cite{Doc: "RFC 9110", Section: "9.2.2", Strength: scenarios.StrengthMay}, citeView{"RFC 9110 section 9.2.2 (MAY)", "https://www.rfc-editor.org/rfc/rfc9110#section-9.2.2"}},
		{scenarios.Cite{Doc: "gRPC A6", URL: "https://example.org/a6"}, citeView{"gRPC A6", "https://example.org/a6"}},
		{scenarios.Cite{Doc: "a paper"}, citeView{"a paper", ""}},
		{scenarios.Cite{Doc: "a trap", URL: "javascript:alert(1)"}, citeView{"a trap", ""}},
	} {
		if got := newCiteView(test.cite); got != test.want {
			t.Errorf("expected %+v, got %+v", test.want, got)
		}
	}
}
