package command

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/faultsrv/faultsrv/faultserver"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// braces matches, in this order: a brace that belongs to the command, an
// escaped word, a word.
var braces = regexp.MustCompile(`[$%]\{[^}]*\}|\{\{[A-Za-z][\w-]*(?:\.\.\.|…)?\}\}|\{[A-Za-z][\w-]*(?:\.\.\.|…)?\}`)

// variables matches the environment variables that an argument names.
var variables = regexp.MustCompile(`\bFAULTSRV_\w*`)

// argument is one argument of the command, split at its placeholders.
type argument struct {
	pieces []piece
	// headerFlag is set for {header...}: the option that is repeated with it.
	headerFlag string
	// optional tells that the argument is left out where its placeholder has no
	// value.
	optional bool
}

// piece is a literal text or, where name is set, a placeholder.
type piece struct {
	text string
	name placeholder
}

// parseArguments splits the arguments at their placeholders and notes which are
// used. It reports all that is wrong.
func parseArguments(args []string, used uses) ([]argument, []error) {
	var parsed []argument
	var wrong []error
	for i, text := range args {
		fail := func(format string, values ...any) {
			wrong = append(wrong, fmt.Errorf("argument %d, %q: %w", i+1, text, fmt.Errorf(format, values...)))
		}
		for _, variable := range variables.FindAllString(text, -1) {
			name, ok := find(variable, placeholder.variable)
			switch {
			case variable == process.RunVariable:
			case !ok:
				fail("there is no variable %s; did you mean %s?", variable, nearest(variable, placeholder.variable))
			default:
				used[name] = true
			}
		}
		pieces, err := parsePieces(text, used)
		if err != nil {
			fail("%w", err)
		}
		next := argument{pieces: pieces}
		if next.has(header) {
			if len(pieces) != 1 {
				fail("%s has to be an argument of its own, behind the option that takes a header: -H %s", header, header)
				continue
			}
			last := len(parsed) - 1
			if last < 0 || !parsed[last].isOption() {
				fail("%s repeats the option before it, and there is none: write -H %s", header, header)
				continue
			}
			next.headerFlag = parsed[last].pieces[0].text
			parsed = parsed[:last]
		}
		if next.optional = next.has(caFile); next.optional && len(pieces) == 1 && len(parsed) > 0 {
			if option := &parsed[len(parsed)-1]; option.isOption() {
				option.optional = true
			}
		}
		parsed = append(parsed, next)
	}
	return parsed, wrong
}

func parsePieces(text string, used uses) ([]piece, error) {
	var pieces []piece
	var unknown error
	literal := func(s string) {
		if last := len(pieces) - 1; last >= 0 && pieces[last].name == "" {
			pieces[last].text += s
		} else if s != "" {
			pieces = append(pieces, piece{text: s})
		}
	}
	end := 0
	for _, at := range braces.FindAllStringIndex(text, -1) {
		literal(text[end:at[0]])
		end = at[1]
		match := strings.ReplaceAll(text[at[0]:at[1]], "…", "...")
		name, known := find(match, placeholder.String)
		switch {
		case match[0] != '{':
			literal(match)
		case strings.HasPrefix(match, "{{"):
			literal(match[1 : len(match)-1])
		case known:
			used[name] = true
			pieces = append(pieces, piece{name: name})
		default:
			unknown = fmt.Errorf("there is no placeholder %s; did you mean %s? Write {%s} for the text %s itself",
				match, nearest(match, placeholder.String), match, match)
		}
	}
	literal(text[end:])
	return pieces, unknown
}

func (a argument) has(name placeholder) bool {
	for _, piece := range a.pieces {
		if piece.name == name {
			return true
		}
	}
	return false
}

// isOption tells whether it is one literal text that begins like an option.
func (a argument) isOption() bool {
	return len(a.pieces) == 1 && a.headerFlag == "" && strings.HasPrefix(a.pieces[0].text, "-")
}

// expand gives the arguments of one run.
func expand(arguments []argument, values map[placeholder]string, headers faultserver.Headers) []string {
	var args []string
	for _, argument := range arguments {
		if argument.headerFlag != "" {
			for _, line := range headers {
				args = append(args, argument.headerFlag, line.Name+": "+line.Value)
			}
			continue
		}
		if argument.optional && values[caFile] == "" {
			continue
		}
		var text strings.Builder
		for _, piece := range argument.pieces {
			if piece.name != "" {
				text.WriteString(values[piece.name])
			} else {
				text.WriteString(piece.text)
			}
		}
		args = append(args, text.String())
	}
	return args
}
