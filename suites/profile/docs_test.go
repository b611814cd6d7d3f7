package profile

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites"
)

// What the guide shows can be read, and what it lists is all that there is.
func TestTheGuideIsRight(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/profiles.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(guide, -1)
	if len(examples) != 3 {
		t.Fatalf("%d examples, expected two profiles and a list", len(examples))
	}
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	var none suites.RoundTripper
	for _, example := range examples {
		if strings.HasPrefix(string(example[1]), "- ") {
			list, err := suites.ReadKnownFailures("docs/profiles.md", example[1])
			if err != nil {
				t.Fatal(err)
			}
			if err := suites.CheckKnownFailures(&none, list, catalogue); err != nil {
				t.Error(err)
			}
			continue
		}
		p, err := Parse("docs/profiles.md", example[1])
		if err != nil {
			t.Error(err)
		}
		if err := suites.CheckKnownFailures(&none, p.KnownFailures, catalogue); err != nil {
			t.Error(err)
		}
	}
	for _, word := range Exit("").Words() {
		if !strings.Contains(string(guide), "`"+word+"`") {
			t.Errorf("the guide does not name what an exit status can stand for: %s", word)
		}
	}
}
