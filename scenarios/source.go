package scenarios

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Source is where a contract was read.
type Source struct {
	File string
	// Line is the contract's first line, from 1.
	Line int

	text *text
	// places are the positions of keys and values by their path in the contract.
	places map[string]place
}

// YAML is the contract as it was written, without blank lines around it; empty
// for a contract that was not read from a file.
func (s Source) YAML() string {
	if s.text == nil || s.Line < 1 || s.Line > len(s.text.lines) {
		return ""
	}
	lines := s.text.lines[s.Line-1:]
	if end := slices.IndexFunc(lines, func(line string) bool { return isSeparator([]byte(line)) }); end >= 0 {
		lines = lines[:end]
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n") + "\n"
}

// text is a file as it was read.
type text struct {
	file  string
	lines []string
}

// place is a position in a file; both count from 1, columns in characters.
type place struct{ line, column int }

func readText(file string, data []byte) *text {
	return &text{file: file, lines: strings.Split(strings.ReplaceAll(string(data), "\r\n", "\n"), "\n")}
}

func (t *text) line(n int) string {
	if t == nil || n < 1 || n > len(t.lines) {
		return ""
	}
	return t.lines[n-1]
}

// problem makes a problem at a place of the text.
func (t *text) problem(at place, path, message string) Problem {
	return Problem{File: t.file, Line: at.line, Column: at.column, Path: path, Message: message, LineText: t.line(at.line)}
}

// Problem makes a problem at a path such as "calls[0].method", or "" for the
// whole document. A path that was not written has the place of the nearest one
// around it.
func (s Source) Problem(path, format string, args ...any) Problem {
	return s.problem(path, fmt.Sprintf(format, args...))
}

// problem makes a problem at a path of the contract; of a path that was not
// written, at the nearest one around it.
func (s Source) problem(path, message string) Problem {
	p := Problem{File: s.File, Line: s.Line, Path: path, Message: message}
	for at := path; ; at = parentPath(at) {
		if found, ok := s.places[at]; ok {
			p.Line, p.Column = found.line, found.column
			break
		}
		if at == "" {
			break
		}
	}
	if p.Column > 0 {
		p.LineText = s.text.line(p.Line)
	}
	return p
}

func parentPath(path string) string {
	return path[:max(strings.LastIndexAny(path, ".["), 0)]
}

// keyPath shortens a long key: a file of 1 MiB could otherwise make paths of
// thousands of times its size.
func keyPath(path, key string) string {
	key = clipped(key)
	if path == "" {
		return key
	}
	return path + "." + key
}

func itemPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }
