package reports

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/faultsrv/faultsrv/faultserver"
)

// Whatever the secret is and wherever it stands, a text does not show it, and
// hiding it twice is hiding it once.
func TestNoTextShowsARememberedSecret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-:<-~]{6,40}`).Draw(t, "secret")
		before := rapid.String().Draw(t, "before")
		after := rapid.String().Draw(t, "after")
		redactor := NewRedactor(Secrets{Headers: []string{"X-Secret"}})
		header := rapid.SampledFrom([]faultserver.Header{
			{Name: "X-Secret", Value: secret},
			{Name: "Authorization", Value: "Bearer " + secret},
			{Name: "Authorization", Value: "Basic " + basic("user", secret)},
			{Name: "Cookie", Value: "a=b; session=" + secret},
			{Name: "Set-Cookie", Value: "session=" + secret + "; Path=/"},
		}).Draw(t, "header")
		redactor.Learn(faultserver.Headers{header})

		hidden := redactor.Text(before + secret + after)
		if strings.Contains(hidden, secret) && !strings.Contains(hashPrefix, secret) {
			t.Fatalf("%q shows %q", hidden, secret)
		}
		if again := redactor.Text(hidden); again != hidden {
			t.Fatalf("hiding twice changes %q to %q", hidden, again)
		}
	})
}

// A command line is split by a shell into the arguments it was made of.
func TestACommandLineHoldsItsArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.StringMatching(`[a-z '"$\\{}*;&|<>\n]*`), 1, 5).Draw(t, "args")
		line := NewRedactor(Secrets{}).CommandLine(args)
		if got := shellSplit(line); strings.Join(got, "\x00") != strings.Join(args, "\x00") {
			t.Fatalf("%s\nis split into %q, expected %q", line, got, args)
		}
	})
}

// shellSplit is what a POSIX shell does with words, single quotes and an
// escaped quote, which is all that a command line uses.
func shellSplit(line string) []string {
	words := []string{""}
	quoted := false
	for i := 0; i < len(line); i++ {
		last := &words[len(words)-1]
		switch {
		case line[i] == '\'':
			quoted = !quoted
		case !quoted && line[i] == ' ':
			words = append(words, "")
		case !quoted && line[i] == '\\':
			i++
			*last += string(line[i])
		default:
			*last += string(line[i])
		}
	}
	return words
}
