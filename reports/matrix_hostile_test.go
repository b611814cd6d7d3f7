package reports

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/assertions"
)

// hostileMatrix is of a client, and of a file of one, in which every text that is not
// a closed word is the hostile one.
func hostileMatrix(t *testing.T, text string) Matrix {
	t.Helper()
	run := hostileRun(text)
	run.Client.Language = text
	run.Results[0].Verdict = assertions.KnownFail
	run.Results[0].Known = &KnownFailure{Reason: text, Link: text}
	made, err := NewMatrix([]Column{NewColumn(run, text, []string{text})}, map[string]string{text: text})
	if err != nil {
		t.Fatal(err)
	}
	made.Missing = []string{text}
	return made
}

func matrixAs(t *testing.T, render func(io.Writer, Matrix) error, made Matrix) string {
	t.Helper()
	var out bytes.Buffer
	if err := render(&out, made); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestTheMatrixShowsHostileTextsAsText(t *testing.T) {
	allowed := map[string]bool{}
	for _, node := range nodes(t, []byte(matrixAs(t, MatrixHTML, hostileMatrix(t, "plain")))) {
		allowed[node.Data] = true
	}
	for _, hostile := range hostileTexts {
		made := hostileMatrix(t, hostile)
		for _, node := range nodes(t, []byte(matrixAs(t, MatrixHTML, made))) {
			if !allowed[node.Data] {
				t.Errorf("%q made an element %q", hostile, node.Data)
			}
			for _, a := range node.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" || strings.HasPrefix(a.Val, "javascript:") {
					t.Errorf("%q made an attribute %s=%q of %q", hostile, a.Key, a.Val, node.Data)
				}
			}
		}
		text := matrixAs(t, MatrixMarkdown, made)
		if strings.Contains(text, "<script") || strings.Contains(text, "<img") || strings.Contains(text, "</details>") {
			t.Errorf("%q is a tag:\n%s", hostile, text)
		}
		for _, link := range regexp.MustCompile(`\]\(([^<)][^)]*)\)`).FindAllStringSubmatch(text, -1) {
			if !strings.HasSuffix(link[1], ".json") || strings.ContainsAny(link[1], ":<> ") {
				t.Errorf("%q leads to %q", hostile, link[1])
			}
		}
		for _, link := range regexp.MustCompile(`\]\(<([^)]*)>\)`).FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(link[1], "http") {
				t.Errorf("%q leads to %q", hostile, link[1])
			}
		}
	}
}

func TestAMatrixSaysWhoIsMissing(t *testing.T) {
	made := sampleMatrix(t)
	for _, form := range []string{matrixAs(t, MatrixMarkdown, made), matrixAs(t, MatrixHTML, made)} {
		if strings.Contains(form, "partial") {
			t.Errorf("a whole matrix is said to be partial:\n%s", form)
		}
	}
	made.Missing = []string{"got", "wget"}
	for _, form := range []string{matrixAs(t, MatrixMarkdown, made), matrixAs(t, MatrixHTML, made)} {
		if want := "This matrix is partial: 2 clients could not be judged, or not to the end: got, wget."; !strings.Contains(form, want) {
			t.Errorf("expected %q in:\n%s", want, form)
		}
	}
}
