package reports

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// JSON writes the run in the published format (results.schema.json). It is a
// [Renderer]; the same run gives the same bytes.
func JSON(w io.Writer, run Run) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(run); err != nil {
		return fmt.Errorf("write the results as JSON: %w", err)
	}
	return nil
}

// maxResults is how many bytes results may have, so that a name that leads to what
// has no end, such as a device, does not take the memory. The whole catalogue's
// have 1 MiB, and an attempt with the bodies that are kept no more than 90 KiB.
const maxResults = 256 << 20

// Read reads what JSON wrote. It is strict: another format, an unknown key or
// verdict, a contract that comes twice, totals that do not fit the results, and
// anything after the run are errors.
func Read(r io.Reader) (Run, error) {
	var run Run
	if err := readStrictly(r, "results.json", Format, &run); err != nil {
		return Run{}, fmt.Errorf("read the results: %w", err)
	}
	if err := run.check(); err != nil {
		return Run{}, fmt.Errorf("read the results: %w", err)
	}
	return run, nil
}

// readStrictly reads one JSON object of a format and nothing else; file is what
// faultsrv calls such a file.
func readStrictly(r io.Reader, file string, format int, into any) error {
	data, err := io.ReadAll(io.LimitReader(r, maxResults+1))
	if err != nil {
		return err
	}
	if len(data) > maxResults {
		return fmt.Errorf("expected at most %d bytes, got more: is this the file of a run?", maxResults)
	}
	var head struct {
		Format int `json:"format"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("expected one JSON object as faultsrv writes it to %s: %w%s", file, err, at(data, err))
	}
	if head.Format != format {
		return fmt.Errorf("expected format %d, got %d: use the faultsrv that wrote them, or run the contracts again", format, head.Format)
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("expected the keys and types that faultsrv writes to %s: %w%s", file, err, at(data, err))
	}
	return nil
}

// at says where in the data a JSON error lies, where it tells.
func at(data []byte, err error) string {
	var offset int64
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		offset = syntax.Offset
	case errors.As(err, &mismatch):
		offset = mismatch.Offset
	default:
		return ""
	}
	before := data[:min(int(offset), len(data))]
	return fmt.Sprintf(" (line %d)", 1+bytes.Count(before, []byte("\n")))
}

// check finds what the JSON types cannot: all of it, not the first alone.
func (r Run) check() error {
	var problems []error
	seen := map[string]bool{}
	for i, result := range r.Results {
		if result.ID == "" {
			problems = append(problems, fmt.Errorf("result %d: expected the id of a contract, got none", i+1))
		}
		if seen[result.ID] {
			problems = append(problems, fmt.Errorf("result %d: contract %q comes twice: keep one of them", i+1, result.ID))
		}
		seen[result.ID] = true
		if !slices.Contains(known, result.Verdict) {
			problems = append(problems, fmt.Errorf("result %d (%s): expected one of the verdicts %q, got %q", i+1, result.ID, known, result.Verdict))
		}
	}
	if counted := totals(r.Results); !sameTotals(counted, r.Totals) {
		problems = append(problems, fmt.Errorf("totals: expected %v as the results count, got %v: the file was changed after it was written", counted, r.Totals))
	}
	return errors.Join(problems...)
}
