package service

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// yamlBlock is a YAML example of the guide, with the indent of a list's item taken
// along.
var yamlBlock = regexp.MustCompile("(?ms)^( *)```yaml\n(.*?)^ *```$")

// TestTheGuidesExamplesAreRead reads the profile and the stubs of the guide.
func TestTheGuidesExamplesAreRead(t *testing.T) {
	t.Parallel()
	guide, err := os.ReadFile("../../docs/service-teams.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := folder(t, map[string]string{"paid.json": "{}", "cart.json": "{}", "stubs/customer.json": "{}"})
	profiles, stubs := 0, 0
	for _, block := range yamlBlock.FindAllStringSubmatch(string(guide), -1) {
		text := strings.ReplaceAll("\n"+block[2], "\n"+block[1], "\n")
		switch {
		case strings.Contains(text, "kind: service"):
			profiles++
			if _, err := Parse(filepath.Join(dir, "service.yaml"), []byte(text)); err != nil {
				t.Error(err)
			}
		case strings.Contains(text, "- match:"):
			stubs++
			if err := os.WriteFile(filepath.Join(dir, "stubs", "guide.yaml"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if read, err := readStubs(filepath.Join(dir, "stubs")); err != nil || len(read) != 2 {
				t.Errorf("%d stubs: %v", len(read), err)
			}
		}
	}
	if profiles != 1 || stubs != 1 {
		t.Errorf("%d profiles and %d stubs in the guide; want one of each", profiles, stubs)
	}
	for _, name := range []string{"go-shop", "python-shop", "node-shop"} {
		if _, err := Load("../../examples/" + name + "/service.yaml"); err != nil {
			t.Error(err)
		}
	}
}
