package observe

import (
	"os"
	"strings"
	"testing"
)

// TestTheGuideKnowsEveryLine holds docs/observe.md to the topics and to what they
// are read from.
func TestTheGuideKnowsEveryLine(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/observe.md")
	if err != nil {
		t.Fatal(err)
	}
	guide := string(text)
	for _, topic := range topics {
		if !strings.Contains(guide, "| `"+topic.name+"` |") {
			t.Errorf("the guide does not explain the line %q", topic.name)
		}
		for _, l := range topic.looks {
			short := "`" + strings.TrimPrefix(l.contract, "attempts.observed-on") + "`"
			if !strings.Contains(guide, "`"+l.contract+"`") && !strings.Contains(guide, short) {
				t.Errorf("the guide does not name %s, which the line %q is read from", l.contract, topic.name)
			}
		}
	}
}
