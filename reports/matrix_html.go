package reports

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
)

var (
	//go:embed page/matrix.html.tmpl
	matrixTemplate string
	//go:embed page/matrix.css
	matrixStyle string

	matrixPage = template.Must(template.New("matrix").Parse(matrixTemplate))
)

// MatrixHTML writes the matrix as one page without any script: it reads on a phone,
// in the dark, on paper, by a screen reader and by keyboard alone. A cell shows its
// reason where it is pointed at or focused, and leads to the contract on its
// client's page of evidence, where there is one.
func MatrixHTML(w io.Writer, m Matrix) error {
	var page bytes.Buffer
	if err := matrixPage.Execute(&page, newMatrixView(m)); err != nil {
		return fmt.Errorf("write the matrix as HTML: %w", err)
	}
	if _, err := page.WriteTo(w); err != nil {
		return fmt.Errorf("write the matrix as HTML: %w", err)
	}
	return nil
}

// matrixView is what the template shows of a matrix.
type matrixView struct {
	Policy  string
	Style   template.HTML
	Lead    string
	Missing string
	Legend  []legendView
	Levels  []string
	Groups  []groupView
	Clients []clientView
	Areas   []matrixAreaView
	// Width is how many columns a row of the matrix has.
	Width int
}

type legendView struct {
	mark

	Verdict string
}

type groupView struct {
	Name, Class string
	Clients     int
}

// clientView is a client: its column's head, its totals, and what it was told.
type clientView struct {
	Name, Version, Group, Class, About, Language, Kind string
	Capabilities, Promises, Command                    string
	Evidence                                           string
	Totals                                             []totalView
	Broken                                             []brokenView
}

type totalView struct {
	matrixTotal

	Text string
}

// brokenView is a contract that a client breaks.
type brokenView struct {
	mark

	ID, Title, Level, Why, Link, Evidence string
}

type matrixAreaView struct {
	Name string
	Rows []matrixRowView
}

type matrixRowView struct {
	ID, Title, Level string
	Cells            []cellView
}

// cellView is a cell; of a contract that the client was not judged by it has no
// word.
type cellView struct {
	mark

	Client, Group, Why, Evidence string
}

func newMatrixView(m Matrix) matrixView {
	style := pageStyle + matrixStyle
	view := matrixView{
		Policy: fmt.Sprintf("default-src 'none'; style-src %s; img-src data:; base-uri 'none'; form-action 'none'", sourceHash(style)),
		Style:  template.HTML("<style>" + style + "</style>"), //nolint:gosec // our own files
		Lead:   clean(matrixLead(m)), Missing: clean(m.missingText()), Levels: mapped(levels, func(level scenarios.Level) string { return string(level) }),
		Width: len(m.Columns) + 1,
	}
	for _, m := range marks {
		view.Legend = append(view.Legend, legendView{m.mark, string(m.verdict)})
	}
	for i, column := range m.Columns {
		if i == 0 || m.Columns[i-1].Group() != column.Group() {
			view.Groups = append(view.Groups, groupView{Name: clean(column.Group()), Class: groupClass(column)})
		}
		view.Groups[len(view.Groups)-1].Clients++
		view.Clients = append(view.Clients, m.newClientView(column))
	}
	rows := m.rows()
	for _, area := range areasOf(rows) {
		made := matrixAreaView{Name: clean(area)}
		for _, row := range rows {
			if row.area() == area {
				made.Rows = append(made.Rows, m.newRowView(row))
			}
		}
		view.Areas = append(view.Areas, made)
	}
	return view
}

// groupClass is a group as a class of the page.
func groupClass(column Column) string {
	return "group-" + strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(column.Group()))
}

func (m Matrix) newClientView(column Column) clientView {
	c := column.Client
	view := clientView{
		Name: clean(c.Name), Version: clean(c.Version), Group: clean(column.Group()), Class: groupClass(column), About: clean(c.About),
		Language: clean(c.Language), Kind: clean(c.Kind), Command: clean(c.Command), Evidence: m.Evidence[c.Name],
		Capabilities: clean(strings.Join(mapped(c.Capabilities, func(c scenarios.Capability) string { return string(c) }), ", ")),
		Promises:     clean(strings.Join(c.Promises, "; ")),
	}
	for _, level := range judgedLevels {
		total := column.total(level)
		view.Totals = append(view.Totals, totalView{total, total.text()})
	}
	for _, cell := range column.broken() {
		broken := brokenView{
			mark: markOf(cell.Verdict), ID: clean(cell.ID), Title: clean(cell.Title), Level: string(cell.Level),
			Why: clean(cell.spoken()), Evidence: m.evidenceOf(column, cell.ID),
		}
		if cell.Known != nil {
			broken.Link = cell.Known.Link
		}
		view.Broken = append(view.Broken, broken)
	}
	return view
}

func (m Matrix) newRowView(row Cell) matrixRowView {
	view := matrixRowView{ID: clean(row.ID), Title: clean(row.Title), Level: clean(string(row.Level))}
	for _, column := range m.Columns {
		made := cellView{Client: clean(column.Client.Name), Group: groupClass(column)}
		if cell, there := column.cell(row.ID); there {
			made.mark, made.Why, made.Evidence = markOf(cell.Verdict), clean(cell.spoken()), m.evidenceOf(column, row.ID)
		}
		view.Cells = append(view.Cells, made)
	}
	return view
}

// evidenceOf is the address of a contract's evidence; empty where there is none.
func (m Matrix) evidenceOf(column Column, id string) string {
	page := m.Evidence[column.Client.Name]
	if page == "" {
		return ""
	}
	return page + "#" + evidencePrefix + id
}
