package process

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

// A Question is a command that prints a version.
type Question struct {
	// Command is as its user wrote it, for messages.
	Command []string
	// Spec is the process of it.
	Spec Spec
	// Pattern finds the version in what it prints, on its output and its errors:
	// its group, or all of the match. Nil means the first line of its output.
	Pattern *regexp.Regexp
	// Timeout is how long it may take.
	Timeout time.Duration
}

// Version asks for a version. The process has to end by itself, with exit status 0.
func Version(asked Question) (string, error) {
	version, err := asked.printed()
	if err == nil && strings.ContainsFunc(version, unicode.IsControl) {
		err = fmt.Errorf("expected a line without control characters from %q; got %q", strings.Join(asked.Command, " "), version)
	}
	if err != nil {
		return "", fmt.Errorf("ask for the version: %w", err)
	}
	return version, nil
}

func (q Question) printed() (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), q.Timeout)
	defer cancel()
	ended, err := Run(ctx, q.Spec)
	switch {
	case err != nil:
		return "", err
	case ended.ByUs != nil:
		return "", fmt.Errorf("%q did not end within %s", q.Command, q.Timeout)
	case ended.Status != 0:
		return "", fmt.Errorf("%q ended with %s; it has to end with exit status 0", q.Command, ended.How)
	case q.Pattern == nil:
		return firstLine(ended.Stdout), nil
	}
	found := q.Pattern.FindSubmatch(slices.Concat(ended.Stdout.Head, ended.Stderr.Head))
	if found == nil {
		return "", fmt.Errorf("expected what matches %q in what %q prints; its first line is %q", q.Pattern, q.Command, firstLine(ended.Stdout))
	}
	return string(found[min(1, len(found)-1)]), nil
}

// firstLine is the first line that has something on it.
func firstLine(output Excerpt) string {
	first, _, _ := strings.Cut(strings.TrimSpace(string(output.Head)), "\n")
	return strings.TrimSpace(first)
}
