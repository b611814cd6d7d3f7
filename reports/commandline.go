package reports

import (
	"regexp"
	"strings"
)

// namesSecret is an option whose value is a secret, by its name.
var namesSecret = regexp.MustCompile(`(?i)^--?[a-z0-9-]*(user|passw(or)?d|pass|secret|token|bearer|cookie|api-?key)$`)

// maybeSecret are short options that mean a secret only where the value looks
// like one: curl's user and proxy user "name:password", also behind other letters
// (-sSu), and its cookie "name=value".
var maybeSecret = map[string]*regexp.Regexp{
	":": regexp.MustCompile(`^-[A-Za-z]{0,5}[uU]$`),
	"=": regexp.MustCompile(`^-b$`),
}

// joinedUser is a user option in one word with its value, -uname:password; what has
// a slash behind its colon is an address.
var joinedUser = regexp.MustCompile(`^(-[uU])([^:=/-][^:=/]*:[^/].*)$`)

// CommandLine is a command as one line that a POSIX shell splits into the same
// arguments, with the secrets among them hashed.
func (r *Redactor) CommandLine(args []string) string {
	return strings.Join(mapped(r.Arguments(args), shellQuote), " ")
}

// Arguments are the arguments of a command with the secrets among them hashed:
// those that Text hides, and the values of options that name a secret. They
// are remembered. Nil becomes an empty list.
func (r *Redactor) Arguments(args []string) []string {
	redacted := make([]string, 0, len(args))
	for i, arg := range args {
		option, value, joined := strings.Cut(arg, "=")
		switch {
		case joined && namesSecret.MatchString(option):
			arg = option + "=" + r.secretValue(value)
		case i > 0 && (namesSecret.MatchString(args[i-1]) || looksSecret(args[i-1], arg)):
			arg = r.secretValue(arg)
		case joinedUser.MatchString(arg):
			parts := joinedUser.FindStringSubmatch(arg)
			arg = parts[1] + r.secretValue(parts[2])
		}
		redacted = append(redacted, r.Text(arg))
	}
	return redacted
}

func looksSecret(option, value string) bool {
	for sign, means := range maybeSecret {
		if means.MatchString(option) && strings.Contains(value, sign) {
			return true
		}
	}
	return false
}

// secretValue leaves a placeholder such as {token} and another option as they are.
func (r *Redactor) secretValue(value string) string {
	if strings.HasPrefix(value, "-") || strings.HasPrefix(value, "{") && strings.HasSuffix(value, "}") {
		return value
	}
	r.remember(value)
	return r.Hash(value)
}

// plainWord needs no quotes in a POSIX shell. Braces are for placeholders such
// as {url}: alone, without a comma or "..", they mean nothing to a shell.
var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+:,./=-]+$|^\{[a-z-]+\}$`)

func shellQuote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
