package command

import (
	"fmt"

	"github.com/faultsrv/faultsrv/suites/internal/process"
)

// version is what the version command prints of it.
func (s *Subject) version() (string, error) {
	command := s.options.VersionCommand
	if len(command) == 0 {
		return "", nil
	}
	program, err := lookUp(command[0], s.options.Dir)
	if err != nil {
		return "", fmt.Errorf("ask for the version by %q: %w", command, err)
	}
	return process.Version(process.Question{
		Command: command,
		Spec: process.Spec{
			Program: program, Args: command[1:], Dir: s.options.Dir, Env: s.options.Env, Limit: s.options.OutputLimit,
		},
		Pattern: s.options.VersionPattern, Timeout: s.options.CallTimeout,
	})
}
