package reports

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"net/url"
	"unicode/utf8"

	"github.com/faultsrv/faultsrv/scenarios"
)

// A Badge says, in a line, how many of a level's contracts a client keeps, of those
// that it was judged by. Known failures count as judged and not as kept.
type Badge struct {
	// Label is the left part; empty means "retries".
	Label string
	// Level is what is counted; empty means scenarios.Must.
	Level scenarios.Level
	// Link is where the evidence is, an http or https URL; empty means none.
	Link string
}

// A BadgeCount is what a badge shows.
type BadgeCount struct {
	Kept, Judged, Void int
	// CutShort is how many runs did not come to their end.
	CutShort int
	// Twice are the contracts that one client was judged by in several of the runs.
	Twice []string
}

// Count counts the level's contracts of runs, which may be parts of one.
func (b Badge) Count(runs ...Run) BadgeCount {
	var count BadgeCount
	counted := map[string]bool{}
	for _, run := range runs {
		client := compact(run.Client)
		for _, result := range run.Results {
			if counted[client+result.ID] {
				count.Twice = append(count.Twice, result.ID)
			}
			counted[client+result.ID] = true
		}
		if run.Meta.Partial {
			count.CutShort++
		}
		total := NewColumn(run, "", nil).total(b.level())
		count.Kept += total.Kept
		count.Judged += total.Judged
		count.Void += total.Void
	}
	return count
}

// Check says what is wrong with the badge, or with what it would show: nothing that
// was judged is no badge, and neither is a contract that could not be, a run that was
// cut short, or a contract that would count twice.
func (b Badge) Check(count BadgeCount) error {
	switch {
	case b.Link != "" && !isWebLink(b.Link):
		return fmt.Errorf("badge: expected a link to the evidence, such as https://example.com/results; got %q", b.Link)
	case count.CutShort > 0:
		return fmt.Errorf("badge: expected runs that came to their end, got %d cut short: run again", count.CutShort)
	case len(count.Twice) > 0:
		return fmt.Errorf("badge: expected each contract of a client once, got %s in several files, the first %s: leave one of the files out",
			contracts(len(count.Twice)), count.Twice[0])
	case count.Void > 0:
		return fmt.Errorf("badge: %s of level %s could not be judged (client-error or harness-error): run again", contracts(count.Void), b.level())
	case count.Judged == 0:
		return fmt.Errorf("badge: expected results with a judged contract of level %s, got none: there is nothing to show", b.level())
	}
	return nil
}

func isWebLink(text string) bool {
	link, err := url.Parse(text)
	return err == nil && (link.Scheme == "https" || link.Scheme == "http") && link.Host != ""
}

func (b Badge) level() scenarios.Level {
	if b.Level == "" {
		return scenarios.Must
	}
	return b.Level
}

func (b Badge) label() string {
	if b.Label == "" {
		return "retries"
	}
	return clean(b.Label)
}

// text is what the right part says, such as "21 of 23 musts kept".
func (b Badge) text(count BadgeCount) string {
	return fmt.Sprintf("%d of %d %ss kept", count.Kept, count.Judged, b.level())
}

// color is green where all is kept, yellow from nine in ten on, else red: the text
// beside it says the same.
func (b Badge) color(count BadgeCount) (name, hex string) {
	switch {
	case count.Kept == count.Judged:
		return "green", "#1a7f37"
	case 10*count.Kept >= 9*count.Judged:
		return "yellow", "#8a5a00"
	default:
		return "red", "#c1121f"
	}
}

// JSON writes the badge as what a badge service takes for an endpoint
// (https://shields.io/badges/endpoint-badge).
func (b Badge) JSON(w io.Writer, count BadgeCount) error {
	color, _ := b.color(count)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(struct {
		SchemaVersion int    `json:"schemaVersion"` //nolint:tagliatelle // a key of the badge services
		Label         string `json:"label"`
		Message       string `json:"message"`
		Color         string `json:"color"`
	}{1, b.label(), b.text(count), color})
	if err != nil {
		return fmt.Errorf("write the badge as JSON: %w", err)
	}
	return nil
}

var (
	//go:embed page/badge.svg.tmpl
	badgeTemplate string

	badgePage = template.Must(template.New("badge").Parse(badgeTemplate))
)

// badgeView is the badge laid out, in pixels.
type badgeView struct {
	Label, Text, Link, Color    string
	LabelWidth, TextWidth, Wide int
	LabelAt, LabelLength        int
	TextAt, TextLength          int
}

// The layout of a badge in pixels. Verdana and DejaVu Sans, at 11 pixels, take 7 for
// a character on average; the texts are stretched to their place, so that another
// font fits too.
const (
	badgeCharacter = 7
	badgeMargin    = 7
)

// SVG writes the badge as a picture that stands alone, with its text for who cannot
// see it.
func (b Badge) SVG(w io.Writer, count BadgeCount) error {
	_, hex := b.color(count)
	view := badgeView{Label: b.label(), Text: b.text(count), Link: b.Link, Color: hex}
	view.LabelLength = utf8.RuneCountInString(view.Label) * badgeCharacter
	view.TextLength = utf8.RuneCountInString(view.Text) * badgeCharacter
	view.LabelWidth, view.TextWidth = view.LabelLength+2*badgeMargin, view.TextLength+2*badgeMargin
	view.Wide = view.LabelWidth + view.TextWidth
	view.LabelAt, view.TextAt = badgeMargin, view.LabelWidth+badgeMargin
	var picture bytes.Buffer
	if err := badgePage.Execute(&picture, view); err != nil {
		return fmt.Errorf("write the badge as SVG: %w", err)
	}
	if _, err := picture.WriteTo(w); err != nil {
		return fmt.Errorf("write the badge as SVG: %w", err)
	}
	return nil
}
