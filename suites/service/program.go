package service

import (
	"fmt"
	"regexp"
	"time"

	"github.com/faultsrv/faultsrv/scenarios"
	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// checkProgram finds what is wrong with what is said of the service's program.
func (l *loader) checkProgram() {
	p := l.profile
	if !scenarios.OneLine(p.About) {
		l.report("about", "expected text without control characters; got %q", p.About)
	}
	if p.Command != nil && (len(p.Command) == 0 || p.Command[0] == "") {
		l.report("command", "expected a program that starts the service, and its arguments; got none")
	}
	v := p.Version
	if v == nil {
		return
	}
	if len(v.Command) == 0 || v.Command[0] == "" {
		l.report("version.command", "expected a command that prints the version, such as [nginx, -v]; got none")
	}
	if v.Match == "" {
		return
	}
	var err error
	if v.pattern, err = regexp.Compile(v.Match); err != nil {
		l.report("version.match", "expected a regular expression: %v", err)
	}
}

// printedVersion asks for the version; it is empty where none is to be had.
func (p Profile) printedVersion(limit time.Duration) (string, error) {
	v := p.Version
	if v == nil {
		return "", nil
	}
	program, err := findProgram(v.Command[0], p.dir)
	if err != nil {
		return "", fmt.Errorf("ask for the version by %q: %w", v.Command, err)
	}
	return process.Version(process.Question{
		Command: v.Command, Spec: process.Spec{Program: program, Args: v.Command[1:], Dir: p.dir, Limit: keptOutput},
		Pattern: v.pattern, Timeout: limit,
	})
}
