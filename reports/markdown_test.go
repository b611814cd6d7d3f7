package reports

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/scenarios"
)

func TestMarkdown(t *testing.T) {
	t.Run("broken", func(t *testing.T) {
		golden(t, "report.md", rendered(t, Markdown, sampleRun()))
	})
	t.Run("conforming", func(t *testing.T) {
		run := runOf(scenarios.Must, assertions.Pass, assertions.Unsupported)
		run.Client.Name, run.Client.Kind, run.Tool.Name = "resilient", "in-process", "faultsrv"
		golden(t, "report-conforming.md", rendered(t, Markdown, run))
	})
}

// Whatever a client says, no line of it may begin a block, end a cell or a
// code, or be a tag.
func TestMarkdownShowsHostileTextsAsText(t *testing.T) {
	for _, hostile := range hostileTexts {
		run := hostileRun(hostile)
		text := string(rendered(t, Markdown, run))
		if strings.Contains(outsideFences(text), "<script") || strings.Contains(outsideFences(text), "<img") {
			t.Errorf("%q is a tag:\n%s", hostile, text)
		}
		for _, table := range regexp.MustCompile(`(?m)^\|.*$`).FindAllString(outsideFences(text), -1) {
			if columns := strings.Count(table, "|") - 1; columns != 3 && columns != len(givenVerdicts(run))+1 {
				t.Errorf("%q changes the columns of a row: %s", hostile, table)
			}
		}
		if strings.Count(outsideFences(text), "<details>") != strings.Count(outsideFences(text), "</details>") {
			t.Errorf("%q opens or ends a fold:\n%s", hostile, text)
		}
	}
}

// outsideFences is a document without its blocks of code, each of which ends
// with a line that is the fence alone.
func outsideFences(text string) string {
	var out []string
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		switch ticks := line[:len(line)-len(strings.TrimLeft(line, "`"))]; {
		case fence == "" && len(ticks) >= 3:
			fence = ticks
		case fence == "":
			out = append(out, line)
		case line == fence:
			fence = ""
		}
	}
	return strings.Join(out, "\n")
}

func TestMarkdownText(t *testing.T) {
	for text, want := range map[string]string{
		"plain, 503 after 40 ms":   "plain, 503 after 40 ms",
		"a*b*_c_|d|`e`":            "a&#42;b&#42;&#95;c&#95;&#124;d&#124;&#96;e&#96;",
		`[x](y)\`:                  "&#91;x&#93;(y)&#92;",
		"<b>&amp;":                 "&lt;b&gt;&amp;amp;",
		"@someone fixed #12":       "@<!-- -->someone fixed #<!-- -->12",
		"see http://host and :hi:": "see http://<!-- -->host and :<!-- -->hi:",
		"two\nlines":               "two&#92;nlines",
	} {
		if got := markdownText(text); got != want {
			t.Errorf("%q: expected %q, got %q", text, want, got)
		}
	}
	for text, want := range map[string]string{
		"body.replay": "`body.replay`",
		"a`b":         "<code>a&#96;b</code>",
		"a|b":         "<code>a&#124;b</code>",
		"":            "",
	} {
		if got := markdownCode(text); got != want {
			t.Errorf("code %q: expected %q, got %q", text, want, got)
		}
	}
	if got, want := markdownFence("sh", "a\n````\n"), "`````sh\na\n````\n`````"; got != want {
		t.Errorf("expected %q, got %q", want, got)
	}
}

// A comment on GitHub holds 65,536 characters: a client that breaks everything,
// with many attempts each, must still fit.
func TestMarkdownFitsIntoAComment(t *testing.T) {
	broken := sampleRun().Results
	var fail Result
	for _, result := range broken {
		if result.Verdict == assertions.Fail {
			fail = result
		}
	}
	for len(fail.Attempts) < 200 {
		fail.Attempts = append(fail.Attempts, fail.Attempts...)
	}
	var results []Result
	for i := range 80 {
		result := fail
		result.ID = fmt.Sprintf("body.broken-%02d", i)
		results = append(results, result)
	}
	text := string(rendered(t, Markdown, Assemble(Run{}, results, sampleRedactor())))
	if size := utf8.RuneCountInString(text); size > 65536 {
		t.Errorf("%d characters", size)
	}
	if !strings.Contains(text, "70 contracts more") || !strings.Contains(text, "body.broken-79") {
		t.Error("what is not explained is not listed")
	}
}
