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
