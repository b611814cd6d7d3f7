package reports

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = DescribeTable("colors",
	func(want bool, choice string, terminal bool, variables map[string]string) {
		Expect(ColorOn(choice, terminal, func(name string) string { return variables[name] })).To(Equal(want))
	},
	Entry("on a terminal", true, ColorAuto, true, nil),
	Entry("on a terminal, when nothing is chosen", true, "", true, nil),
	Entry("on a pipe", false, ColorAuto, false, nil),
	Entry("on a dumb terminal", false, ColorAuto, true, map[string]string{"TERM": "dumb"}),
	Entry("with NO_COLOR", false, ColorAuto, true, map[string]string{"NO_COLOR": "1"}),
	Entry("with NO_COLOR set to nothing", true, ColorAuto, true, map[string]string{"NO_COLOR": ""}),
	Entry("asked for on a pipe, with NO_COLOR", true, ColorAlways, false, map[string]string{"NO_COLOR": "1"}),
	Entry("refused on a terminal", false, ColorNever, true, nil),
)

var _ = Describe("an unknown choice of colors", func() {
	It("is an error that names the choices", func() {
		_, err := ColorOn("rainbow", true, func(string) string { return "" })
		Expect(err).To(MatchError(`color: expected auto, always or never, got "rainbow"`))
	})
})

var _ = DescribeTable("breaking prose",
	func(width, indent int, text string, want ...string) {
		Expect(Style{Width: width}.wrapped(text, indent)).To(Equal(want))
	},
	Entry("no width", 0, 10, "one  two", "one  two"),
	Entry("fits", 50, 43, "one two", "one two"),
	Entry("does not fit", 50, 44, "one two", "one", "two"),
	Entry("a word that never fits", 50, 46, "one abcdefgh two", "one", "abcdefgh", "two"),
	Entry("a width that is too small", 3, 33, "one two", "one two"),
	Entry("counts characters, not bytes", 50, 43, "äöü äöü", "äöü äöü"),
	Entry("nothing", 50, 0, "", ""),
)

var _ = DescribeTable("text for a terminal",
	func(text, want string) { Expect(clean(text)).To(Equal(want)) },
	Entry("plain", "503 after 40 ms, ä → …", "503 after 40 ms, ä → …"),
	Entry("an escape sequence", "\x1b[2J", `\x1b[2J`),
	Entry("line ends", "a\r\nb", `a\r\nb`),
	Entry("a C1 control", "\u009b2J", `\u009b2J`),
	Entry("a direction override", "a\u202eb", `a\u202eb`),
	Entry("bytes that are no text", "a\xff", "a\uFFFD"),
)
