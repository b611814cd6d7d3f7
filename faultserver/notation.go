package faultserver

import (
	_ "embed"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/faultsrv/faultsrv/internal/nearest"
)

//go:embed grammar.ebnf
var grammar string

// Grammar is the EBNF of one-line scripts, and of the scalars in them.
func Grammar() string { return grammar }

// ParseScript reads a one-line script, such as "503x2,reset,200": steps
// separated by commas, in the grammar that Grammar returns. It says what is
// wrong with every step at once. Whether the script can be performed is for
// ValidateScript.
func ParseScript(line string) ([]Step, error) {
	if line == "" {
		return nil, errors.New("script: it is empty; want steps such as 503x2,reset,200")
	}
	var script []Step
	var problems []error
	for i, text := range strings.Split(line, ",") {
		step, err := parseStep(text)
		if err != nil {
			problems = append(problems, fmt.Errorf("script: step %d, %q: %w", i+1, text, err))
		}
		script = append(script, step)
	}
	if len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	return script, nil
}

// inexpressible ends the text of a step that says more than a one-line script can.
const inexpressible = ":…"

// String is the step in the notation of one-line scripts. ParseScript reads it
// back as the same step; one that has parts beyond the notation, such as
// headers or a note, ends in ":…", which ParseScript refuses.
func (s Step) String() string {
	text := s.text()
	if parsed, err := parseStep(text); err != nil || !reflect.DeepEqual(parsed, s) {
		text += inexpressible
	}
	return text
}

// textAt is how an attempt's entry names the step: with the point at which it
// strikes, and without the number of attempts it serves.
func (s Step) textAt(at Point) string {
	if where := s.Act.place(); slices.Contains(where.phases, ResponseHead) {
		s.At = at
	}
	s.Times = 0
	return s.String()
}

func (s Step) text() string {
	if s.Act == nil {
		return "nothing"
	}
	act := s.Act.parameters()
	name := s.Act.ActName()
	if status := act.answer.Status; status != 0 && name == "respond" {
		name, act.answer.Status = strconv.Itoa(status), 0
	}
	if s.Times > 0 {
		name += "x" + strconv.Itoa(s.Times)
	}
	if act.cutsAfter {
		name += "@" + act.after.String()
	} else if s.At != (Point{}) {
		name += "@" + s.At.String()
	}
	d := draft{step: s, parameters: act}
	for _, setting := range slices.Concat(act.own, settings) {
		value, given := setting.write(&d)
		switch {
		case !given:
		case setting.key == act.positional:
			name += ":" + value
		case value == "":
			name += ":" + setting.key + setting.flagMark()
		default:
			name += ":" + setting.key + "=" + value
		}
	}
	return name
}

// parseStep reads one step.
func parseStep(text string) (Step, error) {
	if i := strings.IndexFunc(text, notInNotation); i >= 0 {
		return Step{}, fmt.Errorf("%q is no character of the notation; want letters, digits and . - _ / : = @ (a step that says more needs YAML or Go)", []rune(text[i:])[0])
	}
	front, rest, _ := strings.Cut(text, ":")
	name, point, hasPoint := strings.Cut(front, "@")
	d, err := startDraft(name)
	if err != nil {
		return Step{}, err
	}
	if hasPoint {
		if err := d.readPoint(point); err != nil {
			return Step{}, err
		}
	}
	if strings.HasSuffix(text, ":") {
		return Step{}, errors.New("it ends in a colon; want a setting after it")
	}
	seen := map[string]bool{}
	for item := range strings.SplitSeq(rest, ":") {
		if rest == "" {
			break
		}
		if err := d.readSetting(item, seen); err != nil {
			return Step{}, err
		}
	}
	d.step.Act = d.make(d.parameters)
	return d.step, nil
}

func notInNotation(c rune) bool {
	return !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || strings.ContainsRune(".-_/:=@", c))
}

// startDraft reads an act's name and how many attempts it serves.
func startDraft(name string) (*draft, error) {
	d := &draft{}
	word, times := name, ""
	if i := strings.LastIndexByte(name, 'x'); i > 0 && isDigits(name[i+1:]) {
		word, times = name[:i], name[i+1:]
	}
	if times != "" {
		n, err := strconv.Atoi(times)
		if err != nil || n < 1 || !isWholeNumber(times) {
			return nil, fmt.Errorf("x%s; want a number of attempts from 1, such as x3, or :forever", times)
		}
		d.step.Times = n
	}
	if len(word) == 3 && isDigits(word) && word[0] >= '2' {
		d.act, _ = notationOf(Respond{}.ActName())
		d.parameters = d.act.start()
		d.answer.Status, _ = strconv.Atoi(word) // three digits are a number
		return d, nil
	}
	act, found := notationOf(word)
	if !found && slices.Contains(UnbuiltActs, word) {
		act, found = sharing(Unbuilt{Name: word}, func(parameters) Act { return Unbuilt{Name: word} }), true
	}
	if !found {
		return nil, fmt.Errorf("%q is no act%s; want a status from 200 to 999 or one of %s", word, didYouMean(word, actNames()), strings.Join(actNames(), ", "))
	}
	d.act, d.parameters = act, act.start()
	return d, nil
}

// didYouMean names the word that may have been meant; empty where none is near.
func didYouMean(written string, words []string) string {
	if meant := nearest.Word(written, words); meant != "" {
		return fmt.Sprintf(" (did you mean %q?)", meant)
	}
	return ""
}

// readPoint reads what stands after the first "@".
func (d *draft) readPoint(text string) error {
	if d.cutsAfter {
		after, err := ParseSize(text)
		d.after = after
		return err
	}
	at, err := ParsePoint(text)
	d.step.At = at
	return err
}

// readSetting reads what stands between two colons.
func (d *draft) readSetting(item string, seen map[string]bool) error {
	key, value, valued := strings.Cut(item, "=")
	setting, known := d.settingOf(key)
	switch {
	case valued && !known:
		return fmt.Errorf("%q is no setting%s; want one of %s", key, didYouMean(key, d.accepted()), strings.Join(d.accepted(), ", "))
	case !valued && (!known || !setting.flag):
		if d.positional == "" {
			return fmt.Errorf("%q is no flag, and %s has no value of its own; want one of %s", item, d.act.zero.ActName(), strings.Join(d.accepted(), ", "))
		}
		key, value = d.positional, item
		setting, _ = d.settingOf(key)
	case valued && setting.flag && !setting.optional:
		return fmt.Errorf("%s is a flag and takes no value", key)
	}
	if !slices.Contains(d.accepted(), key) {
		return fmt.Errorf("%s has no %s; want one of %s", d.act.zero.ActName(), key, strings.Join(d.accepted(), ", "))
	}
	if seen[key] {
		return fmt.Errorf("%s is given twice", key)
	}
	seen[key] = true
	if err := setting.read(d, value); err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}
