package assertions

import (
	"crypto/sha256"
	"fmt"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/scenarios"
)

// fieldForms are the fields that there are, for messages.
const fieldForms = "method, target, proto and header.NAME"

// knownField tells that a field can be read.
func knownField(field scenarios.Field) bool {
	switch field {
	case "method", "target", "proto":
		return true
	default:
		name, header := strings.CutPrefix(string(field), "header.")
		return header && name != ""
	}
}

// fieldOf is an attempt's value of a field; false where the attempt has none.
// Header names match whatever their case, and several lines of one name are one
// value, joined by ", " in the order they came (RFC 9110, section 5.3).
func fieldOf(attempt faultserver.Attempt, field scenarios.Field) (string, bool) {
	switch field {
	case "method":
		return attempt.Method, true
	case "target":
		return attempt.Target, true
	case "proto":
		return attempt.Proto, true
	}
	name := strings.TrimPrefix(string(field), "header.")
	var lines []string
	for _, line := range attempt.Headers {
		if strings.EqualFold(line.Name, name) {
			lines = append(lines, line.Value)
		}
	}
	return strings.Join(lines, ", "), lines != nil
}

// requests are the attempts whose head came: the ones that have fields.
func requests(attempts []faultserver.Attempt) []faultserver.Attempt {
	var list []faultserver.Attempt
	for _, attempt := range attempts {
		if hasHead(attempt) {
			list = append(list, attempt)
		}
	}
	return list
}

// same judges that a field is equal in all requests of each call; absent from
// all is equal too. A header that the contract's call has must also be as the
// caller gave it. No clock. Where no call made two requests there is nothing to
// compare, and it is not observed.
func same(s subject, field scenarios.Field) Check {
	var t tally
	for _, call := range s.calls {
		list := requests(call.attempts)
		if given, asked := s.given(call, field); asked && len(list) > 0 {
			if value, has := fieldOf(list[0], field); !kept(field, given, value) {
				t.saw(valueText(value, has))
				t.fail(fmt.Sprintf("%s%s was %s in attempt %d, and the caller gave %s: the client sends another request than it was asked to",
					s.who(call), field, valueText(value, has), list[0].Number, valueText(given, true)), list[0].Index)
				continue
			}
		}
		if len(list) < 2 {
			t.skip("no call made two requests: there is nothing to compare")
			continue
		}
		t.judged++
		before, had := fieldOf(list[0], field)
		t.saw(valueText(before, had))
		for _, attempt := range list[1:] {
			value, has := fieldOf(attempt, field)
			if value != before || has != had {
				t.saw(valueText(value, has))
				t.fail(fmt.Sprintf("%s%s was %s in attempt %d and %s in attempt %d: the server saw another request",
					s.who(call), field, valueText(before, had), list[0].Number, valueText(value, has), attempt.Number),
					list[0].Index, attempt.Index)
				break
			}
		}
	}
	return t.check("same."+string(field), "the same in every attempt of a call")
}

// given is the value that a call's caller gave a header field; false where it
// gave none, and for what is no header.
func (s subject) given(call madeCall, field scenarios.Field) (string, bool) {
	if name, header := strings.CutPrefix(string(field), "header."); header && name != "" {
		if asked, ok := contractCall(s.evidence.Contract, call.Name); ok {
			return fieldOf(faultserver.Attempt{Headers: asked.Headers}, field)
		}
	}
	return "", false
}

// kept tells that a client sent the value that its caller gave. Clients that
// encode text say in what charset, and a media type with a parameter more is
// still the caller's (RFC 9110, section 8.3.1).
func kept(field scenarios.Field, given, sent string) bool {
	if strings.EqualFold(string(field), "header.Content-Type") {
		sent, _, _ = strings.Cut(sent, ";")
		given, _, _ = strings.Cut(given, ";")
		return strings.EqualFold(strings.TrimSpace(sent), strings.TrimSpace(given))
	}
	return sent == given
}

