package reports

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// matrixVisited opens the page of a matrix, without a script as it needs none.
func matrixVisited(t *testing.T, made Matrix, width, height int64, before ...chromedp.Action) *visit {
	t.Helper()
	var page bytes.Buffer
	if err := MatrixHTML(&page, made); err != nil {
		t.Fatal(err)
	}
	return visitedPage(t, page.Bytes(), width, height, before...)
}

// manyClients is a matrix as wide as a real one.
func manyClients(t *testing.T) Matrix {
	t.Helper()
	var columns []Column
	for i := range 33 {
		column := sampleColumns()[i%2]
		column.Client.Name = fmt.Sprintf("%s-with-a-long-name-%d", column.Client.Name, i)
		columns = append(columns, column)
	}
	made, err := NewMatrix(columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// A cell shows its reason where it is pointed at and where it is focused, without
// a script, and leads to the evidence.
func TestACellShowsItsReason(t *testing.T) {
	v := matrixVisited(t, sampleMatrix(t), 1280, 900, emulation.SetScriptExecutionDisabled(true))
	const cell = `.matrix td.m-fail a[href="evidence/curl.html#in:body.replay-after-503"]`
	var before, focused, text string
	v.do(
		chromedp.WaitVisible(cell, chromedp.ByQuery),
		chromedp.Evaluate(`getComputedStyle(document.querySelector('`+cell+` .why')).position`, &before),
		chromedp.Focus(cell, chromedp.ByQuery),
		chromedp.KeyEvent("\t"), chromedp.KeyEvent("\t", chromedp.KeyModifiers(8)), // a key makes the focus visible
		chromedp.Evaluate(`getComputedStyle(document.activeElement.querySelector(".why")).position`, &focused),
		chromedp.Evaluate(`document.activeElement.innerText`, &text),
	)
	if before != "absolute" || focused != "fixed" {
		t.Errorf("the reason is %s before, %s in focus; want it out of sight, then shown", before, focused)
	}
	if !strings.Contains(text, "curl: 1 of 3 checks failed: body") {
		t.Errorf("the focused cell says %q", text)
	}
	v.quietly()
}

// What is filtered out is not shown, without a script.
func TestTheMatrixShowsALevel(t *testing.T) {
	v := matrixVisited(t, sampleMatrix(t), 1280, 900, emulation.SetScriptExecutionDisabled(true))
	v.do(
		chromedp.WaitVisible(`tr.level-should`, chromedp.ByQuery),
		chromedp.Click("#show-level-should", chromedp.ByQuery),
		chromedp.WaitNotVisible(`tr.level-should`, chromedp.ByQuery),
		chromedp.WaitVisible(`tr.level-must`, chromedp.ByQuery),
	)
	v.quietly()
}

// Each cell of the sheet has a contract and a client by its headers, a glyph and a
// word, so that nothing is told by a color alone.
func TestTheMatrixCanBeHeard(t *testing.T) {
	v := matrixVisited(t, sampleMatrix(t), 1280, 900)
	wrong := tells[[]string](v, `(() => {
		const table = document.querySelector(".matrix"), wrong = [];
		const clients = table.querySelectorAll("thead th[scope=col]").length;
		for (const row of table.querySelectorAll("tbody tr:not(.area)")) {
			if (row.querySelectorAll("th[scope=row]").length !== 1) wrong.push("a row without a head");
			if (row.querySelectorAll("td").length !== clients) wrong.push("a row with " + row.children.length + " cells");
			for (const cell of row.querySelectorAll("td.m")) {
				if (!cell.querySelector(".w").textContent || !cell.querySelector(".glyph").textContent) wrong.push(cell.textContent);
			}
		}
		for (const t of document.querySelectorAll("table")) {
			if (!t.caption && !t.closest("[role=region][aria-label]")) wrong.push("a table without a name");
		}
		for (const region of document.querySelectorAll("[role=region]")) if (region.tabIndex !== 0) wrong.push("a region out of reach");
		return wrong;
	})()`)
	if len(wrong) > 0 {
		t.Errorf("not to be heard: %q", wrong)
	}
	v.quietly()
}

func TestTheMatrixFitsAPhone(t *testing.T) {
	v := matrixVisited(t, manyClients(t), 360, 740)
	if wide := tells[int](v, `document.documentElement.scrollWidth`); wide > 360 {
		t.Errorf("the page is %d pixels wide on a screen of 360", wide)
	}
	// The heads stay while the sheet scrolls by itself.
	left := tells[[]float64](v, `(() => {
		const sheet = document.querySelector(".sheet"), head = document.querySelector(".matrix tbody th[scope=row]");
		const before = head.getBoundingClientRect().left;
		sheet.scrollIntoView();
		sheet.scrollTo(600, 0);
		const corner = document.querySelector(".corner"), box = corner.getBoundingClientRect();
		const covers = document.elementFromPoint(box.right - 5, box.bottom - 5) === corner ? 1 : 0;
		return [before, head.getBoundingClientRect().left, sheet.scrollLeft, covers];
	})()`)
	if left[2] == 0 || left[0]-left[1] > 1 {
		t.Errorf("the contract's head stood at %v, and at %v once the sheet was scrolled by %v", left[0], left[1], left[2])
	}
	if left[3] == 0 {
		t.Error("the clients' names lie over the corner, once the sheet was scrolled")
	}
	v.quietly()
}

func TestTheMatrixCanBeReadInTheLightAndInTheDark(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		v := matrixVisited(t, sampleMatrix(t), 1280, 900, emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		if pale := tells[[]string](v, contrastScript); len(pale) > 0 {
			t.Errorf("%s: too pale: %q", scheme, pale[:min(5, len(pale))])
		}
		v.quietly()
	}
}

// A link to what is inside of a contract opens it, without a script.
func TestALinkToEvidenceOpensIt(t *testing.T) {
	for _, disabled := range []bool{true, false} {
		v := visited(t, sampleRun(), 1280, 900, emulation.SetScriptExecutionDisabled(disabled))
		v.do(
			chromedp.Navigate(v.url+"#in:connection.reset-is-retried"),
			chromedp.WaitVisible(`[id="connection.reset-is-retried"] .checks`, chromedp.ByQuery),
		)
		v.quietly()
	}
}
