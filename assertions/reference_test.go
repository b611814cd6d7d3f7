package assertions

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// Each word has its section in the reference, in the order of the vocabulary,
// and no other word has one.
func TestTheReferenceDefinesEachWord(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../docs/reference/expectations.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := make(map[string]string)
	var order []string
	for _, section := range strings.Split(string(text), "\n## ")[1:] {
		title, body, _ := strings.Cut(section, "\n")
		if strings.HasPrefix(title, "How ") {
			continue
		}
		order = append(order, title)
		sections[title] = body
	}
	if !slices.Equal(order, vocabulary()) {
		t.Errorf("sections are %q,\nthe vocabulary is %q", order, vocabulary())
	}
	for word, body := range sections {
		if !strings.Contains(body, "*Not observed*:") && !strings.Contains(body, "Always observed.") {
			t.Errorf("%s: the section does not say when it is not observed", word)
		}
	}
}
