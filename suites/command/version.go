package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// version is what the version command prints of it.
func (s *Subject) version() (string, error) {
	version, err := s.printedVersion()
	if err == nil && !scenarios.OneLine(version) {
		return "", fmt.Errorf("ask for the version: expected a line without control characters from %q; got %q", strings.Join(s.options.VersionCommand, " "), version)
	}
	return version, err
}

func (s *Subject) printedVersion() (string, error) {
	command := s.options.VersionCommand
	if len(command) == 0 {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.options.CallTimeout)
	defer cancel()
	program, err := lookUp(command[0], s.options.Dir)
	if err != nil {
		return "", fmt.Errorf("ask for the version by %q: %w", command, err)
	}
	ended, err := process.Run(ctx, process.Spec{
		Program: program, Args: command[1:], Dir: s.options.Dir, Env: s.options.Env, Limit: s.options.OutputLimit,
	})
	switch {
	case err != nil:
		return "", fmt.Errorf("ask for the version: %w", err)
	case ended.ByUs != nil:
		return "", fmt.Errorf("ask for the version: %q did not end within %s", command, s.options.CallTimeout)
	case ended.Status != 0:
		return "", fmt.Errorf("ask for the version: %q ended with %s; it has to end with exit status 0", command, ended.How)
	}
	if pattern := s.options.VersionPattern; pattern != nil {
		found := pattern.FindSubmatch(slices.Concat(ended.Stdout.Head, ended.Stderr.Head))
		if found == nil {
			return "", fmt.Errorf("ask for the version: expected what matches %q in what %q prints; its first line is %q", pattern, command, firstLine(ended.Stdout))
		}
		return string(found[min(1, len(found)-1)]), nil
	}
	return firstLine(ended.Stdout), nil
}

// firstLine is the first line that has something on it.
func firstLine(output process.Excerpt) string {
	first, _, _ := strings.Cut(strings.TrimSpace(string(output.Head)), "\n")
	return strings.TrimSpace(first)
}
