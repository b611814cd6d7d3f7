package reports

import (
	"fmt"
	"io"
	"net/url"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/assertions"
)

// MatrixMarkdown writes the matrix as GitHub-flavored Markdown: the legend, the
// totals, the clients, a table an area, and what each client is known to break.
// Whatever a client or a contract says is text in it, never markup. A client's
// name leads to its column, NAME.json, in the same folder.
func MatrixMarkdown(w io.Writer, m Matrix) error {
	var d markdown
	d.block("# Who keeps which contract")
	d.block(markdownText(matrixLead(m)))
	if missing := m.missingText(); missing != "" {
		d.block("**" + markdownText(missing) + "**")
	}
	d.matrixLegend()
	d.matrixTotals(m)
	d.matrixAreas(m)
	d.matrixClients(m)
	d.matrixBroken(m)
	if _, err := io.WriteString(w, d.text.String()); err != nil {
		return fmt.Errorf("write the matrix as Markdown: %w", err)
	}
	return nil
}

// matrixLead says what the matrix shows.
func matrixLead(m Matrix) string {
	var groups []string
	for i := 0; i < len(m.Columns); {
		group, n := m.Columns[i].Group(), 0
		for ; i < len(m.Columns) && m.Columns[i].Group() == group; i++ {
			n++
		}
		groups = append(groups, fmt.Sprintf("%s %d", group, n))
	}
	return fmt.Sprintf("%s × %s (%s). Each was judged by the same contracts, each contract against a server of its own, with the client's own documented retry settings.",
		contracts(len(m.rows())), count(len(m.Columns), "client"), strings.Join(groups, ", "))
}

func (d *markdown) matrixLegend() {
	d.block("## What the cells mean")
	rows := "| cell | verdict | means |\n| --- | --- | --- |\n"
	for _, m := range marks {
		rows += fmt.Sprintf("| %s %s | `%s` | %s |\n", m.Emoji, m.Word, m.verdict, markdownText(m.Meaning))
	}
	d.block(rows)
}

func (d *markdown) matrixTotals(m Matrix) {
	d.block("## Totals")
	d.block("Kept, of those that were judged; there is no score over levels, since a broken `must` is not made good by ten kept ones.")
	rows := "| client | must: kept of judged | broken | known | not judged | should: kept of judged | broken | known | not judged |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
	for _, column := range m.Columns {
		rows += "| " + columnLink(column) + " |"
		for _, level := range judgedLevels {
			t := column.total(level)
			rows += fmt.Sprintf(" %s | %d | %d | %d |", t.text(), t.Broken, t.Known, t.NotJudged+t.Void)
		}
		rows += "\n"
	}
	d.block(rows)
}

// markdownSource is a link to where a known failure is told of; what a browser would
// not simply open stays text.
func markdownSource(link string) string {
	if !isWebLink(link) {
		return markdownText(link)
	}
	return fmt.Sprintf("[source](<%s>)", strings.NewReplacer("<", "%3C", ">", "%3E", "|", "%7C").Replace(link))
}

func columnLink(column Column) string {
	return fmt.Sprintf("[%s](%s.json)", markdownText(column.Client.Name), strings.ReplaceAll(url.PathEscape(column.Client.Name), ":", "%3A"))
}

// matrixAreas is a table an area: a row a contract, a column a client.
func (d *markdown) matrixAreas(m Matrix) {
	rows := m.rows()
	for _, area := range areasOf(rows) {
		d.block("## " + markdownText(area))
		header, rule := "| contract | level |", "| --- | --- |"
		for _, column := range m.Columns {
			header += " " + columnLink(column) + " |"
			rule += " --- |"
		}
		table := header + "\n" + rule + "\n"
		for _, row := range rows {
			if row.area() != area {
				continue
			}
			table += fmt.Sprintf("| %s | %s |", markdownCode(row.ID), markdownText(string(row.Level)))
			for _, column := range m.Columns {
				cell, there := column.cell(row.ID)
				if !there {
					table += " |"
					continue
				}
				mark := markOf(cell.Verdict)
				table += fmt.Sprintf(" %s %s |", mark.Emoji, mark.Word)
			}
			table += "\n"
		}
		d.block(table)
	}
}

func areasOf(rows []Cell) []string {
	var areas []string
	for _, row := range rows {
		if !slices.Contains(areas, row.area()) {
			areas = append(areas, row.area())
		}
	}
	return areas
}

// matrixClients says who was judged, and by which command.
func (d *markdown) matrixClients(m Matrix) {
	d.block("## The clients")
	rows := "| client | version | language | what is judged | promises | judge it again |\n| --- | --- | --- | --- | --- | --- |\n"
	for _, column := range m.Columns {
		c := column.Client
		rows += fmt.Sprintf("| %s | %s | %s | %s | %s | %s |\n", columnLink(column), markdownText(c.Version), markdownText(column.Group()),
			markdownText(c.About), markdownText(strings.Join(c.Promises, "; ")), markdownCode(c.Command))
	}
	d.block(rows)
}

// matrixBroken lists, by client, what it breaks and why.
func (d *markdown) matrixBroken(m Matrix) {
	d.block("## What they break")
	for _, column := range m.Columns {
		var rows string
		for _, cell := range column.broken() {
			why := markdownText(cell.whyText())
			if cell.Known != nil && cell.Verdict == assertions.KnownFail {
				why += " " + markdownSource(cell.Known.Link)
			}
			mark := markOf(cell.Verdict)
			rows += fmt.Sprintf("| %s %s | %s | %s | %s |\n", mark.Emoji, mark.Word, markdownText(string(cell.Level)), markdownCode(cell.ID), why)
		}
		if rows != "" {
			d.block("### " + markdownText(column.Client.Name))
			d.block("| | level | contract | why |\n| --- | --- | --- | --- |\n" + rows)
		}
	}
}
