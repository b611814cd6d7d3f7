package process

import (
	"bytes"
	"strings"
	"testing"
)

func TestCaptureKeepsBothEnds(t *testing.T) {
	t.Parallel()
	const limit = 8
	text := []byte("abcdefghijklmnopqrstuvwxyz0123456789")
	for length := range len(text) + 1 {
		for chunk := 1; chunk <= length+1; chunk++ {
			capture := capture{limit: limit}
			for rest := text[:length]; len(rest) > 0; {
				n, err := capture.Write(rest[:min(chunk, len(rest))])
				if err != nil {
					t.Fatal(err)
				}
				rest = rest[n:]
			}
			got := capture.excerpt()
			head := text[:min(limit, length)]
			tail := text[max(len(head), length-limit):length]
			if !bytes.Equal(got.Head, head) || !bytes.Equal(got.Tail, tail) || got.Total != int64(length) {
				t.Fatalf("%d bytes in chunks of %d: kept %q and %q of %d, want %q and %q", length, chunk, got.Head, got.Tail, got.Total, head, tail)
			}
		}
	}
}

func TestLastLine(t *testing.T) {
	t.Parallel()
	for _, test := range [][2]string{
		{"", ""},
		{" \n\n", ""},
		{"one", "one"},
		{"one\ntwo\n\n", "two"},
		{"progress\rdone", "done"},
		{"\x1b[31mred\xff", "[31mred\uFFFD"},
		{"a\n" + strings.Repeat("é", 400), strings.Repeat("é", 300) + "…"},
	} {
		text, want := test[0], test[1]
		if got := strings.TrimSpace((Excerpt{Head: []byte(text)}).LastLine()); got != want {
			t.Errorf("last line of %q is %q, want %q", text, got, want)
		}
	}
}

func TestTellingLine(t *testing.T) {
	t.Parallel()
	for name, test := range map[string][2]string{
		"nothing":      {"", ""},
		"no error":     {"starting\nsegmentation fault\n", "segmentation fault"},
		"a retry":      {"retrying after an error\nsegmentation fault\n", "segmentation fault"},
		"Python":       {"Traceback (most recent call last):\n  File \"d.py\", line 1\nModuleNotFoundError: No module named 'x'\n", "ModuleNotFoundError: No module named 'x'"},
		"Node.js":      {"node:internal/modules:873\n  throw new ERR_NOT_FOUND(\n        ^\n\nError [ERR_NOT_FOUND]: Cannot find package 'got'\n    at new NodeError (node:internal/errors:405:5)\n  code: 'ERR_NOT_FOUND'\n}\n\nNode.js v20.20.2\n", "Error [ERR_NOT_FOUND]: Cannot find package 'got'"},
		"Ruby":         {"d.rb:1:in `require': cannot load such file -- x (LoadError)\n\tfrom d.rb:1:in `<main>'\n", "d.rb:1:in `require': cannot load such file -- x (LoadError)"},
		"PHP":          {"PHP Fatal error:  Uncaught Exception: boom in d.php:1\nStack trace:\n#0 {main}\n  thrown in d.php on line 1\n", "PHP Fatal error:  Uncaught Exception: boom in d.php:1"},
		"Go":           {"panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/d.go:4 +0x2c\nexit status 2\n", "panic: boom"},
		"Java":         {"Exception in thread \"main\" java.lang.NoClassDefFoundError: kit/Start\n\tat Driver.main(Driver.java:3)\nCaused by: java.lang.ClassNotFoundException: kit.Start\n\t... 1 more\n", "Caused by: java.lang.ClassNotFoundException: kit.Start"},
		"in its stack": {"boom\n    at new NodeError (node:1)\nthe end\n", "the end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := (Excerpt{Head: []byte(test[0])}).TellingLine(); got != test[1] {
				t.Errorf("%q, want %q", got, test[1])
			}
		})
	}
}
