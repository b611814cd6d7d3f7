package faultsrv_test

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/faultsrv/faultsrv/assertions"
	"github.com/faultsrv/faultsrv/reports"
	"github.com/faultsrv/faultsrv/scenarios"
)

// matrixFolder has what `make matrix` writes.
const matrixFolder = "docs/matrix"

// committedColumns are the clients of the committed matrix.
func committedColumns(t *testing.T) []reports.Column {
	t.Helper()
	files, err := filepath.Glob(matrixFolder + "/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var columns []reports.Column
	for _, file := range files {
		column, err := reports.ReadColumn(bytes.NewReader([]byte(read(t, file))))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		columns = append(columns, column)
	}
	return columns
}

// The table is made of the files beside it, and shows what there is: many clients of
// many languages.
func TestTheMatrixIsMadeOfItsColumns(t *testing.T) {
	t.Parallel()
	columns := committedColumns(t)
	made, err := reports.NewMatrix(columns, nil)
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := reports.MatrixMarkdown(&table, made); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read(t, matrixFolder+"/matrix.md"), table.String()); diff != "" {
		t.Errorf("matrix.md is not made of the files beside it: run make matrix (-file +made):\n%s", diff)
	}
	groups := map[string]bool{}
	for _, column := range columns {
		groups[column.Group()] = true
	}
	if len(columns) < 25 || len(groups) < 6 {
		t.Errorf("%d clients in %d languages; want at least 25 in 6", len(columns), len(groups))
	}
}

// The guide explains each cell of the table as the table has it.
func TestTheGuideExplainsTheCells(t *testing.T) {
	t.Parallel()
	_, legend, _ := strings.Cut(read(t, matrixFolder+"/matrix.md"), "| cell | verdict | means |\n| --- | --- | --- |\n")
	legend, _, _ = strings.Cut(legend, "\n\n")
	guide := read(t, matrixFolder+"/README.md")
	rows := strings.Split(legend, "\n")
	if len(rows) != 10 {
		t.Errorf("a legend of %d verdicts; want all 10", len(rows))
	}
	for _, row := range rows {
		cells := strings.Split(row, " | ")
		if cell, verdict := strings.TrimPrefix(cells[0], "| "), cells[1]; !strings.Contains(guide, cell) || !strings.Contains(guide, verdict) {
			t.Errorf("the guide does not explain the cell %q, %s", cell, verdict)
		}
	}
}

// Each client was judged by every contract, and each judged cell says from what.
func TestEachCellOfTheMatrixIsBacked(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, contract := range everyContract(t) {
		ids = append(ids, contract.ID)
	}
	for _, column := range committedColumns(t) {
		var judged []string
		for _, cell := range column.Cells {
			judged = append(judged, cell.ID)
			passedOver := cell.Verdict == assertions.Unsupported || cell.Verdict == assertions.NotExercised
			if !passedOver && (len(cell.Checks) == 0 || len(cell.Outcomes) == 0) {
				t.Errorf("%s, %s: %s, of %d checks and %d calls", column.Client.Name, cell.ID, cell.Verdict, len(cell.Checks), len(cell.Outcomes))
			}
		}
		if diff := cmp.Diff(ids, judged); diff != "" {
			t.Errorf("%s was not judged by the contracts as they are: run make matrix (-contracts +cells):\n%s", column.Client.Name, diff)
		}
		for _, void := range column.Void() {
			t.Errorf("not judged, and committed: %s", void)
		}
	}
}

// leastShare is how many, in percent, of the musts that need no more than retries, a
// method and a body each client with retries is judged by: a driver that claims
// little would be judged by little.
const leastShare = 60

func TestNoClientIsJudgedByLittle(t *testing.T) {
	t.Parallel()
	plain := []scenarios.Capability{scenarios.CanRetry, scenarios.CanMethod, scenarios.CanRequestBody}
	for _, column := range committedColumns(t) {
		if !slices.Contains(column.Client.Capabilities, scenarios.CanRetry) {
			continue
		}
		of, judged := 0, 0
		for _, contract := range everyContract(t) {
			needsMore := slices.ContainsFunc(contract.Capabilities(), func(c scenarios.Capability) bool { return !slices.Contains(plain, c) })
			if contract.Level != scenarios.Must || needsMore {
				continue
			}
			of++
			if at := slices.IndexFunc(column.Cells, func(c reports.Cell) bool { return c.ID == contract.ID }); at >= 0 && column.Cells[at].Verdict != assertions.Unsupported {
				judged++
			}
		}
		if 100*judged < leastShare*of {
			t.Errorf("%s is judged by %d of %d plain musts; want at least %d%%", column.Client.Name, judged, of, leastShare)
		}
	}
}

// everyContract is every contract that runs without being asked for by name, sorted.
func everyContract(t *testing.T) []*scenarios.Contract {
	t.Helper()
	catalogue, err := scenarios.Catalogue()
	if err != nil {
		t.Fatal(err)
	}
	chosen, err := scenarios.Select(catalogue, scenarios.Selection{Level: scenarios.Observe})
	if err != nil {
		t.Fatal(err)
	}
	return chosen
}
