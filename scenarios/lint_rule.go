package scenarios

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Areas are the areas of contracts: a closed list. An area is the first part
// of an id and the name of the file it stands in.
func Areas() []string {
	return []string{
		"attempts", "backoff", "body", "breaker", "budget", "cancellation", "connection", "errors", "hedge", "http2",
		"idempotency", "jitter", "response", "retry-after", "tls",
	}
}

// ruleRules are about what a contract says of its rule.
func ruleRules() []Rule {
	return []Rule{
		{"title-given", "a contract has a title: the rule in a line", func(r *report) {
			if strings.TrimSpace(r.contract.Title) == "" {
				r.at("title", "expected a title: the rule in a line, such as A retried request carries the same bytes")
			}
		}},
		{"level-given", "a contract has a level", func(r *report) {
			if r.contract.Level == "" {
				r.at("level", "expected a level: must, should or observe")
			}
		}},
		{"basis-given", "a contract has a basis", func(r *report) {
			if r.contract.Basis == "" {
				r.at("basis", "expected a basis: standard, safety, promise or practice")
			}
		}},
		{"why-given", "a contract says why: what the rule protects", func(r *report) {
			if strings.TrimSpace(r.contract.Why) == "" {
				r.at("why", "expected why: what the rule protects, for the reader of a failure")
			}
		}},
		{"texts-are-printable", "title and why hold no control characters, and a title is one line: they are shown on terminals and in tables", textsArePrintable},
		{"cites-given", "a rule that rests on safety or on a promise may stand alone; any other cites a source with a doc, or for practice a case", citesGiven},
		{"must-needs-basis", "a must rests on a standard, on safety or on a promise", func(r *report) {
			if r.contract.Level == Must && r.contract.Basis == Practice {
				r.at("level", "a must rests on a standard, on safety or on a promise; good practice goes no higher than should")
			}
		}},
		{"level-above-source", "a rule of a standard is no stronger than a source that it cites: MAY allows observe, SHOULD and RECOMMENDED should, MUST must", levelAboveSource},
		{"draft-is-opt-in", "a rule that only a draft makes runs only when it is asked for by name", draftIsOptIn},
		{"cases-well-formed", "a case is two capital letters, a hyphen and a number, such as BR-01, and is listed once", casesWellFormed},
	}
}

// textsArePrintable keeps an escape sequence in a contract of somebody else's from
// moving a reader's cursor.
func textsArePrintable(r *report) {
	if !OneLine(r.contract.Title) {
		r.at("title", "expected a line without control characters; got %q", clipped(r.contract.Title))
	}
	if !OneLine(strings.ReplaceAll(r.contract.Why, "\n", " ")) {
		r.at("why", "expected text without control characters; got %q", clipped(r.contract.Why))
	}
}

func citesGiven(r *report) {
	c := r.contract
	alone := c.Basis == Safety || c.Basis == Promise || c.Basis == Practice && len(c.Cases) > 0
	if len(c.Cites) == 0 && !alone {
		r.at("cites", "expected a source, such as cites: [{doc: RFC 9110, section: 9.2.2, strength: MAY}]")
	}
	for i, cite := range c.Cites {
		if strings.TrimSpace(cite.Doc) == "" {
			r.at(itemPath("cites", i)+".doc", "expected the document's name, such as RFC 9110")
		}
	}
}

// allows is the highest level that a source's word carries.
func (s Strength) allows() Level {
	switch s {
	case StrengthMust, StrengthMustNot:
		return Must
	case StrengthShould, StrengthShouldNot, StrengthRecommended:
		return Should
	default:
		return Observe
	}
}

func levelAboveSource(r *report) {
	c := r.contract
	if c.Basis != Standard || c.Level == "" || len(c.Cites) == 0 {
		return
	}
	highest := Observe
	for _, cite := range c.Cites {
		if allowed := cite.Strength.allows(); strength(allowed) > strength(highest) {
			highest = allowed
		}
	}
	if strength(c.Level) > strength(highest) {
		r.at("level", "the sources carry at most %s; got %s: lower the level, cite a stronger word, or rest the rule on another basis", highest, c.Level)
	}
}

func draftIsOptIn(r *report) {
	c := r.contract
	drafts := func(cite Cite) bool { return strings.HasPrefix(strings.ToLower(cite.Doc), "draft") }
	if c.Basis == Standard && !c.OptIn && len(c.Cites) > 0 && !slices.ContainsFunc(c.Cites, func(cite Cite) bool { return !drafts(cite) }) {
		r.at("opt-in", "only a draft makes this rule; expected opt-in: true")
	}
}

var caseID = regexp.MustCompile(`^[A-Z]{2}-[0-9]{2,3}$`)

func casesWellFormed(r *report) {
	for i, id := range r.contract.Cases {
		switch {
		case !caseID.MatchString(id):
			r.at(itemPath("cases", i), "expected two capital letters, a hyphen and a number, such as BR-01; got %q", clipped(id))
		case slices.Contains(r.contract.Cases[:i], id):
			r.at(itemPath("cases", i), "the case %s is listed twice", id)
		}
	}
}

// idRules are about ids.
func idRules() []Rule {
	return []Rule{
		{"id-well-formed", fmt.Sprintf("an id is an area, a dot, and lower-case words with hyphens, at most %d bytes; a mere number is not meaningful", maxID), idWellFormed},
		{"area-known", "the area is one of the closed list", func(r *report) {
			if a := r.contract.Area(); a != "" && !slices.Contains(Areas(), a) {
				r.suggest("id", a, Areas(), "%q is no area", clipped(a))
			}
		}},
		{"area-is-the-file", "a file that has the name of an area holds its contracts and no others", areaIsTheFile},
		{"id-unique", "no two contracts have the same id", func(r *report) {
			if first, taken := r.ids[r.contract.ID]; taken && r.contract.ID != "" {
				r.at("id", "the id %q is there twice; it was first given at %s:%d", r.contract.ID, first.File, first.Line)
			}
		}},
	}
}

var (
	wellFormedID = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)*\.[a-z0-9]+(-[a-z0-9]+)*$`)
	positionalID = regexp.MustCompile(`\.[0-9-]+$`)
)

// maxID is how long an id may be: it names a test, and stands in a column of every
// table. The longest of the catalogue has 52 bytes.
const maxID = 100

func idWellFormed(r *report) {
	if id := r.contract.ID; len(id) > maxID {
		r.at("id", "an id has at most %d bytes; got %d", maxID, len(id))
	} else if !wellFormedID.MatchString(id) || positionalID.MatchString(id) {
		r.at("id", "expected an area, a dot and what the rule is about, such as body.replay-after-503; got %q", clipped(id))
	}
}

func areaIsTheFile(r *report) {
	file := filepath.Base(r.contract.Source.File)
	name := strings.TrimSuffix(file, filepath.Ext(file))
	if area := r.contract.Area(); slices.Contains(Areas(), name) && slices.Contains(Areas(), area) && area != name {
		r.at("id", "a contract of the area %s stands in %s.yaml; got %s", area, area, file)
	}
}
