package reports

import (
	"regexp"
	"strings"
)

// unlinked marks, on the way, where a link is prevented. It cannot be in a text:
// clean makes a character of private use visible.
const unlinked = "\uE000"

// markdownSpecial are the characters that are markup, or end a cell of a table.
// As entities they are text everywhere: in a paragraph, a cell, a heading.
var markdownSpecial = strings.NewReplacer(
	"&", "&amp;", "<", "&lt;", ">", "&gt;",
	`\`, "&#92;", "`", "&#96;", "|", "&#124;",
	"*", "&#42;", "_", "&#95;", "~", "&#126;", "[", "&#91;", "]", "&#93;", "$", "&#36;",
	unlinked, "<!-- -->",
)

// markdownLink is what GitHub makes a link, a mention or a picture of in plain
// text: people, issues and addresses that a client speaks of are none of ours.
var markdownLink = regexp.MustCompile(`(@|#|:|://|www\.)([A-Za-z0-9+])`)

// markdownText is a text as Markdown that shows exactly this text.
func markdownText(text string) string {
	return markdownSpecial.Replace(markdownLink.ReplaceAllString(clean(text), "${1}"+unlinked+"${2}"))
}

// markdownCode is a text as code, in any place that is not itself code.
func markdownCode(text string) string {
	text = clean(text)
	if text == "" {
		return ""
	}
	if strings.ContainsAny(text, "`|\\<>&") || text != strings.TrimSpace(text) {
		// Between backticks nothing can be escaped, and in a cell a | must be.
		return "<code>" + markdownText(text) + "</code>"
	}
	return "`" + text + "`"
}

// markdownFence is a block of lines as they are; the fence is longer than any
// run of backticks in them.
func markdownFence(language, text string) string {
	var lines strings.Builder
	longest, length := 2, 0
	for line := range strings.Lines(text) {
		lines.WriteString(clean(strings.TrimRight(line, "\n ")) + "\n")
	}
	for _, r := range lines.String() {
		if length++; r != '`' {
			length = 0
		}
		longest = max(longest, length)
	}
	fence := strings.Repeat("`", longest+1)
	return fence + language + "\n" + lines.String() + fence
}