// distinct judges that no value of a field is used by two calls; a request
// without it fails. No clock. Where fewer than two calls made a request there
// is nothing to compare, and it is not observed.
func distinct(s subject, field scenarios.Field) Check {
	var t tally
	user := make(map[string]madeCall)
	for _, call := range s.calls {
		list := requests(call.attempts)
		if len(list) > 0 {
			t.judged++
		}
		for _, attempt := range list {
			value, has := fieldOf(attempt, field)
			other, used := user[value]
			if used && other.Token == call.Token {
				continue
			}
			t.saw(valueText(value, has))
			if !has {
				t.fail(fmt.Sprintf("%sattempt %d has no %s", s.who(call), attempt.Number, field), attempt.Index)
				continue
			}
			if used {
				t.fail(fmt.Sprintf("%s was %s in call %s and in call %s: the server takes the second for a repetition of the first",
					field, valueText(value, true), other.Token, call.Token), attempt.Index)
				continue
			}
			user[value] = call
		}
	}
	if t.judged < 2 && len(t.failures) == 0 {
		return unobserved("distinct."+string(field), "another value in each call", "fewer than two calls made a request: there is nothing to compare")
	}
	return t.check("distinct."+string(field), "another value in each call")
}

// absent judges that no request has a field. No clock. Where no request came it
// is not observed.
func absent(s subject, field scenarios.Field) Check {
	return presence(s, "absent."+string(field), "in no attempt", field, false)
}

// present judges that every request has a field. No clock. Where no request
// came it is not observed.
func present(s subject, field scenarios.Field) Check {
	return presence(s, "present."+string(field), "in every attempt", field, true)
}

func presence(s subject, name, expected string, field scenarios.Field, wanted bool) Check {
	t := tally{}
	t.skip("no request reached the server")
	for _, call := range s.calls {
		for _, attempt := range requests(call.attempts) {
			t.judged++
			value, has := fieldOf(attempt, field)
			t.saw(valueText(value, has))
			switch {
			case has && !wanted:
				t.fail(fmt.Sprintf("%sattempt %d has %s: %s", s.who(call), attempt.Number, field, valueText(value, has)), attempt.Index)
			case !has && wanted:
				t.fail(fmt.Sprintf("%sattempt %d has no %s", s.who(call), attempt.Number, field), attempt.Index)
			}
		}
	}
	return t.check(name, expected)
}

// dropped judges that a field which a call's first request has is in none of its
// later ones. No clock. Where no call made two requests, or the first has none,
// there is nothing to drop, and it is not observed.
func dropped(s subject, field scenarios.Field) Check {
	var t tally
	for _, call := range s.calls {
		list := requests(call.attempts)
		if len(list) < 2 {
			t.skip("no call made two requests: there is nothing to compare")
			continue
		}
		if _, had := fieldOf(list[0], field); !had {
			t.skip(fmt.Sprintf("no call's first request has %s: there is nothing to drop", field))
			continue
		}
		t.judged++
		for _, attempt := range list[1:] {
			value, has := fieldOf(attempt, field)
			t.saw(valueText(value, has))
			if has {
				t.fail(fmt.Sprintf("%sattempt %d has %s still: %s", s.who(call), attempt.Number, field, valueText(value, has)), list[0].Index, attempt.Index)
			}
		}
	}
	return t.check("dropped."+string(field), "in the first attempt of a call, and in none after it")
}

// valueText quotes a value. One that is too long for a sentence is told by its
// hash and never cut: a report hides a secret where it finds the whole of it.
func valueText(value string, has bool) string {
	const longest = 200
	if !has {
		return "absent"
	}
	if len(value) > longest {
		sum := sha256.Sum256([]byte(value))
		return fmt.Sprintf("a value of %s (SHA-256 %x…)", plural(len(value), "byte"), sum[:4])
	}
	return fmt.Sprintf("%q", value)
}
