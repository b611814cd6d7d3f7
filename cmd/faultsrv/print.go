package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/faultsrv/faultsrv/scenarios"
)

// printText writes what a command was asked for. Much of it comes from files and
// programs of somebody else's.
func printText(w io.Writer, text string) error {
	if _, err := io.WriteString(w, harmless(text)); err != nil {
		return unprinted(err)
	}
	return nil
}

// unprinted is the error of an output that could not be written. A reader who has
// left, such as head, has what it wanted, and is told nothing.
func unprinted(err error) error {
	if errors.Is(err, syscall.EPIPE) {
		return endWith(statusCouldNotRun)
	}
	return couldNotRun(fmt.Errorf("write the output: %w", err))
}

// harmless is a text of several lines with nothing in it that would move a cursor,
// or turn the direction in which it is read.
func harmless(text string) string {
	moves := func(c rune) bool {
		return unicode.IsControl(c) && c != '\n' && c != '\t' || unicode.Is(unicode.Bidi_Control, c)
	}
	if !strings.ContainsFunc(text, moves) {
		return text
	}
	var b strings.Builder
	for _, c := range text {
		if moves(c) {
			quoted := strconv.QuoteRune(c)
			b.WriteString(quoted[1 : len(quoted)-1])
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}

// printJSON writes what a command was asked for as indented JSON.
func printJSON(w io.Writer, value any) error {
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(value); err != nil {
		return unprinted(err)
	}
	return nil
}

// notNil makes a list of nothing, which is [] in JSON, of no list, which is null.
func notNil[L ~[]T, T any](list L) L {
	if list == nil {
		return L{}
	}
	return list
}

// plural is a number and its noun: "1 contract", "2 contracts".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// capabilityText is capabilities as a list for a reader.
func capabilityText(capabilities []scenarios.Capability) string {
	words := make([]string, len(capabilities))
	for i, capability := range capabilities {
		words[i] = string(capability)
	}
	return strings.Join(words, ", ")
}
